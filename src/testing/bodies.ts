import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { startApp, type TestApp } from './start-app.ts'

// Helpers for tests of request bodies.

/** Splits cases at |. A text with | takes fewer lines than an array. */
export const list = (...lines: string[]): string[] => lines.join('|').split('|')

export const REX = { name: 'Rex', categoryId: 1 }

/** Starts a service with an unlimited key and one animal. */
export async function startUnlimited(t: TestContext): Promise<TestApp> {
  const app = await startApp(t, { key: { plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } } })
  await app.post('/v1/pets', REX)
  return app
}

/** Fails unless the list still contains exactly the first animal. */
export async function assertUnchanged({ get }: TestApp): Promise<void> {
  assert.deepEqual((await get('/v1/pets?limit=100')).body, [{ id: 1, ...REX }])
}
