import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { startApp, type TestApp } from './start-app.ts'

// For tests of how bodies are read.

/** Cases in as few lines as they need. */
export const list = (...lines: string[]): string[] => lines.join('|').split('|')

export const REX = { name: 'Rex', categoryId: 1 }

/** A service with a key that the limits never stop, and an animal whose list must stay as it is. */
export async function startUnlimited(t: TestContext): Promise<TestApp> {
  const app = await startApp(t, { key: { plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } } })
  await app.post('/v1/pets', REX)
  return app
}

export async function assertUnchanged({ get }: TestApp): Promise<void> {
  assert.deepEqual((await get('/v1/pets?limit=100')).body, [{ id: 1, ...REX }])
}
