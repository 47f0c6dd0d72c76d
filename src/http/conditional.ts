import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { seesWhole, type View } from './caller.ts'
import { CODINGS, codedTag } from './coding.ts'
import { httpDate } from './http-date.ts'

/**
 * What an answer carries so that a client can ask again, or change, only under a condition (RFC 9110,
 * section 8.8).
 */
export interface Validators {
  /** Strong: equal ones stand for the same bytes. */
  etag: string
  /** Unix time in milliseconds; unknown of what is older than this release. */
  updatedAt?: number | undefined
  /** Whether callers with another view see something else. */
  differs?: boolean
  /** The organization that it belongs to. */
  owner?: unknown
}

/** The headers by which a request is to be carried out only under a condition (RFC 9110, section 13.1). */
type ConditionHeaders = Pick<
  IncomingHttpHeaders,
  'if-match' | 'if-unmodified-since' | 'if-none-match' | 'if-modified-since'
>

/** Of a change, which another thread may make: with the view of the caller, whose ETags it names. */
export type Conditions = ConditionHeaders & { view: View }

/** Longer ones are a 431, with all other headers. */
const CONDITION = { type: 'string', minLength: 1, maxLength: 16_384, 'x-stability': 'beta' } as const

/** For the description: the headers of a change, of a look, and of an answer. */
export const IF_MATCH = {
  'If-Match': {
    ...CONDITION,
    description: 'The ETag that it must still have, in its quotes; else the answer is a 412. `*` for any.',
  },
  'If-Unmodified-Since': {
    ...CONDITION,
    description: 'Without If-Match: a change later than this date is a 412.',
  },
} as const
export const IF_NONE_MATCH = {
  'If-None-Match': {
    ...CONDITION,
    description: 'ETags of answers the client has, in their quotes; one of them is a 304.',
  },
  'If-Modified-Since': {
    ...CONDITION,
    description:
      'Without If-None-Match: the Last-Modified of the answer that the client has; the same is a 304.',
  },
} as const
export const ETAG_HEADER = {
  ETag: {
    type: 'string',
    description: 'Strong: changes with every change (RFC 9110, section 8.8.3).',
    'x-stability': 'beta',
    required: true,
  },
}
export const VALIDATOR_HEADERS = {
  ...ETAG_HEADER,
  'Last-Modified': { type: 'string', description: 'When it was last changed.', 'x-stability': 'beta' },
}

/** For the description: a 304. @param headers those of the 200 that it stands for */
export const notModified = (headers: object) => ({
  type: 'null',
  description: 'It is as the ETag in If-None-Match, or the date in If-Modified-Since, has it.',
  headers,
})

/** The strong ETag of an answer that has no version of its own. */
export function etagOf(...parts: string[]): string {
  return `"${hash('sha256', parts.join('\n'), 'base64url')}"`
}

/** Validators as headers have them. */
interface ShownValidators {
  etag: string
  'last-modified'?: string
}

/**
 * Callers who see different parts of one thing get different ETags for it. The public's has no mark: it
 * does not tell whether there is more to see.
 */
export function validatorHeaders(
  { etag, updatedAt, differs, owner }: Validators,
  view: View,
): ShownValidators & Record<string, string> {
  const own = differs && seesWhole(view, owner) ? etag.replace(/"$/, `.${view}"`) : etag
  return { etag: own, ...(updatedAt && { 'last-modified': new Date(updatedAt).toUTCString() }) }
}

export function conditionsOf({ headers, caller }: Pick<FastifyRequest, 'headers' | 'caller'>): Conditions {
  return {
    view: caller.view,
    'if-match': headers['if-match'],
    'if-unmodified-since': headers['if-unmodified-since'],
    'if-none-match': headers['if-none-match'],
  }
}

/** Whether a change may be made: all conditions in the order of RFC 9110, section 13.2.2. */
export function mayChange(conditions: Conditions | undefined, validators: Validators): boolean {
  if (!conditions) return true
  const shown = validatorHeaders(validators, conditions.view)
  const { 'if-none-match': ifNoneMatch } = conditions
  return (
    isUnchanged(conditions, shown) &&
    (ifNoneMatch === undefined || !names(ifNoneMatch, allTags(shown.etag), /^W\//))
  )
}

/**
 * If-Match, compared strongly, or else If-Unmodified-Since (RFC 9110, sections 13.1.1 and 13.1.4). A
 * change is one of the thing, in whatever coding the client has seen it.
 *
 * @returns whether the request may be carried out
 */
export function isUnchanged(
  { 'if-match': ifMatch, 'if-unmodified-since': since }: ConditionHeaders,
  { etag, 'last-modified': modified }: ShownValidators,
): boolean {
  if (ifMatch !== undefined) return names(ifMatch, allTags(etag))
  if (since === undefined || modified === undefined) return true
  const date = httpDate(since)
  return date === undefined || Date.parse(modified) <= date
}

/**
 * Whether a reader has this already: If-None-Match, compared weakly, or else If-Modified-Since (RFC 9110,
 * sections 13.1.2 and 13.1.3), in the very coding that it is about to get. Its date has to be the very one:
 * after a restore, dates go back.
 */
export function isKnown(
  { 'if-none-match': ifNoneMatch, 'if-modified-since': since }: ConditionHeaders,
  { etag, 'last-modified': modified }: ShownValidators,
): boolean {
  if (ifNoneMatch !== undefined) return ifNoneMatch === etag || names(ifNoneMatch, [etag], /^W\//)
  if (since === undefined || modified === undefined) return false
  return since === modified || httpDate(since) === Date.parse(modified)
}

function names(header: string, etags: string[], ignored = /^$/): boolean {
  const meant = ['*', ...etags]
  return header.split(',').some((one) => meant.includes(one.trim().replace(ignored, '')))
}

/** The ETag of a thing in each coding. */
function allTags(etag: string): string[] {
  return [etag, ...CODINGS.map((coding) => codedTag(etag, coding))]
}
