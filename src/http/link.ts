import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { makeCursor, type Position } from './cursor.ts'
import { HOST } from './gate.ts'

/** For the API description. */
export const PAGE_HEADERS = {
  Link: {
    type: 'string',
    description: 'Absolute addresses of the first page and, if there is one, the next page (RFC 8288).',
    'x-stability': 'beta',
    required: true,
  },
}

/**
 * The URL under which the client reached the service, including the face's prefix. If BASE_URL is set,
 * returns it. Otherwise uses the headers of a trusted proxy. Never trusts a Host header alone.
 *
 * @param prefix needed when the request reached no route of the face
 */
export function publicBaseUrl(
  config: Config,
  request: FastifyRequest,
  prefix = request.server.prefix,
): string {
  return publicOrigin(config, request) + prefix
}

export function publicOrigin({ origin, baseUrlIsSet }: Config, request: FastifyRequest): string {
  if (baseUrlIsSet || request.headers['x-forwarded-host'] === undefined) return origin
  // Without a trusted proxy, `ips` has only the address of the connection, and its headers are not used.
  if ((request.ips ?? []).length < 2) return origin
  const { protocol, host } = request
  // A proxy may have copied both values from the client.
  const isAddress = ['http', 'https'].includes(protocol) && host !== '' && HOST.test(host)
  return isAddress ? `${protocol}://${host}` : origin
}

/** Validated parameters. A list becomes one parameter per value. */
type Query = Record<string, number | string | (number | string)[] | undefined>

interface CutOptions<Row, At extends Position> {
  limit: number
  /** The sort values of a row. */
  positionOf(row: Row): At
  /** The position to continue at after a page that ended early. Replaces the position of the last row. */
  next?: At | undefined
}

interface PageOptions<Row> extends CutOptions<Row, Position> {
  /** See `makeCursor`. */
  secret: string
  scope: string
  /** The URL of the list, and the query of its first page. */
  address: string
  query: Query
}

/** Cuts rows to one page. If there are more than `limit` rows, a next page exists. */
export function cutToPage<Row, At extends Position>(
  rows: Row[],
  { limit, positionOf, next }: CutOptions<Row, At>,
): { page: Row[]; position: At | undefined } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, position: rows.length > page.length && last ? positionOf(last) : next }
}

/** Cuts rows to a page and makes its Link header. */
export function pageOf<Row>(
  rows: Row[],
  { secret, scope, address, query, ...cut }: PageOptions<Row>,
): { page: Row[]; link: string } {
  const { page, position } = cutToPage(rows, cut)
  const next = position && makeCursor(secret, scope, position)
  return { page, link: pageLinks(address, query, next) }
}

/** The Link header of a page (RFC 8288): `next` if there is a next page, and `first`. */
function pageLinks(address: string, query: Query, next: string | undefined): string {
  const parameters: string[] = []
  for (const [name, value] of Object.entries(query)) {
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value]
    for (const item of values) parameters.push(`${encode(name)}=${encode(String(item))}`)
  }
  const first = parameters.join('&')
  const link = (query: string, rel: string): string => `<${address}${query && '?'}${query}>; rel="${rel}"`
  if (next === undefined) return link(first, 'first')
  return `${link(`${first}${first && '&'}cursor=${next}`, 'next')}, ${link(first, 'first')}`
}

/** Most values are numbers and words, which need no encoding. */
function encode(text: string): string {
  return /^[\w.-]*$/.test(text) ? text : encodeURIComponent(text)
}
