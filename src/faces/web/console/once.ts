import { hash, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { FormBody } from '../../../http/form-body.ts'
import { type OnceKey, scopeOf } from '../../../http/idempotency.ts'

/** The hidden field of a form that works like an Idempotency-Key. */
export const ONCE = 'once'

export const newOnce = (): string => randomUUID()

/** The running change of each key. */
const underWay = new Map<string, Promise<unknown>>()

/**
 * Runs the change of a form once, even if somebody clicks twice. The second request waits for the first one,
 * and gets the same result.
 */
export async function runOnce<Result>(
  request: FastifyRequest,
  form: FormBody,
  run: (key: OnceKey | undefined) => Promise<Result>,
): Promise<Result> {
  const sent = form.get(ONCE)
  if (sent === null) return run(undefined)
  const scope = scopeOf(request, sent)
  for (let before = underWay.get(scope); before; before = underWay.get(scope))
    await before.catch(() => undefined)
  const running = run({ scope, fingerprint: hash('sha256', form.toString()) })
  underWay.set(scope, running)
  try {
    return await running
  } finally {
    underWay.delete(scope)
  }
}
