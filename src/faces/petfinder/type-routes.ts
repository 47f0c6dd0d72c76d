import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { etagOf } from '../../http/conditional.ts'
import { sendPage } from '../../http/send-page.ts'
import { breedsOf } from './breeds.ts'
import { colorsOf } from './colors.ts'
import { PREFIX } from './prefix.ts'
import { READ } from './read.ts'
import { type Categories, TYPES, type Type, typeNamed } from './types.ts'

interface ByType {
  Params: { type: string }
}

export function typeRoutes(app: App, context: Context, readCategories: () => Promise<Categories>): void {
  const { db } = context

  function toType({ name, slug, coats, genders }: Type) {
    const link = `${PREFIX}/types/${slug}`
    const colors = colorsOf(slug)
    return {
      name,
      coats,
      colors,
      genders,
      _links: { self: { href: link }, breeds: { href: `${link}/breeds` } },
    }
  }

  const answer = (make: (request: FastifyRequest, categories: Categories) => Promise<object>) => {
    return (request: FastifyRequest, reply: Parameters<typeof sendPage>[1]) =>
      sendPage(request, reply, context, async () => {
        const body = JSON.stringify(await make(request, await readCategories()))
        return { body, headers: { etag: etagOf(body) } }
      })
  }

  app.get(
    '/types',
    { config: READ },
    answer(async () => ({ types: TYPES.map(toType) })),
  )

  app.get<ByType>(
    '/types/:type',
    { config: READ },
    answer(async (request) => ({ type: toType(typeIn(request)) })),
  )

  app.get<ByType>(
    '/types/:type/breeds',
    { config: READ },
    answer(async (request, categories) => {
      const type = typeIn(request)
      const names = await breedsOf(db, categories, type)
      const link = { type: { href: `${PREFIX}/types/${type.slug}` } }
      return { breeds: names.map((name) => ({ name, _links: link })) }
    }),
  )
}

/** @throws {ApiError} category_not_found */
function typeIn(request: FastifyRequest): Type {
  const type = typeNamed((request.params as ByType['Params']).type)
  if (!type) throw new ApiError('category_not_found')
  return type
}
