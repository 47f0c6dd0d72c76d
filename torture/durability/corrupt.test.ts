import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { type Service, start } from '../../src/start.ts'
import type { Answer } from '../../src/testing/client.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { AS_NOBODY, NEEDS_NOBODY, NOBODY } from '../lab/disks.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import {
  copyOf,
  type Damage,
  damage,
  fileIn,
  IN_THE_FILE,
  makeOriginal,
  type Original,
  type State,
  stateOf,
} from './corrupt-store.ts'
import { differences, type Held, type Look, look } from './corrupt-views.ts'

const ROUNDS = rounds(300)

/** What a client of a damaged store met. */
type Met = 'the right data' | '503' | '500' | 'an earlier state' | 'other data' | 'refused' | 'unnoticed'

/** The day of the stores: before the sunset of a path that is read here. */
const clock = (): number => Date.UTC(2026, 11, 1)

function serve(folder: string): Promise<Service> {
  const DATABASE_URL = `sqlite:${fileIn(folder)}`
  return start(readConfig({ DATABASE_URL, PORT: '0', LOG_LEVEL: 'silent' }), { clock })
}

interface Use {
  met: Met
  /** Whether anything was answered with 500. */
  failed: boolean
  /** What was seen, and is not what the store should hold. */
  wrong: Set<string>
  /** What it should hold from then on. */
  held: Held
}

/** Reads everything, creates an animal, and stops the service. */
async function use(t: TestContext, service: Service, key: string, held: Held, done: Damage): Promise<Use> {
  const seen = await look(t, { address: service.address, key }, done.told).finally(() =>
    // The counters may no longer be kept, which is no reason not to end.
    service.stop().catch(() => undefined),
  )
  // Of a log that was damaged SQLite keeps what comes before; what was in the file is there in any case.
  const count = Math.max(IN_THE_FILE, seen.listed?.length ?? held.animals.length)
  const kept = done.inLog ? { ...held, animals: held.animals.slice(0, count) } : held
  const wrong = differences(seen, kept)
  const later = seen.created === undefined ? kept : { ...kept, animals: [...kept.animals, seen.created] }
  const isEarlier = kept.animals.length < held.animals.length
  return { met: metBy(seen, wrong, isEarlier), failed: seen.failed, wrong, held: later }
}

function metBy({ failed, unavailable }: Look, wrong: Set<string>, isEarlier: boolean): Met {
  if (wrong.size > 0) return 'other data'
  if (failed) return '500'
  if (unavailable) return '503'
  return isEarlier ? 'an earlier state' : 'the right data'
}

/** @returns what its clients meet, where it starts; else it has to refuse in one line that names the file */
async function tryOut(
  t: TestContext,
  folder: string,
  original: Original,
  held: Held,
  done: Damage,
): Promise<Met> {
  const state = stateOf(folder)
  const service = await serve(folder).catch((error: Error) => {
    assert.match(error.message, /^[^\n]*adoptable\.db[^\n]*$/, done.told)
  })
  if (!service) return 'refused'
  const { met, failed, wrong } = await use(t, service, original.key, held, done)
  const mayDiffer = wrong.size === 0 || isUnnoticed(done, state, wrong)
  assert.ok(mayDiffer, `${done.told}: ${[...wrong].slice(0, 9)}`)
  if (failed) assertOtherSchema(state, original, done)
  return met === 'other data' ? 'unnoticed' : met
}

/**
 * Pages carry no checksum: a byte of a value looks as if it was written so, where every table and index is
 * well-formed. That is one value, in however many answers it stands; nothing else may hide behind this.
 */
function isUnnoticed({ kind, end }: Damage, { sound }: State, wrong: Set<string>): boolean {
  return kind === 'flip' && end === '' && sound && wrong.size === 1
}

/** The text of the tables and triggers is a value like others, whatever then becomes of the statements. */
function assertOtherSchema({ sound, schema }: State, original: Original, { told, kind }: Damage): void {
  assert.ok(kind === 'flip' && sound && schema !== original.schema, `${told}: a 500`)
}

