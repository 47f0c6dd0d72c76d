import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { makeCursor, type Position } from './cursor.ts'
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

/** Checked values; a list is a parameter for each of its values. */
type Query = Record<string, number | bigint | string | (number | bigint | string)[] | undefined>

interface PageOptions<Row> {
  limit: number
  /** As for cursors. */
  secret: string
  scope: string
  /** Address of the list, and the query that leads to its first page. */
  address: string
  query: Query
  /** Where a row stands in the order of the list. */
  positionOf(row: Row): Position
  /** Where a page that ends before all that there is has to go on, in the place of its last row. */
  next?: Position | undefined
}

/** Cuts what was found to a page, with its Link header: one row more than asked for tells of a next page. */
export function pageOf<Row>(
  found: Row[],
  { limit, secret, scope, address, query, positionOf, next: goesOnAt }: PageOptions<Row>,
): { page: Row[]; link: string } {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const position = found.length > page.length && last ? positionOf(last) : goesOnAt
  const next = position && makeCursor(secret, scope, position)
  return { page, link: pageLinks(address, query, next) }
}

/** The Link header of a page (RFC 8288): the next one if there is one, and the first. */
function pageLinks(address: string, query: Query, next: string | undefined): string {
  const parameters: string[] = []
  for (const [name, value] of Object.entries(query)) {
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value]
    for (const one of values) parameters.push(`${encoded(name)}=${encoded(String(one))}`)
  }
  const first = parameters.join('&')
  const link = (query: string, rel: string): string => `<${address}${query && '?'}${query}>; rel="${rel}"`
  if (next === undefined) return link(first, 'first')
  return `${link(`${first}${first && '&'}cursor=${next}`, 'next')}, ${link(first, 'first')}`
}

/** Nearly all are numbers and words, whose characters stand for themselves. */
function encoded(text: string): string {
  return /^[\w.-]*$/.test(text) ? text : encodeURIComponent(text)
}
