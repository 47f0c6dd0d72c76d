import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.ts'

/** The length of a signature. 22 base64url characters hold 132 bits. */
const SIGNATURE_CHARACTERS = 22
const CURSOR_PATTERN = /^([\w-]{22})([\w-]+)$/

/** The sort values of the last row that a client got. No other row has the same values. */
export type Position = readonly (number | string)[]

/**
 * Makes a cursor: a signed position that a client can send back. The signature covers the scope, which names
 * the filters and the order. A cursor never expires, and stays valid after its row is deleted.
 */
export function makeCursor(secret: string, scope: string, position: Position): string {
  const text = Buffer.from(JSON.stringify(position).slice(1, -1)).toString('base64url')
  return sign(secret, scope, text) + text
}

/** @throws {ApiError} invalid_cursor when the cursor was changed or belongs to another scope */
export function readCursor<Read extends Position>(secret: string, scope: string, cursor: string): Read {
  const [, signature = '', text = ''] = CURSOR_PATTERN.exec(cursor) ?? []
  if (!signature || !timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, scope, text)))) {
    throw new ApiError('invalid_cursor', {
      details: [
        {
          parameter: 'cursor',
          code: 'invalid_value',
          message: 'This cursor is not valid. Copy it unchanged from a Link header.',
        },
      ],
    })
  }
  // The signature proves that this service made the position for this scope.
  return JSON.parse(`[${Buffer.from(text, 'base64url')}]`)
}

/** Signs a text. A SHA-3 hash of a secret and a text is a safe signature; with SHA-2, it would need HMAC. */
function sign(secret: string, scope: string, text: string): string {
  return hash('sha3-256', `${secret} ${text} ${scope}`, 'base64url').slice(0, SIGNATURE_CHARACTERS)
}

/** For the API description. */
export const PAGE_HEADERS = {
  Link: {
    type: 'string',
    description: 'Absolute addresses of the first page and, if there is one, the next page (RFC 8288).',
    'x-stability': 'beta',
    required: true,
  },
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