/** How often each was met. */
function told(met: Met[]): string {
  const counts = [...Map.groupBy(met, (what) => what)]
  return counts.map(([what, { length }]) => `${what} ${length}`).join(', ')
}

test('a store that was damaged: the service refuses it in one line, or serves the right data', async (t) => {
  const random = randomOf()
  const original = await makeOriginal(t)
  const met: Met[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = copyOf(t, original.folder)
    met.push(await tryOut(t, folder, original, original, damage(folder, random)))
    rmSync(folder, { recursive: true })
  }
  reached(t, told(met))
})

test('a store that is damaged while it is served: 503 for a lost page, and the next start sees all', async (t) => {
  const random = randomOf(1)
  const original = await makeOriginal(t)
  const [meanwhile, after]: [Met[], Met[]] = [[], []]
  for (let round = 0; round < ROUNDS / 3; round += 1) {
    const folder = copyOf(t, original.folder)
    const service = await serve(folder)
    const done = damage(folder, random, true)
    const state = stateOf(folder)
    const { met, failed, wrong, held } = await use(t, service, original.key, original, done)
    // Nobody reads the whole file while it is served: what no read trips over waits for the next start. So
    // does the rest of a page that was cut in two, once a change in the log, not the file, tells the size.
    assert.ok(wrong.size === 0 || done.kind !== 'zero', `${done.told}: ${[...wrong].slice(0, 9)}`)
    if (failed) assertOtherSchema(state, original, done)
    meanwhile.push(met)
    after.push(await tryOut(t, folder, original, held, done))
    rmSync(folder, { recursive: true })
  }
  reached(t, `meanwhile: ${told(meanwhile)}; at the next start: ${told(after)}`)
})

test('control: each thing that is wrong in one of the views is told as a difference', async (t) => {
  const original = await makeOriginal(t)
  const service = await serve(copyOf(t, original.folder))
  const seen = await look(t, { address: service.address, key: original.key }, 'nothing')
  await service.stop()
  const list = [...seen.views.keys()].find((path) => path.includes('status=sold')) as string
  const other = (path: string, from: string | RegExp, to: string): Look => {
    const answer = seen.views.get(path) as Answer
    return {
      ...seen,
      views: new Map(seen.views).set(path, { ...answer, text: answer.text.replace(from, to) }),
    }
  }
  assert.deepEqual([...differences(seen, original)], [])
  for (const [what, look] of Object.entries({
    'animal 3': other(list, /\{[^}]*\},/, ''),
    'animal 7': other('/v1/pets/7', 'Animal', 'Enimal'),
    'count of 1 available': other('/v1/inventory', /(categoryId":1,"available":)\d+/, '$19'),
    'category 2': other('/v1/categories', 'Cat', 'Bat'),
    'animal 340': { ...seen, listed: seen.listed?.slice(0, -1) },
  })) {
    assert.ok(differences(look, original).has(what), `${what}: ${[...differences(look, original)]}`)
  }
})

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

const HOPELESS_TITLE = 'a file that cannot be served ends the process with code 1 and one line that names it'
test(HOPELESS_TITLE, NEEDS_NOBODY, async (t) => {
  const original = await makeOriginal(t)
  for (const [what, spoil] of Object.entries(HOPELESS)) {
    const folder = copyOf(t, original.folder)
    // Its copy of a page would stand in for one that the file has lost.
    for (const end of ['-wal', '-shm']) rmSync(fileIn(folder) + end)
    for (const name of ['', ...readdirSync(folder)]) chownSync(join(folder, name), NOBODY, NOBODY)
    spoil(fileIn(folder))
    const settings = { DATABASE_URL: `sqlite:${fileIn(folder)}`, PORT: '0', LOG_LEVEL: 'silent' }
    const { exited } = spawnCli(t, ['serve'], settings, undefined, { through: AS_NOBODY })
    const { code, stderr } = await exited
    assert.equal(code, 1, `${what}: ${stderr}`)
    assert.match(stderr, /^adoptable: [^\n]*adoptable\.db[^\n]*\n$/, what)
  }
  reached(t, `${Object.keys(HOPELESS).length} kinds`)
})
