import type { FastifyReply, FastifyRequest } from 'fastify'

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

export function setValidators(reply: FastifyReply, { etag, updatedAt }: Validators): void {
  reply.header('etag', etag)
  if (updatedAt) reply.header('last-modified', new Date(updatedAt).toUTCString())
}

/** Whether the client has this already: If-None-Match, compared weakly (RFC 9110, section 13.1.2). */
export function isKnown(request: FastifyRequest, etag: string): boolean {
  const header = request.headers['if-none-match']
  return header !== undefined && names(header, etag, /^W\//)
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
