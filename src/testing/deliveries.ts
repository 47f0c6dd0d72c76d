import type { TestContext } from 'node:test'
import type { Delivery } from '../webhooks/schema.ts'
import type { ReceivedDelivery } from './receiver.ts'
import { until } from './redis.ts'
import { startApp, type TestApp, UNLIMITED } from './start-app.ts'

// Webhooks in tests.

export const REX = { name: 'Rex', categoryId: 1, status: 'available' }

/** Options of a service that sends events to receivers on this machine. */
export const SENDING = {
  key: { ...UNLIMITED, access: 'admin' },
  settings: { WEBHOOK_ALLOW_NETWORKS: 'loopback' },
} as const

/** Starts such a service with two organizations. */
export async function startWithTwo(t: TestContext) {
  const app = await startApp(t, SENDING)
  for (const code of ['A1', 'B2']) await app.post('/v1/organizations', { name: code, code })
  const add = async (webhook: object, key = app.key) =>
    (await app.post('/v1/webhooks', webhook, { authorization: `Bearer ${key}` })).body
  return { ...app, add }
}

/** Reads deliveries until one fits, because the service stores the result after the response. */
export async function untilDelivery(
  { get }: Pick<TestApp, 'get'>,
  webhookId: number,
  fits: (delivery: Delivery) => boolean,
): Promise<Delivery> {
  let found: Delivery | undefined
  await until(async () => {
    const { status, body } = await get(`/v1/webhooks/${webhookId}/deliveries`)
    found = status === 200 ? body.find(fits) : undefined
    return found !== undefined
  })
  return found as unknown as Delivery
}

export const payloadOf = ({ body }: ReceivedDelivery) => JSON.parse(body)
