import type { FastifyReply, FastifyRequest } from 'fastify'
import { isKnown } from './conditional.ts'
import type { Page } from './page-cache.ts'

/**
 * Answers with a page, or with 304 to who has it; src/ready.ts does the same for who needs no route.
 *
 * @returns what a route has to return: the ready text goes out in the place of what the schema made it from
 */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, headers, allHeaders }: Page,
): never {
  const known = isKnown(request.headers['if-none-match'], headers.etag)
  if (known) reply.code(304).headers(headers)
  else reply.headers(allHeaders)
  return (known ? undefined : body) as never
}
