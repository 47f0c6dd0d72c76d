import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { etagOf } from '../../http/conditional.ts'
import { parseInt64 } from '../../http/int64.ts'
import type { NewPage } from '../../http/page-cache.ts'
import { findPage, sendFound, sendPage } from '../../http/send-page.ts'
import * as organizations from '../../organizations/store.ts'
import type { RenderOptions } from '../../pets/row.ts'
import { finderOf } from '../../pets/search/filters.ts'
import * as pets from '../../pets/store.ts'
import { photosBaseUrl } from '../../photos/storage/stored-photo.ts'
import { animalPages } from './animal-pages.ts'
import { toAnimalList } from './animal-query.ts'
import type { AnimalPage, PageBounds } from './animal-reader.ts'
import { type FoundOrganization, organizationPages } from './organization-pages.ts'
import { PARAMETERS, type QueryParameters, readParameters } from './parameters.ts'
import { OWN_CODE, ownOrganization, PREFIX, SELECTION, toAnimals, toOrganization } from './shapes.ts'
import {
  type Categories,
  categoriesReader,
  colorsOf,
  listBreeds,
  TYPES,
  type Type,
  typeNamed,
} from './words.ts'

/** The response of a route, and the time for which it may be cached. */
interface JsonAnswer extends Pick<NewPage, 'isVolatile' | 'until' | 'bounds'> {
  json: object
}

/** Adds a route. @param parameters tests whether the route reads a query parameter */
type AddRoute = <Params>(
  path: string,
  read: (request: FastifyRequest, params: Params) => Promise<JsonAnswer>,
  parameters?: (name: string) => boolean,
) => void

/** Adds all routes for reading. They need a token, and answer from the cache until data changes. */
export function readRoutes(app: App, context: Context): void {
  const readCategories = categoriesReader(context)
  const addRoute: AddRoute = (path, read, parameters = () => false) => {
    app.get(path, { config: { access: 'read', parameters } }, async (request, reply) => {
      const readPage = async () => toNewPage(await read(request, request.params as never))
      return sendPage(request, reply, context, readPage)
    })
  }
  animalRoutes(app, addRoute, context, readCategories)
  typeRoutes(addRoute, context, readCategories)
  organizationRoutes(addRoute, context)
}

function toNewPage({ json, ...validity }: JsonAnswer): NewPage {
  const body = JSON.stringify(json)
  return { body, headers: { etag: etagOf(body) }, ...validity }
}

type ReadCategories = () => Promise<Categories>

function animalRoutes(app: App, addRoute: AddRoute, context: Context, readCategories: ReadCategories): void {
  const { config, db } = context
  const readerFor = animalPages(finderOf(context), context)
  const show = (request: FastifyRequest): RenderOptions => ({
    view: 'public',
    photosBase: photosBaseUrl(config, request),
  })

  // The cache does not answer before this route, because the route remembers which pages a client reads.
  const listConfig = { access: 'read', parameters: PARAMETERS.animals, isPersonal: true } as const
  app.get('/animals', { config: listConfig }, async (request, reply) => {
    const parameters = readParameters(request.url, PARAMETERS.animals)
    const categories = await readCategories()
    const list = await toAnimalList(parameters, context, categories)
    const client = request.caller.name
    const toPage = async (found: AnimalPage, isVolatile: boolean): Promise<NewPage> => {
      const { animals, total, start, next } = found
      const { until, count } = total
      const pages = { page: list.page, limit: list.limit, total: count }
      const json = {
        animals: await toAnimals(context, animals, categories),
        pagination: paginationOf(`${PREFIX}/animals`, parameters, pages),
      }
      return toNewPage({ json, isVolatile, bounds: { start, next }, ...(until && { until }) })
    }
    const reader = readerFor(list, client, parameters, show(request))
    let own = await reader.own()
    if (!own) {
      const page = await findPage(request, context, async () => toPage(await reader.shared(), false))
      const bounds = page.bounds as PageBounds
      if (!reader.fits(bounds)) own = await reader.own(true)
      if (!own) {
        reader.remember(bounds.next)
        return sendFound(request, reply, context, page)
      }
    }
    const answer = own
    request.variant = client
    return sendPage(request, reply, context, () => toPage(answer, true))
  })

  addRoute<{ id: string }>('/animals/:id', async (request, { id }) => {
    const categories = await readCategories()
    const found = await pets.findView(db, idIn(id), show(request), SELECTION)
    const [animal] = found ? await toAnimals(context, [found], categories) : []
    if (!animal) throw new ApiError('pet_not_found')
    return { json: { animal } }
  })
}

/** Reads the id from the leading digits, as the original API did. @throws {ApiError} pet_not_found */
function idIn(text: string): number {
  const [digits = ''] = /^[1-9]\d{0,18}/.exec(text) ?? []
  const id = parseInt64(digits)
  if (id === undefined) throw new ApiError('pet_not_found')
  return id
}

interface TypeParams {
  type: string
}

function typeRoutes(addRoute: AddRoute, { db }: Context, readCategories: ReadCategories): void {
  addRoute('/types', async () => ({ json: { types: TYPES.map(toType) } }))

  addRoute<TypeParams>('/types/:type', async (_request, params) => ({
    json: { type: toType(typeIn(params)) },
  }))

  addRoute<TypeParams>('/types/:type/breeds', async (_request, params) => {
    const type = typeIn(params)
    const names = await listBreeds(db, (await readCategories()).typeOf, type)
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
function typeIn({ type: name }: TypeParams): Type {
  const type = typeNamed(name)
  if (!type) throw new ApiError('category_not_found')
  return type
}

function organizationRoutes(addRoute: AddRoute, context: Context): void {
  const { config, db } = context
  const readPage = organizationPages(context)
  const toAnswer = (request: FastifyRequest, { stored, distanceMeters }: FoundOrganization) => {
    const view = organizations.toView(stored, photosBaseUrl(config, request))
    return toOrganization({ ...view, distanceMeters }, config.origin)
  }

  const readOrganizations = async (request: FastifyRequest): Promise<JsonAnswer> => {
    const parameters = readParameters(request.url, PARAMETERS.organizations)
    const { found, page, limit, total } = await readPage(parameters)
    return {
      json: {
        organizations: found.map((one) => toAnswer(request, one)),
        pagination: paginationOf(`${PREFIX}/organizations`, parameters, { page, limit, total }),
      },
    }
  }
  addRoute('/organizations', readOrganizations, PARAMETERS.organizations)

  addRoute<{ id: string }>('/organizations/:id', async (request, { id: code }) => {
    const id = await organizations.findIdByCode(db, code)
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

/** The pagination object. It has no link to a page that does not exist, and no `_links` for a single page. */
function paginationOf(path: string, parameters: QueryParameters, { page, limit, total }: Pages) {
  const last = Math.ceil(total / limit)
  const query = parameters.pageQuery()
  const link = (number: number) => ({ href: `${path}?${query}${query && '&'}page=${number}` })
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
