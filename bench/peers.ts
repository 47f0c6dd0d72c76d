import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { CREATE, FILTERS, filtered, SAME_PAGE } from './adoptable.ts'
import type { Contestant } from './contest.ts'
import { get, NEW_PET, post, type Request, record, STATUSES } from './requests.ts'
import { endWithProcess, stop, waitForEvent } from './servers.ts'

// Typical alternatives, each a program in bench/peers.

const FOLDER = new URL('peers/', import.meta.url)

const REQUESTS: Record<string, Request[]> = {
  [SAME_PAGE]: [get('/v1/pets')],
  [FILTERS]: filtered('/v1/pets?limit='),
  [CREATE]: [post('/v1/pets', NEW_PET)],
}

/** The programs in the folder, by name. */
export const ON_SQLITE = { Fastify: 'fastify.js', Express: 'express.js' }
export const ON_POSTGRES = { 'Fastify, pg': 'fastify.js' }

const KEY = 'bench-key-of-the-peers'

/** @param storeOf the file of a peer, or an empty database @returns the peers, and why others are skipped */
export async function startPeers(programs: Record<string, string>, storeOf: (name: string) => string) {
  const peers: Contestant[] = []
  const isInstalled = existsSync(new URL('node_modules', FOLDER))
  for (const [name, program] of Object.entries(isInstalled ? programs : {}))
    peers.push(await startPeer(name, program, storeOf(name)))
  return { peers, skipped: isInstalled ? [] : ['the peers: npm ci --prefix bench/peers installs them'] }
}

async function startPeer(name: string, program: string, store: string): Promise<Contestant> {
  const env = { ...process.env, NODE_ENV: 'production', BENCH_STORE: store, BENCH_KEY: KEY }
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
  const stranger = await fetch(`http://127.0.0.1:${door.port}${requests[0]?.path}`)
  assert.deepEqual(
    [...animals.map(({ id }) => id), stranger.status],
    [...Array.from({ length: 20 }, (_, index) => 1_000 - index), 401],
    `${name} does not answer like the others`,
  )
  assert.ok(animals.some(({ status }) => status && STATUSES.includes(status)))
}
