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
type Query = Record<string, number | string | (number | string)[] | undefined>

interface CutOptions<Row, At extends Position> {
  limit: number
  /** Where a row stands in the order of the list. */
  positionOf(row: Row): At
  /** Where a page that ends before all that there is has to go on, in the place of its last row. */
  next?: At | undefined
}

interface PageOptions<Row> extends CutOptions<Row, Position> {
  /** As for cursors. */
  secret: string
  scope: string
  /** Address of the list, and the query that leads to its first page. */
  address: string
  query: Query
}

/** Cuts what was found to a page: one row more than asked for tells of a next one. */
export function cutToPage<Row, At extends Position>(
  found: Row[],
  { limit, positionOf, next }: CutOptions<Row, At>,
): { page: Row[]; position: At | undefined } {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return { page, position: found.length > page.length && last ? positionOf(last) : next }
}

/** The same with its Link header. */
export function pageOf<Row>(
  found: Row[],
  { secret, scope, address, query, ...cut }: PageOptions<Row>,
): { page: Row[]; link: string } {
  const { page, position } = cutToPage(found, cut)
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
