import type { FastifyReply, FastifyRequest } from 'fastify'
import { isKnown } from './conditional.ts'
import { JSON_TYPE } from './error-body.ts'
import type { Page } from './page-cache.ts'

/** Sends a page, or 304 to who has it; src/ready.ts does the same for who needs no route. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, headers }: Page,
): FastifyReply {
  reply.headers(headers)
  if (isKnown(request.headers['if-none-match'], headers.etag)) return reply.code(304).send()
  // The ready text goes out in the place of the value that the schema made it from.
  return reply.header('content-type', JSON_TYPE).send(body)
}
