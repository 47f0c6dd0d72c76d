import { hash } from 'node:crypto'

/**
 * What an answer carries so that a client can ask again, or change, only under a condition (RFC 9110,
 * section 8.8).
 */
export interface Validators {
  /** Strong: equal ones stand for the same bytes. */
  etag: string
  /** Unix time in milliseconds; unknown of what is older than this release. */
  updatedAt?: number | undefined
}

/** For the description: the headers of a change, of a look, and of an answer. */
export const IF_MATCH = {
  'If-Match': {
    type: 'string',
    description: 'The ETag that it must still have; else the answer is a 412.',
    'x-stability': 'beta',
  },
} as const
export const IF_NONE_MATCH = {
  'If-None-Match': {
    type: 'string',
    description: 'ETags of answers the client has; one of them is a 304.',
    'x-stability': 'beta',
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
  description: 'It is as the ETag in If-None-Match has it.',
  headers,
})

/** The strong ETag of an answer that has no version of its own. */
export function etagOf(...parts: string[]): string {
  return `"${hash('sha256', parts.join('\n'), 'base64url')}"`
}

export function validatorHeaders({ etag, updatedAt }: Validators): { etag: string } & Record<string, string> {
  return { etag, ...(updatedAt && { 'last-modified': new Date(updatedAt).toUTCString() }) }
}

/** Whether the client has this already: If-None-Match, compared weakly (RFC 9110, section 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch === etag || (ifNoneMatch !== undefined && names(ifNoneMatch, etag, /^W\//))
}

/**
 * The condition of a change: If-Match, compared strongly (RFC 9110, section 13.1.1).
 *
 * @returns whether the change may go on
 */
export function isMatch(ifMatch: string | undefined, etag: string): boolean {
  return ifMatch === undefined || names(ifMatch, etag)
}

function names(header: string, etag: string, ignored = /^$/): boolean {
  return header.split(',').some((one) => ['*', etag].includes(one.trim().replace(ignored, '')))
}
