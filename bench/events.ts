import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { changes } from '../src/changes.ts'
import { openForCommand } from '../src/db/open-database.ts'
import { makeKey as addKey, UNLIMITED } from '../src/testing/start-app.ts'
import { megabytesOf } from '../torture/lab/proc.ts'
import { load } from './load.ts'
import { fine, spread } from './report.ts'
import { addAnimals, ask, type Door, get, NEW_PET, post, record } from './requests.ts'
import { makeKey, startService, withOwnDatabase } from './servers.ts'

const [FEED_READS, STREAM_KEYS, STREAMS_PER_KEY, DELIVERIES] = [40, 200, 5, 300]
const WEBHOOK = { types: '["category.created"]', secret: 'whsec_AAAA', created_at: 0, last_event_id: 0 }
async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}

/** Listens on all addresses of this machine. */
async function startReceiver(onDelivery: (response: unknown) => void) {
  const server = http.createServer((_request, response) => onDelivery(response.writeHead(204).end()))
  await new Promise<void>((listening) => server.listen(0, listening))
  return { port: (server.address() as { port: number }).port, close: () => void server.close() }
}

async function open(databaseUrl: string, workers = 1, redisUrl = '') {
  const store = { databaseUrl, redisUrl, settings: { WEBHOOK_ALLOW_NETWORKS: 'loopback' } }
  await makeKey(store)
  const key = await addKey(databaseUrl, { ...UNLIMITED, access: 'admin' })
  const service = await startService(store, { workers })
  const door: Door = { port: service.port, key }
  await addAnimals(door)
  return { service, door, readMb: megabytesOf.bind(null, service.pid) }
}
type Opened = Awaited<ReturnType<typeof open>>

async function readFeed({ door }: Opened): Promise<number[]> {
  const read = async () => (await ask(door, get('/v1/events?limit=1000'))).text()
  const times: number[] = []
  while (times.length < 2 * FEED_READS) times.push(await millisecondsOf(read))
  return times.slice(FEED_READS)
}

/** The memory of idle streams, and the p99 of reads with them, divided by the p99 before. */
async function openStreams({ door, readMb }: Opened, databaseUrl: string, seconds: number) {
  const keys: string[] = []
  while (keys.length < STREAM_KEYS) keys.push(await addKey(databaseUrl, { access: 'read' }))
  const pages = await record(door, [get('/v1/pets')])
  const readP99 = async () => (await load(door.port, pages, { seconds })).p99Ms
  await readP99()
  const [p99, mb] = [await readP99(), readMb('now')]
  const owners = keys.flatMap((key) => new Array<string>(STREAMS_PER_KEY).fill(key))
  const streams = await Promise.all(owners.map((key) => ask({ ...door, key }, get('/v1/events/stream'))))
  await pause(3_000)
  const figures = { mb: readMb('now') - mb, ratio: (await readP99()) / p99 }
  await Promise.all(streams.map(({ body }) => body?.cancel()))
  return figures
}

/** The p50 and p99 of the times from the response to a create until its delivery. */
async function deliver({ door }: Opened): Promise<number[]> {
  let arrived = Promise.withResolvers<void>()
  const { port, close } = await startReceiver(() => arrived.resolve())
  await ask(door, post('/v1/webhooks', `{"url":"http://127.0.0.1:${port}/","types":["pet.created"]}`))
  const times: number[] = []
  while (times.length < DELIVERIES) {
    arrived = Promise.withResolvers()
    await ask(door, post('/v1/pets', NEW_PET))
    times.push(await millisecondsOf(() => arrived.promise))
    // The creates happen at different times within the intervals of the service.
    await pause(times.length % 50)
  }
  close()
  return [0.5, 0.99].map((part) => times.toSorted((a, b) => a - b)[DELIVERIES * part] ?? Number.NaN)
}

/** Sends one event to many endpoints. @returns seconds, and MB at the peak above the memory before */
async function fanOut({ door, readMb }: Opened, databaseUrl: string, endpoints: number): Promise<number[]> {
  const arrived = Promise.withResolvers<void>()
  let missing = endpoints
  const { port, close } = await startReceiver(() => --missing === 0 && arrived.resolve())
  const store = await openForCommand(databaseUrl, changes)
  const urlOf = (_: unknown, index: number) => `http://127.0.${index % 200}.1:${port}/${index}`
  const rows = Array.from({ length: endpoints }, urlOf).map((url) => ({ ...WEBHOOK, url }))
  while (rows.length > 0) await store.db.insertInto('webhook').values(rows.splice(0, 999)).execute()
  await store.close()
  const mb = readMb('now')
  await ask(door, post('/v1/categories', '{"name":"Alpacas"}'))
  const seconds = (await millisecondsOf(() => arrived.promise)) / 1_000
  close()
  return [seconds, readMb('max') - mb]
}

/** Measures one process on SQLite and, with BENCH_DATABASE_URL and BENCH_REDIS_URL, two on PostgreSQL. @returns rows of a table */
export async function measureEvents(seconds: number, endpoints: number, folder: string): Promise<string[][]> {
  const databaseUrl = `sqlite:${join(folder, 'events.db')}`
  const one = await open(databaseUrl)
  const { median, least, most } = spread(await readFeed(one))
  const { mb, ratio } = await openStreams(one, databaseUrl, seconds)
  const delivered = await deliver(one)
  const many = await fanOut(one, databaseUrl, endpoints)
  await one.service.stop()
  const { BENCH_DATABASE_URL: server, BENCH_REDIS_URL: redis } = process.env
  async function deliverShared(url: string): Promise<number[]> {
    const two = await open(url, 2, redis)
    const times = await deliver(two)
    await two.service.stop()
    return times
  }
  const shared = server && redis ? await withOwnDatabase(server, deliverShared) : []
  return [
    ['events', 'measured', 'target'],
    ['feed of 1,000 events, ms', `${fine(median)} (${fine(least)}..${fine(most)})`, '≤ 10'],
    ['1,000 idle streams, MB', fine(mb), '≤ 20'],
    ['p99 of reads with streams, ratio', fine(ratio), '1'],
    ['delivered after, p50 / p99 in ms', delivered.map(fine).join(' / '), '≤ 50 / 1,000'],
    ['the same, two processes on PostgreSQL', shared.map(fine).join(' / ') || '-', '≤ 50 / 2,000'],
    [`${endpoints} endpoints, s / MB above before`, many.map(fine).join(' / '), ''],
  ]
}
