import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../src/config.ts'
import { type Service, start } from '../src/start.ts'
import { type Answer, assertError, send } from '../src/testing/client.ts'
import {
  copyOf,
  type Damage,
  damage,
  fileIn,
  makeOriginal,
  type Original,
  seemsSound,
} from './corrupt-store.ts'
import { needs, randomOf, reached, rounds } from './given.ts'

const ROUNDS = rounds(300)

/** What a client of a damaged store met. */
type Met = 'the right data' | '503' | 'an earlier state' | 'other data'

function serve(folder: string): Promise<Service> {
  const file = fileIn(folder)
  return start(readConfig({ DATABASE_URL: `sqlite:${file}`, PORT: '0', LOG_LEVEL: 'silent' }))
}

/** Reads everything, in more ways than one, creates an animal, and stops the service. */
async function use(service: Service, { key, animals }: Original, told: string): Promise<Met> {
  const agent = new http.Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = async (path: string, body?: object): Promise<Answer> => {
    const answer = await send(agent, service.address + path, { method: body ? 'POST' : 'GET', headers, body })
    if (answer.status >= 500) assertError(answer, 503, 'service_unavailable', `${told}: ${path}`)
    return answer
  }
  try {
    const listed: string[] = []
    let next: string | undefined = '/v1/pets?limit=100&sort=id'
    while (next !== undefined) {
      const page: Answer = await ask(next)
      if (page.status === 503) return '503'
      if (page.status !== 200) return 'other data'
      listed.push(...page.text.slice(1, -1).split(/(?<=\}),(?=\{)/))
      next = /<[^>]*?(\/v1\/pets[^>]*)>; rel="next"/.exec(String(page.headers.link))?.[1]
    }
    const statuses = new Set<number>()
    for (const path of [
      '/v1/pets?status=sold',
      '/v1/pets?categoryId=3',
      '/v1/pets/7',
      '/v1/inventory',
      '/v1/categories',
    ]) {
      statuses.add((await ask(path)).status)
    }
    statuses.add((await ask('/v1/pets', { name: 'New', categoryId: 2 })).status)
    if (statuses.has(503)) return '503'
    // Behind them may come what the last call of this made.
    if (listed.slice(0, animals.length).some((animal, place) => animal !== animals[place]))
      return 'other data'
    return listed.length < animals.length ? 'an earlier state' : 'the right data'
  } finally {
    agent.destroy()
    // The counters may no longer be kept, which is no reason not to end.
    await service.stop().catch(() => undefined)
  }
}

type Counts = Record<Met | 'refused' | 'unnoticed', number>

function noCounts(): Counts {
  return { refused: 0, 'the right data': 0, '503': 0, 'an earlier state': 0, unnoticed: 0, 'other data': 0 }
}

/** @returns nothing when it refuses to start, as it has to: in one line that names the file */
async function serveOrRefuse(folder: string, told: string): Promise<Service | undefined> {
  try {
    return await serve(folder)
  } catch (error) {
    assert.match((error as Error).message, /^[^\n]*adoptable\.db[^\n]*$/, told)
    return undefined
  }
}

/** Starts a service on a store, and counts what its clients meet. */
async function tryOut(t: TestContext, folder: string, original: Original, done: Damage, counts: Counts) {
  const sound = seemsSound(t, folder)
  const service = await serveOrRefuse(folder, done.told)
  if (!service) {
    counts.refused += 1
    return
  }
  const met = await use(service, original, done.told)
  const right = met === 'the right data' || met === '503' || (met === 'an earlier state' && done.inLog)
  // Pages carry no checksum: what is well-formed in every table and index looks as if it was written so.
  assert.ok(right || sound, `${done.told}: ${met}`)
  counts[right ? met : 'unnoticed'] += 1
}

function told(counts: Counts): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0)
  return some.map(([what, count]) => `${what} ${count}`).join(', ')
}

test('a store that was damaged: the service refuses it in one line, or serves the right data', async (t) => {
  const random = randomOf()
  const original = await makeOriginal(t)
  const counts = noCounts()
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = copyOf(t, original.folder)
    await tryOut(t, folder, original, damage(folder, random), counts)
    rmSync(folder, { recursive: true })
  }
  reached(t, told(counts))
})

test('a store that is damaged while it is served: 503 at worst, and the next start refuses it', async (t) => {
  const random = randomOf(1)
  const original = await makeOriginal(t)
  const [meanwhile, after] = [noCounts(), noCounts()]
  for (let round = 0; round < ROUNDS / 3; round += 1) {
    const folder = copyOf(t, original.folder)
    const service = await serve(folder)
    const done = damage(folder, random, true)
    meanwhile[await use(service, original, done.told)] += 1
    await tryOut(t, folder, original, { ...done, inLog: true }, after)
    rmSync(folder, { recursive: true })
  }
  reached(t, `meanwhile: ${told(meanwhile)}; at the next start: ${told(after)}`)
})

/** Somebody whom the permissions of files concern. */
const NOBODY = 65_534

/** What is no store, or none for this user. */
const HOPELESS: Record<string, (file: string) => void> = {
  'is text': (file) => writeFileSync(file, 'no database\n'.repeat(1_000)),
  'has lost its first page': (file) => writeFileSync(file, Buffer.alloc(4_096), { flag: 'r+' }),
  'ends too early': (file) => truncateSync(file, 5_000),
  'is a folder': (file) => {
    rmSync(file)
    mkdirSync(file)
  },
  'may not be written': (file) => chmodSync(file, 0o444),
  'belongs to somebody else': (file) => {
    chmodSync(file, 0o600)
    chownSync(file, 0, 0)
  },
  'lies in a folder that may not be written': (file) => chmodSync(dirname(file), 0o555),
}

test('a file that cannot be served ends the process with code 1 and one line that names it', {
  skip: process.getuid?.() === 0 ? needs('setpriv').skip : 'only root may become somebody else',
}, async (t) => {
  const original = await makeOriginal(t)
  for (const [what, spoil] of Object.entries(HOPELESS)) {
    const folder = copyOf(t, original.folder)
    // Its copy of a page would stand in for one that the file has lost.
    for (const end of ['-wal', '-shm']) rmSync(fileIn(folder) + end)
    for (const name of ['', ...readdirSync(folder)]) chownSync(join(folder, name), NOBODY, NOBODY)
    spoil(fileIn(folder))
    const { code, stderr } = await serveAsNobody(folder)
    assert.equal(code, 1, `${what}: ${stderr}`)
    assert.match(stderr, /^adoptable: [^\n]*adoptable\.db[^\n]*\n$/, what)
  }
  reached(t, `${Object.keys(HOPELESS).length} kinds`)
})

function serveAsNobody(folder: string): Promise<{ code: number | null; stderr: string }> {
  const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  const args = [...user, process.execPath, 'bin/adoptable.js', 'serve']
  const env = { DATABASE_URL: `sqlite:${fileIn(folder)}`, PORT: '0', LOG_LEVEL: 'silent' }
  return new Promise((resolve) => {
    const child = execFile('setpriv', args, { env, timeout: 20_000 }, (_error, _stdout, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    )
  })
}
