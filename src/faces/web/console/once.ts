import { hash, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { FormBody } from '../../../http/form-body.ts'
import { type OnceKey, scopeOf } from '../../../http/idempotency.ts'

/** Of a form: what stands for its Idempotency-Key. */
export const ONCE = 'once'

export const newOnce = (): string => randomUUID()

/** What runs under each key. */
const underWay = new Map<string, Promise<unknown>>()

/**
 * Runs the change that a form asks for: sent twice, by somebody who clicks twice, it is made once. The second
 * waits for the first, and gets what that got.
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
