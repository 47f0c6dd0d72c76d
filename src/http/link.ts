import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { makeCursor } from './cursor.ts'
import { HOST } from './well-formed.ts'

/** For the description. */
export const PAGE_HEADERS = {
  Link: {
    type: 'string',
    description: 'The first page and, if there is one, the next (RFC 8288), as absolute addresses.',
    'x-stability': 'beta',
    required: true,
  },
}

/**
 * The address, with the face's prefix, under which the client reached the service: the one that the operator
 * set, or else the one that a trusted proxy forwarded, which also says for whom. A Host header alone is not
 * believed.
 *
 * @param prefix of a face whose routes the request did not reach
 */
export function publicBase(config: Config, request: FastifyRequest, prefix = request.server.prefix): string {
  return publicOrigin(config, request) + prefix
}

export function publicOrigin({ origin, baseUrlIsSet }: Config, request: FastifyRequest): string {
  if (baseUrlIsSet || request.headers['x-forwarded-host'] === undefined) return origin
  // Behind a trusted proxy there is the address of the client too.
  if ((request.ips ?? []).length < 2) return origin
  const { protocol, host } = request
  // A proxy may have taken both from the client.
  const isAddress = ['http', 'https'].includes(protocol) && host !== '' && HOST.test(host)
  return isAddress ? `${protocol}://${host}` : origin
}

/** Checked values: numbers and words, whose characters all stand for themselves in a query, as a cursor's do. */
type Query = Record<string, number | bigint | string | (number | bigint)[] | undefined>

interface PageOptions {
  limit: number
  /** As for cursors. */
  secret: string
  scope: string
  /** Address of the list, and the query that leads to its first page. */
  address: string
  query: Query
  /** Behind which id the page begins, and whether it ends before all that there is: the walk goes on then. */
  after?: number | undefined
  cut?: boolean
}

/** Cuts what was found to a page, with its Link header: one row more than asked for tells of a next page. */
export function pageOf<Row extends { id: number }>(
  found: Row[],
  { limit, secret, scope, address, query, after = 0, cut }: PageOptions,
): { page: Row[]; link: string } {
  const page = found.slice(0, limit)
  const goesOn = cut || found.length > page.length
  const next = goesOn ? makeCursor(secret, scope, page.at(-1)?.id ?? after) : undefined
  return { page, link: pageLinks(address, query, next) }
}

/** The Link header of a page (RFC 8288): the next one if there is one, and the first. */
function pageLinks(address: string, query: Query, next: string | undefined): string {
  const parameters: string[] = []
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) parameters.push(...value.map((one) => `${name}=${one}`))
    else if (value !== undefined) parameters.push(`${name}=${value}`)
  }
  const first = parameters.join('&')
  const link = (query: string, rel: string): string => `<${address}${query && '?'}${query}>; rel="${rel}"`
  if (next === undefined) return link(first, 'first')
  return `${link(`${first}${first && '&'}cursor=${next}`, 'next')}, ${link(first, 'first')}`
}
