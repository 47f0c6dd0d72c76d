import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ArgsOf, ChangeName, ResultOf, Writer } from '../db/write.ts'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body's bytes, of a request with an Idempotency-Key. */
    fingerprint?: string
  }
}

/** Visible ASCII, bare or in the quotes of a structured field (RFC 9651, section 3.3.3). */
// Brackets by their number: bare ones in a class are another class to Java.
const KEY = /^(?:"([!#-\x5b\x5d-~]{1,255})"|([!#-~][!-~]{0,254}))$/

/** For the description: of a request, and of its answer. */
export const IDEMPOTENCY_KEY = {
  'Idempotency-Key': {
    type: 'string',
    description:
      'The request takes effect once, however often it is sent within 24 hours: 1 to 255 visible ASCII ' +
      'characters, bare or in quotes, new for every new request.',
    minLength: 1,
    maxLength: 257,
    pattern: KEY.source,
    'x-stability': 'beta',
  },
}
export const REPLAYED = {
  'Idempotent-Replayed': {
    type: 'string',
    description: 'true: this is the result of an earlier request with the same Idempotency-Key.',
    'x-stability': 'beta',
  },
}

/** Makes the change that a request asks for; with an Idempotency-Key only once, and the answer says so. */
export type RequestWrite = <Name extends ChangeName>(
  request: FastifyRequest,
  reply: FastifyReply,
  name: Name,
  ...args: ArgsOf<Name>
) => Promise<ResultOf<Name>>

/** One for the whole service: it knows what is under way. */
export function requestWrites(
  { write, writeOnce }: Pick<Writer, 'write' | 'writeOnce'>,
  clock: () => number,
): RequestWrite {
  const running = new Set<string>()
  return async (request, reply, name, ...args) => {
    const scope = scopeOf(request)
    if (scope === undefined) return write(name, ...args)
    if (running.has(scope)) throw new ApiError('idempotency_key_in_use')
    running.add(scope)
    try {
      const once = { scope, fingerprint: request.fingerprint ?? hash('sha256', ''), now: clock() }
      const { result, replayed } = await writeOnce(once, name, ...args)
      if (replayed) reply.header('idempotent-replayed', 'true')
      return result
    } finally {
      running.delete(scope)
    }
  }
}

/** An Idempotency-Key belongs to a caller with its view, a method and an address, however that is spelled. */
function scopeOf({ headers, caller, method, routeOptions, params }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  const [, quoted, bare] = KEY.exec(String(header)) ?? []
  const key = quoted ?? bare
  if (key === undefined) {
    const message = 'This must be 1 to 255 visible ASCII characters, bare or in quotes, and be sent once.'
    throw new ApiError('invalid_parameter', {
      details: [{ parameter: 'Idempotency-Key', code: 'invalid_value', message }],
    })
  }
  return hash(
    'sha256',
    JSON.stringify([caller.kind, caller.id, caller.view, method, routeOptions.url, params, key]),
  )
}
