import type { FastifyReply, FastifyRequest } from 'fastify'
import { isKnown } from './conditional.ts'
import type { Page } from './page-cache.ts'

/**
 * Answers with a page, or with 304 to who has it; src/ready.ts does the same for who needs no route.
 *
 * @returns what the route has to give back: the ready text, in the place of what the schema makes it from
 */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, headers, allHeaders }: Page,
): string | undefined {
  if (isKnown(request.headers['if-none-match'], headers.etag)) {
    reply.code(304).headers(headers)
    return undefined
  }
  reply.headers(allHeaders)
  return body
}
