import { hash, randomUUID } from 'node:crypto'
import type { FormBody } from '../../../http/form-body.ts'
import { type IdempotencyKey, idempotencyScope } from '../../../http/idempotency.ts'
import type { Visit } from './visit.ts'

/** The hidden form field that has the same effect as an Idempotency-Key. */
export const ONCE = 'once'

export const newOnce = (): string => randomUUID()

/** The running change for each idempotency key. */
const running = new Map<string, Promise<unknown>>()

/**
 * Runs the change of a form once, even if the form is sent twice. The second request waits for the first
 * request and gets the same result.
 */
export async function submitOnce<Result>(
  { request }: Visit,
  form: FormBody,
  run: (key: IdempotencyKey | undefined) => Promise<Result>,
): Promise<Result> {
  const sent = form.get(ONCE)
  if (sent === null) return run(undefined)
  const scope = idempotencyScope(request, sent)
  for (let earlier = running.get(scope); earlier; earlier = running.get(scope))
    await earlier.catch(() => undefined)
  const result = run({ scope, fingerprint: hash('sha256', form.toString()) })
  running.set(scope, result)
  try {
    return await result
  } finally {
    running.delete(scope)
  }
}
