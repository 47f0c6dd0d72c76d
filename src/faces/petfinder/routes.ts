import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { etagOf } from '../../http/conditional.ts'
import { int64 } from '../../http/int64.ts'
import type { NewPage } from '../../http/page-cache.ts'
import { sendPage } from '../../http/send-page.ts'
import * as organizations from '../../organizations/store.ts'
import type { Show } from '../../pets/row.ts'
import { finderOf } from '../../pets/search/find.ts'
import * as pets from '../../pets/store.ts'
import { photosAt } from '../../photos/storage/kept.ts'
import { animalPages } from './animal-pages.ts'
import { toAnimalList } from './animal-query.ts'
import { type FoundOrganization, organizationPages } from './organization-pages.ts'
import { type QueryParameters, readParameters } from './parameters.ts'
import { OWN_CODE, ownOrganization, PICKED, PREFIX, toAnimals, toOrganization } from './shapes.ts'
import {
  type Categories,
  categoriesReader,
  colorsOf,
  listBreeds,
  TYPES,
  type Type,
  typeNamed,
} from './words.ts'

/** What a route answers, and for how long that may be cached. */
interface Answer extends Pick<NewPage, 'passing' | 'until'> {
  json: object
}

/** Adds a route. @param read makes its answer. @param params those of its path */
type AddRoute = <Params>(
  path: string,
  read: (request: FastifyRequest, params: Params) => Promise<Answer>,
) => void

/** All that clients read, with a valid token: each route answers from the cache while nothing has changed. */
export function readRoutes(app: App, context: Context): void {
  const readCategories = categoriesReader(context)
  const addRoute: AddRoute = (path, read) => {
    app.get(path, { config: { access: 'read' } }, async (request, reply) => {
      const readPage = async () => {
        const { json, ...validity } = await read(request, request.params as never)
        const body = JSON.stringify(json)
        return { body, headers: { etag: etagOf(body) }, ...validity }
      }
      return sendPage(request, reply, context, readPage) as never
    })
  }
  animalRoutes(addRoute, context, readCategories)
  typeRoutes(addRoute, context, readCategories)
  organizationRoutes(addRoute, context)
}

type ReadCategories = () => Promise<Categories>

function animalRoutes(addRoute: AddRoute, context: Context, readCategories: ReadCategories): void {
  const { config, db } = context
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

interface ByType {
  type: string
}

function typeRoutes(addRoute: AddRoute, { db }: Context, readCategories: ReadCategories): void {
  addRoute('/types', async () => ({ json: { types: TYPES.map(toType) } }))

  addRoute<ByType>('/types/:type', async (_request, params) => ({ json: { type: toType(typeIn(params)) } }))

  addRoute<ByType>('/types/:type/breeds', async (_request, params) => {
    const type = typeIn(params)
    const names = await listBreeds(db, await readCategories(), type)
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

function organizationRoutes(addRoute: AddRoute, context: Context): void {
  const { config, db } = context
  const readPage = organizationPages(context)
  const toAnswer = (request: FastifyRequest, { stored, distanceMeters }: FoundOrganization) => {
    const shown = organizations.toShown(stored, photosAt(config, request))
    return toOrganization({ ...shown, distanceMeters }, config.origin)
  }

  addRoute('/organizations', async (request) => {
    const parameters = readParameters(request.url)
    const { found, page, limit, total } = await readPage(parameters)
    return {
      json: {
        organizations: found.map((one) => toAnswer(request, one)),
        pagination: paginationOf(`${PREFIX}/organizations`, parameters, { page, limit, total }),
      },
    }
  })

  addRoute<{ id: string }>('/organizations/:id', async (request, { id: code }) => {
    const id = await organizations.idOfCode(db, code)
    const stored = id === undefined ? undefined : await organizations.find(db, id)
    if (stored) return { json: { organization: toAnswer(request, { stored }) } }
    if (code.toUpperCase() !== OWN_CODE) throw new ApiError('organization_not_found')
    return { json: { organization: toOrganization(ownOrganization(config.origin), config.origin) } }
  })
}

interface Pages {
  page: number
  limit: number
  total: number
}

/** With the neighbours that exist; a list of one page has no links at all. */
function paginationOf(path: string, parameters: QueryParameters, { page, limit, total }: Pages) {
  const last = Math.ceil(total / limit)
  const kept = parameters.kept()
  const link = (to: number) => ({ href: `${path}?${kept}${kept && '&'}page=${to}` })
  const links = {
    ...(page > 1 && { previous: link(Math.min(page - 1, Math.max(last, 1))) }),
    ...(page < last && { next: link(page + 1) }),
  }
  return {
    count_per_page: limit,
    total_count: total,
    current_page: page,
    total_pages: last,
    ...(Object.keys(links).length > 0 && { _links: links }),
  }
}
