import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { listBreeds } from './breeds.ts'
import { colorsOf } from './colors.ts'
import { PREFIX } from './prefix.ts'
import { readRoutes } from './read-routes.ts'
import { type Categories, TYPES, type Type, typeNamed } from './types.ts'

interface ByType {
  type: string
}

export function typeRoutes(app: App, context: Context, readCategories: () => Promise<Categories>): void {
  const addRoute = readRoutes(app, context)

  addRoute('/types', async () => ({ json: { types: TYPES.map(toType) } }))

  addRoute<ByType>('/types/:type', async (_request, params) => ({ json: { type: toType(typeIn(params)) } }))

  addRoute<ByType>('/types/:type/breeds', async (_request, params) => {
    const type = typeIn(params)
    const names = await listBreeds(context.db, await readCategories(), type)
    const _links = { type: { href: linkOf(type) } }
    return { json: { breeds: names.map((name) => ({ name, _links })) } }
  })
}

const linkOf = ({ slug }: Type): string => `${PREFIX}/types/${slug}`

function toType(type: Type) {
  const { name, slug, coats, genders } = type
  const link = linkOf(type)
  const _links = { self: { href: link }, breeds: { href: `${link}/breeds` } }
  return { name, coats, colors: colorsOf(slug), genders, _links }
}

/** @throws {ApiError} category_not_found */
function typeIn({ type: name }: ByType): Type {
  const type = typeNamed(name)
  if (!type) throw new ApiError('category_not_found')
  return type
}
