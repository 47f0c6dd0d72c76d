import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { seesInternalData, type View } from './caller.ts'
import { CODINGS, encodedEtag } from './compress.ts'

/** The validators of a response (RFC 9110, section 8.8). */
export interface Validators {
  /** Strong: equal ETags mean equal bytes. */
  etag: string
  /** Unix time in milliseconds; absent for rows older than this release. */
  updatedAt?: number | undefined
  /** True if the resource looks different to callers with another view. */
  variesByView?: boolean
  /** The organization that the resource belongs to. */
  owner?: unknown
}

/** Conditional request headers (RFC 9110, section 13.1). */
type ConditionHeaders = Pick<
  IncomingHttpHeaders,
  'if-match' | 'if-unmodified-since' | 'if-none-match' | 'if-modified-since'
>

/** The conditions of a change, in a form that can be cloned for the writer thread. ETags differ by view. */
export type Conditions = ConditionHeaders & { view: View }

/** Node answers 431 to longer headers, because the size of all headers together is limited. */
const CONDITION = { type: 'string', minLength: 1, maxLength: 16_384, 'x-stability': 'beta' } as const

/** For the API description: request headers of changes and reads, and response headers. */
export const IF_MATCH = {
  'If-Match': {
    ...CONDITION,
    description:
      'The ETag that the resource must still have, in quotes, or `*` for any. Otherwise the answer is a 412.',
  },
  'If-Unmodified-Since': {
    ...CONDITION,
    description: 'If the resource has changed since this date, the answer is a 412. Ignored with If-Match.',
  },
} as const
export const IF_NONE_MATCH = {
  'If-None-Match': {
    ...CONDITION,
    description:
      'ETags of answers that the client has, in quotes. If one of them is current, the answer is a 304.',
  },
  'If-Modified-Since': {
    ...CONDITION,
    description:
      'The Last-Modified of the answer that the client has. If it is current, the answer is a 304. Ignored ' +
      'with If-None-Match.',
  },
} as const
export const ETAG_HEADER = {
  ETag: {
    type: 'string',
    description: 'A strong ETag: changes whenever the content changes (RFC 9110, section 8.8.3).',
    'x-stability': 'beta',
    required: true,
  },
}
export const VALIDATOR_HEADERS = {
  ...ETAG_HEADER,
  'Last-Modified': {
    type: 'string',
    description: 'When the resource was last changed.',
    'x-stability': 'beta',
  },
}

/** For the API description: a 304 response. @param headers the headers of the matching 200 */
export const notModifiedResponse = (headers: object) => ({
  type: 'null',
  description:
    'Not changed since the answer with the ETag in If-None-Match, or the date in If-Modified-Since.',
  headers,
})

/** Computes a strong ETag for a response without a stored version. */
export function etagOf(...parts: string[]): string {
  return `"${hash('sha256', parts.join('\n'), 'base64url')}"`
}

interface ValidatorHeaders {
  etag: string
  'last-modified'?: string
}

/** The ETag depends on the view. The public one has no suffix, so it does not reveal private parts. */
export function validatorHeaders(
  { etag, updatedAt, variesByView, owner }: Validators,
  view: View,
): ValidatorHeaders & Record<string, string> {
  const etagInView = variesByView && seesInternalData(view, owner) ? etag.replace(/"$/, `.${view}"`) : etag
  return { etag: etagInView, ...(updatedAt && { 'last-modified': new Date(updatedAt).toUTCString() }) }
}

export function conditionsOf({ headers, caller }: Pick<FastifyRequest, 'headers' | 'caller'>): Conditions {
  return {
    view: caller.view,
    'if-match': headers['if-match'],
    'if-unmodified-since': headers['if-unmodified-since'],
    'if-none-match': headers['if-none-match'],
  }
}

/** Checks whether a change may be made, in the order of RFC 9110, section 13.2.2. */
export function meetsConditions(conditions: Conditions | undefined, validators: Validators): boolean {
  if (!conditions) return true
  const headers = validatorHeaders(validators, conditions.view)
  const { 'if-none-match': ifNoneMatch } = conditions
  return (
    meetsIfMatch(conditions, headers) &&
    (ifNoneMatch === undefined || !listsAny(ifNoneMatch, allEtags(headers.etag), /^W\//))
  )
}

/**
 * Evaluates If-Match with strong comparison, or else If-Unmodified-Since (RFC 9110, sections 13.1.1 and
 * 13.1.4). Accepts the ETag of any coding, because a change concerns the resource.
 */
export function meetsIfMatch(
  { 'if-match': ifMatch, 'if-unmodified-since': since }: ConditionHeaders,
  { etag, 'last-modified': modified }: ValidatorHeaders,
): boolean {
  if (ifMatch !== undefined) return listsAny(ifMatch, allEtags(etag))
  if (since === undefined || modified === undefined) return true
  const date = parseHttpDate(since)
  return date === undefined || Date.parse(modified) <= date
}

/**
 * Checks whether the client already has the current response, so the answer can be a 304. Evaluates
 * If-None-Match with weak comparison. Without If-None-Match, evaluates If-Modified-Since (RFC 9110, sections
 * 13.1.2 and 13.1.3). The ETag must belong to the negotiated coding. The date must equal the current one,
 * because a restore can set it back.
 */
export function isNotModified(
  { 'if-none-match': ifNoneMatch, 'if-modified-since': since }: ConditionHeaders,
  { etag, 'last-modified': modified }: ValidatorHeaders,
): boolean {
  if (ifNoneMatch !== undefined) return ifNoneMatch === etag || listsAny(ifNoneMatch, [etag], /^W\//)
  if (since === undefined || modified === undefined) return false
  return since === modified || parseHttpDate(since) === Date.parse(modified)
}

function listsAny(header: string, etags: string[], ignoredPrefix = /^$/): boolean {
  const candidates = ['*', ...etags]
  return header.split(',').some((item) => candidates.includes(item.trim().replace(ignoredPrefix, '')))
}

/** The ETag of a resource in each coding. */
function allEtags(etag: string): string[] {
  return [etag, ...CODINGS.map((coding) => encodedEtag(etag, coding))]
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`
const SHORT_DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'

/** The current date format, and two obsolete formats that recipients must also accept. */
const FORMATS = [
  String.raw`${SHORT_DAY}, (?<day>\d\d) ${MONTH} (?<year>\d{4}) ${TIME} GMT`,
  String.raw`${LONG_DAY}, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} GMT`,
  String.raw`${SHORT_DAY} ${MONTH} (?<day>\d\d| \d) ${TIME} (?<year>\d{4})`,
].map((format) => new RegExp(`^${format}$`))

/** Parses an HTTP date (RFC 9110, section 5.6.7) strictly. @returns Unix milliseconds, or undefined */
export function parseHttpDate(text: string): number | undefined {
  const match = FORMATS.map((format) => format.exec(text)?.groups).find((groups) => groups !== undefined)
  if (!match) return undefined
  const { day, month = '', year = '', hour, minute, second } = match
  const date = [fullYear(year), MONTHS.indexOf(month), Number(day)] as const
  const time = Date.UTC(...date, Number(hour), Number(minute), Number(second))
  const normalized = new Date(time)
  // Date.UTC would turn an invalid date, such as 31 February or an hour 25, into another time.
  const isSame = normalized.getUTCDate() === date[2] && normalized.getUTCHours() === Number(hour)
  return isSame && Number(minute) < 60 && Number(second) < 60 ? time : undefined
}

/** Converts a year of two digits. Years below 70 belong to the century that began in 2000. */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year)
  return Number(year) + (Number(year) < 70 ? 2_000 : 1_900)
}
