import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { int64 } from '../../http/int64.ts'
import type { Show } from '../../pets/row.ts'
import { finderOf } from '../../pets/search/find.ts'
import * as pets from '../../pets/store.ts'
import { photosAt } from '../../photos/storage/kept.ts'
import { animalPages } from './animal-pages.ts'
import { toAnimalList } from './animal-query.ts'
import { PICKED, toAnimals } from './animals.ts'
import { paginationOf } from './pagination.ts'
import { PREFIX } from './prefix.ts'
import { readParameters } from './query-parameters.ts'
import { readRoutes } from './read-routes.ts'
import type { Categories } from './types.ts'

export function animalRoutes(app: App, context: Context, readCategories: () => Promise<Categories>): void {
  const { config, db } = context
  const addRoute = readRoutes(app, context)
  const readPage = animalPages(finderOf(context), context)
  const show = (request: FastifyRequest): Show => ({ view: 'public', photosAt: photosAt(config, request) })

  addRoute('/animals', async (request) => {
    const parameters = readParameters(request.url)
    const categories = await readCategories()
    const list = await toAnimalList(parameters, context, categories)
    const { animals, total } = await readPage(list, parameters, show(request))
    const { page, limit } = list
    const { until } = total
    return {
      json: {
        animals: await toAnimals(context, animals, categories),
        pagination: paginationOf(`${PREFIX}/animals`, parameters, { page, limit, total: total.count }),
      },
      passing: list.sort === 'random',
      ...(until && { until }),
    }
  })

  addRoute<{ id: string }>('/animals/:id', async (request, { id }) => {
    const categories = await readCategories()
    const found = await pets.findShown(db, idIn(id), show(request), PICKED)
    const [animal] = found ? await toAnimals(context, [found], categories) : []
    if (!animal) throw new ApiError('pet_not_found')
    return { json: { animal } }
  })
}

/** These clients knew an id as the digits at the beginning. @throws {ApiError} pet_not_found */
function idIn(text: string): number {
  const [digits = ''] = /^[1-9]\d{0,18}/.exec(text) ?? []
  const id = int64(digits)
  if (id === undefined) throw new ApiError('pet_not_found')
  return id
}
