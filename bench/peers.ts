import { fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { CREATE, FILTERS, filtered, SAME_PAGE } from './adoptable.ts'
import type { Contestant } from './contest.ts'
import { get, NEW_PET, post, type Request, record, STATUSES } from './requests.ts'
import { endWithProcess, stop, waitForEvent } from './servers.ts'

// Typical alternatives, each a program in bench/peers.

const FOLDER = new URL('peers/', import.meta.url)

interface Peer {
  name: string
  program: string
  /** Packages whose versions are reported. */
  packages: string[]
}

const REQUESTS: Record<string, Request[]> = {
  [SAME_PAGE]: [get('/v1/pets')],
  [FILTERS]: filtered('/v1/pets?limit='),
  [CREATE]: [post('/v1/pets', NEW_PET)],
}

export const ON_SQLITE: Peer[] = [
  { name: 'Fastify', program: 'fastify.js', packages: ['fastify', '@fastify/rate-limit', 'better-sqlite3'] },
  {
    name: 'Express',
    program: 'express.js',
    packages: ['express', 'zod', 'better-sqlite3', 'rate-limiter-flexible'],
  },
]

export const ON_POSTGRES: Peer[] = [
  { name: 'Fastify, pg', program: 'fastify.js', packages: ['fastify', '@fastify/rate-limit', 'pg'] },
]

const KEY = 'bench-key-of-the-peers'

/**
 * @param storeOf the file of a peer, or an empty database
 * @returns the started peers, and the reasons why others are skipped
 */
export async function startPeers(
  list: Peer[],
  storeOf: (name: string) => string,
): Promise<{ peers: Contestant[]; skipped: string[] }> {
  const peers: Contestant[] = []
  const skipped: string[] = []
  for (const peer of list) {
    const missing = peer.packages.find((name) => !existsSync(new URL(`node_modules/${name}`, FOLDER)))
    if (missing) skipped.push(`${peer.name}: ${missing} is not installed; npm ci --prefix bench/peers`)
    else peers.push(await startPeer(peer, storeOf(peer.name)))
  }
  return { peers, skipped }
}

async function startPeer({ name, program, packages }: Peer, store: string): Promise<Contestant> {
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    BENCH_STORE: store,
    BENCH_KEY: KEY,
  }
  const startedAt = performance.now()
  const child = endWithProcess(
    fork(new URL(program, FOLDER), { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  )
  const port = (await waitForEvent(child, child, 'message')) as number
  const readyMs = performance.now() - startedAt
  const door = { port, key: KEY }
  await refuseWrongPage(name, door, REQUESTS[SAME_PAGE] ?? [])
  return {
    name,
    made: packages.map((name) => `${name} ${versionOf(name)}`).join(', '),
    port,
    pid: child.pid,
    readyMs,
    prepare: async (measurement) => {
      const requests = REQUESTS[measurement]
      return requests && { exchanges: await record(door, requests) }
    },
    stop: () => stop(child),
  }
}

/** @throws if a peer answers with less than the others, which would be unfair */
async function refuseWrongPage(name: string, door: { port: number; key: string }, requests: Request[]) {
  const [page] = await record(door, requests)
  const animals: { id: number; status?: string }[] = JSON.parse(page?.answer.body ?? '')
  const ids = animals.map(({ id }) => id)
  const right = ids.length === 20 && ids.every((id, index) => id === 1_000 - index)
  if (!right) throw new Error(`${name} answers with the animals ${ids}`)
  if (!animals.some(({ status }) => status && STATUSES.includes(status)))
    throw new Error(`${name}: no status`)
  const stranger = await fetch(`http://127.0.0.1:${door.port}${requests[0]?.path}`)
  if (stranger.status !== 401)
    throw new Error(`${name} accepts a request without a key: status ${stranger.status}`)
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, FOLDER), 'utf8')).version
}
