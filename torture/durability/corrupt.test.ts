import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { type Service, start } from '../../src/start.ts'
import type { Answer } from '../../src/testing/client.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import {
  ANIMALS_IN_FILE,
  copyOf,
  type Damage,
  damage,
  differences,
  fileIn,
  makeOriginal,
  type Observation,
  type Original,
  observe,
  type State,
  type StoreContent,
  stateOf,
} from './corrupt-store.ts'

const ROUNDS = rounds(300)

/** Responses to the clients of a damaged store. */
type Result = 'the right data' | '503' | '500' | 'an earlier state' | 'other data' | 'refused' | 'unnoticed'

/** A day before the sunset of the deprecated path that the tests read. */
const clock = (): number => Date.UTC(2026, 11, 1)

function serve(folder: string): Promise<Service> {
  const DATABASE_URL = `sqlite:${fileIn(folder)}`
  return start(readConfig({ DATABASE_URL, PORT: '0', LOG_LEVEL: 'silent' }), { clock })
}

interface Outcome {
  result: Result
  /** Whether any answer was a 500. */
  failed: boolean
  /** Differences from the expected content. */
  wrong: Set<string>
  /** The content that is expected from now on. */
  content: StoreContent
}

/** Reads everything, creates an animal, and stops the service. */
async function readAndStop(
  t: TestContext,
  service: Service,
  key: string,
  content: StoreContent,
  damaged: Damage,
): Promise<Outcome> {
  const seen = await observe(t, { address: service.address, key }, damaged.description).finally(() =>
    // Storing the counters may fail in a damaged store.
    service.stop().catch(() => undefined),
  )
  // SQLite reads everything in the database file, and the part of the log before the damage.
  const count = Math.max(ANIMALS_IN_FILE, seen.listed?.length ?? content.animals.length)
  const expected = damaged.inLog ? { ...content, animals: content.animals.slice(0, count) } : content
  const wrong = differences(seen, expected)
  const later =
    seen.created === undefined ? expected : { ...expected, animals: [...expected.animals, seen.created] }
  const isEarlier = expected.animals.length < content.animals.length
  return { result: classify(seen, wrong, isEarlier), failed: seen.failed, wrong, content: later }
}

function classify({ failed, unavailable }: Observation, wrong: Set<string>, isEarlier: boolean): Result {
  if (wrong.size > 0) return 'other data'
  if (failed) return '500'
  if (unavailable) return '503'
  return isEarlier ? 'an earlier state' : 'the right data'
}

/** Starts the service and reads everything. A refused start must have one line that names the file. */
async function startAndUse(
  t: TestContext,
  folder: string,
  original: Original,
  content: StoreContent,
  damaged: Damage,
): Promise<Result> {
  const state = stateOf(folder)
  const service = await serve(folder).catch((error: Error) => {
    assert.match(error.message, /^[^\n]*adoptable\.db[^\n]*$/, damaged.description)
  })
  if (!service) return 'refused'
  const { result, failed, wrong } = await readAndStop(t, service, original.key, content, damaged)
  const mayDiffer = wrong.size === 0 || isUnnoticed(damaged, state, wrong)
  assert.ok(mayDiffer, `${damaged.description}: ${[...wrong].slice(0, 9)}`)
  if (failed) assertOtherSchema(state, original, damaged)
  return result === 'other data' ? 'unnoticed' : result
}

/**
 * Pages have no checksum, so SQLite cannot notice a changed byte inside a value. This may change exactly one
 * value, which may show in several answers.
 */
function isUnnoticed({ kind, end }: Damage, { intact }: State, wrong: Set<string>): boolean {
  return kind === 'flip' && end === '' && intact && wrong.size === 1
}

/**
 * A 500 is accepted only if the changed byte is in the SQL of a table or trigger, which breaks statements.
 */
function assertOtherSchema(
  { intact, schema }: State,
  original: Original,
  { description, kind }: Damage,
): void {
  assert.ok(kind === 'flip' && intact && schema !== original.schema, `${description}: a 500`)
}

/** The number of each result. */
function summarize(results: Result[]): string {
  const counts = [...Map.groupBy(results, (what) => what)]
  return counts.map(([what, { length }]) => `${what} ${length}`).join(', ')
}

test('a damaged store: the service refuses it with a one-line message or serves the right data', async (t) => {
  const random = randomOf()
  const original = await makeOriginal(t)
  const results: Result[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = copyOf(t, original.folder)
    results.push(await startAndUse(t, folder, original, original, damage(folder, random)))
    rmSync(folder, { recursive: true })
  }
  reportFigure(t, summarize(results))
})

test('a store damaged while served: 503 for a lost page, and the next start notices the damage', async (t) => {
  const random = randomOf(1)
  const original = await makeOriginal(t)
  const [whileServing, after]: [Result[], Result[]] = [[], []]
  for (let round = 0; round < ROUNDS / 3; round += 1) {
    const folder = copyOf(t, original.folder)
    const service = await serve(folder)
    const damaged = damage(folder, random, true)
    const state = stateOf(folder)
    const { result, failed, wrong, content } = await readAndStop(t, service, original.key, original, damaged)
    // A running service does not read the whole file, so it may notice damage only at the next start. A page
    // of zeros is noticed by the first read.
    assert.ok(
      wrong.size === 0 || damaged.kind !== 'zero',
      `${damaged.description}: ${[...wrong].slice(0, 9)}`,
    )
    if (failed) assertOtherSchema(state, original, damaged)
    whileServing.push(result)
    after.push(await startAndUse(t, folder, original, content, damaged))
    rmSync(folder, { recursive: true })
  }
  reportFigure(t, `while serving: ${summarize(whileServing)}; at the next start: ${summarize(after)}`)
})

test('control: one error in each view is reported as a difference', async (t) => {
  const original = await makeOriginal(t)
  const service = await serve(copyOf(t, original.folder))
  const seen = await observe(t, { address: service.address, key: original.key }, 'nothing')
  await service.stop()
  const list = [...seen.views.keys()].find((path) => path.includes('status=sold')) as string
  const other = (path: string, from: string | RegExp, to: string): Observation => {
    const answer = seen.views.get(path) as Answer
    return {
      ...seen,
      views: new Map(seen.views).set(path, { ...answer, text: answer.text.replace(from, to) }),
    }
  }
  assert.deepEqual([...differences(seen, original)], [])
  for (const [what, observation] of Object.entries({
    'animal 3': other(list, /\{[^}]*\},/, ''),
    'animal 7': other('/v1/pets/7', 'Animal', 'Enimal'),
    'count of 1 available': other('/v1/inventory', /(categoryId":1,"available":)\d+/, '$19'),
    'category 2': other('/v1/categories', 'Cat', 'Bat'),
    'animal 340': { ...seen, listed: seen.listed?.slice(0, -1) },
  })) {
    assert.ok(
      differences(observation, original).has(what),
      `${what}: ${[...differences(observation, original)]}`,
    )
  }
})
