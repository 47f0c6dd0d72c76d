import type { FastifyReply, FastifyRequest } from 'fastify'
import { isKnown } from './conditional.ts'
import type { Page } from './page-cache.ts'

/** Sends a page, or 304 to who has it; src/ready.ts does the same for who needs no route. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, headers, allHeaders }: Page,
): FastifyReply {
  if (isKnown(request.headers['if-none-match'], headers.etag)) return reply.code(304).headers(headers).send()
  // The ready text goes out in the place of the value that the schema made it from.
  return reply.headers(allHeaders).send(body)
}
