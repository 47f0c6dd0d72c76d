import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { changes } from '../src/changes.ts'
import { openForCommand } from '../src/db/open-database.ts'
import { listSources } from '../src/follow/store.ts'
import { ask, get } from './requests.ts'
import { makeKey, startService } from './servers.ts'

// A directory that follows many sources. One server in this process stands for all of them.

export const FULL_SIZE = { sources: 200, animals: 500, seconds: 60 }
export const QUICK_SIZE: Size = { sources: 3, animals: 150, seconds: 2 }
type Size = typeof FULL_SIZE

type Item = { id: number; source: string; data: { petId: number } }

const TEXT = 'Walks well on the lead, sleeps through the night and likes other dogs. '.repeat(8)

/** Each source changes one animal a second, the next one each time. The clock is the only state. */
function openSources({ sources, animals }: Size) {
  const begun = Date.now()
  const timeOf = (source: number, change: number) => begun + (source / sources + change + 1) * 1_000
  const countOf = (source: number) => Math.floor((Date.now() - begun) / 1_000 - source / sources)
  const latestOf = (source: number, id: number) =>
    countOf(source) - 1 - ((countOf(source) - id + animals) % animals)
  const petOf = (source: number) => (id: number) => ({
    ...{ id, name: `Rex ${id} ${latestOf(source, id)}`, categoryId: 1, status: 'available' },
    ...{ organizationId: 1, breed: { primary: 'Beagle' }, age: 'adult', description: TEXT },
  })
  const numbers = (from: number, to: number) => [...Array(to).keys()].slice(from)
  const position = (count: number) => String(Math.max(count, 0)).padStart(16, '0')
  const answers: Record<string, (source: number, query: URLSearchParams) => unknown[]> = {
    events(source, query) {
      const from = query.get('after') === 'latest' ? countOf(source) : Number(query.get('after'))
      const to = Math.max(Math.min(countOf(source), from + 1_000), from)
      const eventOf = (change: number) => ({
        ...{ id: position(change + 1), type: 'pet.updated', data: { petId: (change % animals) + 1 } },
        at: new Date(timeOf(source, change)),
      })
      return [numbers(from, to).map(eventOf), `after=${position(to)}`]
    },
    pets(source, query) {
      if (query.has('id')) return [query.getAll('id').map(Number).map(petOf(source))]
      const from = Number(query.get('cursor') ?? 1)
      const to = Math.min(from + 100, animals + 1)
      return [numbers(from, to).map(petOf(source)), to <= animals && `cursor=${to}`]
    },
    categories: () => [[{ id: 1, name: 'Dogs' }]],
    organizations: (source) => [{ id: 1, code: 'S1', name: `Shelter ${source}` }],
  }
  const server = http.createServer(({ url = '' }, response) => {
    const [, source, , name = '', query] = url.split(/[/?]/)
    const [body, next] = answers[name]?.(Number(source), new URLSearchParams(query)) ?? []
    if (next) response.setHeader('link', `<http://x/?${next}>; rel="next"`)
    response.end(JSON.stringify(body))
  })
  return { server, lagOf: (source: number, id: number) => Date.now() - timeOf(source, latestOf(source, id)) }
}

/** Measures the time from a change at a source until the feed of the directory has the change of the copy. */
export async function measureFollow(size: Size, folder: string) {
  const databaseUrl = `sqlite:${join(folder, 'follow.db')}`
  const store = { databaseUrl, settings: { WEBHOOK_ALLOW_NETWORKS: 'loopback' } }
  const key = await makeKey(store)
  const { server, lagOf } = openSources(size)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { db, write, close } = await openForCommand(databaseUrl, changes)
  for (let source = 0; source < size.sources; source += 1) {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${source}`
    await write(changes.insertSource, { url, apiKey: 'key', organizationId: undefined }, Date.now())
  }
  const begun = performance.now()
  const service = await startService(store)
  while ((await listSources(db, Date.now())).some(({ state }) => state !== 'following')) await pause(500)
  await close()
  const copySeconds = (performance.now() - begun) / 1_000
  const read = async (path: string) => {
    const answer = await ask({ port: service.port, key }, get(path))
    const [, next] = /<[^>]*?(\/v1\/[^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? []
    return { body: (await answer.json()) as Item[], next }
  }
  const originals = new Map<number, number[]>()
  for (let next: string | undefined = '/v1/pets?sort=id&limit=100&fields=id,source'; next; ) {
    const page = await read(next)
    for (const { id, source } of page.body)
      originals.set(id, (source.match(/\d+/g) ?? []).slice(-2).map(Number))
    next = page.next
  }
  const lags: number[] = []
  let { next = '' } = await read('/v1/events?after=latest&limit=1000')
  const from = performance.now()
  while (performance.now() - from < size.seconds * 1_000) {
    const page = await read(next)
    for (const { data } of page.body)
      lags.push(lagOf(...(originals.get(data.petId) as [number, number])) / 1_000)
    next = page.next ?? ''
    await pause(100)
  }
  await service.stop()
  server.close().closeAllConnections()
  lags.sort((one, other) => one - other)
  const [p50, p99, most] = [0.5, 0.99, 1].map((part) => lags[Math.floor((lags.length - 1) * part)])
  return { ...size, copies: originals.size, changes: lags.length, copySeconds, p50, p99, most }
}

export const followReport = (results: object): string => `following, lag in seconds ${inspect(results)}`
