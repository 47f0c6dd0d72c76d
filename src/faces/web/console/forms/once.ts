import { hash, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { FormBody } from '../../../../http/form-body.ts'

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
  run: () => Promise<Result>,
): Promise<Result> {
  const key = form.get(ONCE)
  if (key === null) return run()
  request.headers['idempotency-key'] = key
  request.fingerprint = hash('sha256', form.toString())
  const name = `${request.caller.id} ${request.url} ${key}`
  for (let before = underWay.get(name); before; before = underWay.get(name))
    await before.catch(() => undefined)
  const running = run()
  underWay.set(name, running)
  try {
    return await running
  } finally {
    underWay.delete(name)
  }
}
