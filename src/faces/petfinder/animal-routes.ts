import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { etagOf } from '../../http/conditional.ts'
import { int64 } from '../../http/int64.ts'
import { sendPage } from '../../http/send-page.ts'
import { finderOf } from '../../pets/finder.ts'
import type { Show } from '../../pets/row.ts'
import * as pets from '../../pets/store.ts'
import { photosAt } from '../../photo-files/kept.ts'
import { animalLists, toAnimals } from './animals.ts'
import { askedFor, PICKED } from './asked.ts'
import { Given } from './given.ts'
import { paginationOf } from './pagination.ts'
import { PREFIX } from './prefix.ts'
import { READ } from './read.ts'
import { EXACT, MOST_OLD_MS } from './totals.ts'
import type { Categories } from './types.ts'

export function animalRoutes(app: App, context: Context, readCategories: () => Promise<Categories>): void {
  const { config, db, clock } = context
  const listed = animalLists(finderOf(context), context)
  const show = (request: FastifyRequest): Show => ({ view: 'public', photosAt: photosAt(config, request) })

  app.get('/animals', { config: READ }, async (request, reply) => {
    const read = async () => {
      const given = new Given(request.url)
      const categories = await readCategories()
      const list = await askedFor(given, context, categories)
      const { animals, total } = await listed(list, given, show(request))
      const { page, limit } = list
      const body = JSON.stringify({
        animals: await toAnimals(context, animals, categories),
        pagination: paginationOf(`${PREFIX}/animals`, given, { page, limit, total }),
      })
      const isPassing = list.sort === 'random'
      // The count of a long list is of before, and no older than that.
      const until = total > EXACT && { until: clock() + MOST_OLD_MS }
      return { body, headers: { etag: etagOf(body) }, passing: isPassing, ...until }
    }
    return sendPage(request, reply, context, read) as never
  })

  app.get<{ Params: { id: string } }>('/animals/:id', { config: READ }, async (request, reply) => {
    const read = async () => {
      const categories = await readCategories()
      const found = await pets.findShown(db, idIn(request.params.id), show(request), PICKED)
      const [animal] = found ? await toAnimals(context, [found], categories) : []
      if (!animal) throw new ApiError('pet_not_found')
      const body = JSON.stringify({ animal })
      return { body, headers: { etag: etagOf(body) } }
    }
    return sendPage(request, reply, context, read) as never
  })
}

/** What it begins with counts, as these clients knew it. @throws {ApiError} pet_not_found */
function idIn(text: string): bigint {
  const [digits = ''] = /^[1-9]\d{0,18}/.exec(text) ?? []
  const id = int64(digits)
  if (id === undefined) throw new ApiError('pet_not_found')
  return id
}
