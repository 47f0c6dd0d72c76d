import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Context } from '../../src/context.ts'
import { changes } from '../../src/db/change.ts'
import type { Db } from '../../src/db/tables.ts'
import { generateKey, hashKey } from '../../src/keys/key-format.ts'
import { KEPT, keptIn } from '../../src/pets/row.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { doJobs } from '../../src/testing/jobs.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { sqliteFile, withStore } from '../lab/stores.ts'
import { type Answer, connection, headOf, takeAnswers, type Wire } from '../lab/wire.ts'

// The service on both engines, asked the same: every byte of the answers must be the same.

/** Who asks. The last three have no valid key; of `ending` another secret took the place, two days on. */
const KEYS = {
  admin: { ...UNLIMITED, access: 'admin' },
  writer: { ...UNLIMITED, access: 'write' },
  other: { ...UNLIMITED, access: 'write' },
  reader: { ...UNLIMITED, access: 'read' },
  small: { plan: 'enterprise', access: 'write', limits: { perMinute: 8, perDay: 60 } },
  ending: { ...UNLIMITED, access: 'write' },
  revoked: { ...UNLIMITED, access: 'admin' },
  unknown: undefined,
  staging: undefined,
} as const
export type Keys = Record<keyof typeof KEYS, string>

const OVERLAP_MS = 2 * 86_400_000

/** The one secret of both, so that their cursors are the same. */
const CURSOR_SECRET = '5eed'.repeat(16)

/** Small, so that a stream meets limits, bans and erased adopters. */
const SETTINGS = {
  LOG_LEVEL: 'error',
  BAN_AFTER_REFUSALS: '4',
  ANONYMOUS_PER_MINUTE: '10',
  ANONYMOUS_PER_DAY: '100',
  ADOPTER_DATA_DAYS: '1',
}

/** What the service does beside its requests. */
async function tidyUp(context: Context): Promise<void> {
  await doJobs(context)
  await context.limiter.sweep()
}

/** A request, and what happens before it. */
export interface Step extends Wire {
  /** No request to the parser: the connection is not used again, and the id in the answer is made up. */
  broken?: boolean
  advanceMs?: number | undefined
  /** What else the service does beside its requests. */
  sweep?: boolean
}

/** Both services, their clocks at `now`. */
export async function startEngines(t: TestContext, now: number) {
  // The service's own rounds of tidying would come between any two requests; here they are steps.
  t.mock.timers.enable({ apis: ['setInterval'] })
  const keys = Object.fromEntries(
    Object.keys(KEYS).map((name) => [name, generateKey(name === 'staging' ? 'staging' : 'production')]),
  ) as Keys
  const startOn = async (databaseUrl: string) => {
    await prepare(databaseUrl, keys, now)
    const app = await startApp(t, { databaseUrl, now, settings: SETTINGS })
    const { ask, askLast, close } = connection(app.port)
    cleanup(t).defer(close)
    /** All bytes that come for a request, or what went wrong. */
    const bytesFor = async (step: Step): Promise<Buffer> => {
      try {
        const answers = await (step.broken ? askLast(step) : ask([step]))
        return Buffer.concat(answers.map(({ bytes }) => bytes))
      } catch (error) {
        return Buffer.from((error as Error).message)
      }
    }
    return { ...app, bytesFor }
  }
  const sqlite = await startOn(sqliteFile(t))
  const postgres = await startOn(await scratchDatabase(t))
  const both = [sqlite, postgres]
  const drawn = drawnVersions()

  /** Takes a step on both. @throws when they answer differently, or one with a 5xx, or not at all */
  async function compare(step: Step): Promise<Answer> {
    for (const { clock } of both) clock.now += step.advanceMs ?? 0
    if (step.sweep) await Promise.all(both.map(({ service }) => tidyUp(service.context)))
    const [one, other] = await Promise.all([
      sqlite.bytesFor(step),
      postgres.bytesFor({ ...step, bytes: drawn.toPostgres(step.bytes) }),
    ])
    const two = drawn.fromPostgres(other, one)
    const fail = (what: string): never => {
      throw new Error(report(what, sqlite.clock.now, step, one, two))
    }
    if (comparable(one) !== comparable(two)) fail('answered differently')
    const [heard] = takeAnswers(one, [step.method]).answers
    if (!heard) return fail('not answered')
    return heard.status < 500 ? heard : fail('answered with a 5xx')
  }

  /** What no answer shows: every row of both stores. */
  async function compareRows(): Promise<void> {
    const [one, two] = await Promise.all(both.map(({ service }) => rowsOf(service.context.db)))
    assert.deepEqual(two, one, 'the rows in PostgreSQL are not those in SQLite')
  }
  return { keys, sqlite, postgres, compare, compareRows }
}

function prepare(url: string, keys: Keys, now: number): Promise<void> {
  return withStore(url, async ({ db, write }) => {
    await db.updateTable('secret').set({ value: CURSOR_SECRET }).where('name', '=', 'cursor').execute()
    for (const [name, key] of Object.entries(KEYS)) {
      if (!key) continue
      const id = await write(changes.insertKey, { name, ...key }, hashKey(keys[name as keyof Keys]), now)
      if (name === 'revoked') await write(changes.revokeKey, id, now)
      if (name === 'ending')
        await write(changes.rotateKey, id, hashKey(generateKey('production')), now, OVERLAP_MS)
    }
  })
}

/**
 * The ETag of an animal, or of a page, which is made of those of its animals. In one coding all of a kind have as
 * many characters, so that a request that names another one is as long.
 */
const DRAWN = /"(?:\d+-\d{15}(?:\.all)?|[\w-]{43})(?:-(?:br|zstd|gzip))?"/g

/**
 * Each store draws the versions of its animals for itself; what is compared is when they change. This knows
 * which ETag of PostgreSQL stands for which of SQLite: the one that came in the same answer.
 */
function drawnVersions() {
  const names = { toPostgres: new Map<string, string>(), fromPostgres: new Map<string, string>() }
  const replace = (bytes: Buffer, known: Map<string, string>): Buffer =>
    Buffer.from(
      bytes.toString('latin1').replace(DRAWN, (etag) => known.get(etag) ?? etag),
      'latin1',
    )
  const etagOf = (answer: Buffer): string => headOf(answer).match(DRAWN)?.[0] ?? ''
  return {
    toPostgres: (request: Buffer): Buffer => replace(request, names.toPostgres),
    /** @returns the answer of PostgreSQL with the ETag that SQLite has; one that is new only if that is new too */
    fromPostgres(answer: Buffer, same: Buffer): Buffer {
      const [theirs, ours] = [etagOf(answer), etagOf(same)]
      if (theirs && ours && !names.fromPostgres.has(theirs) && !names.toPostgres.has(ours)) {
        names.fromPostgres.set(theirs, ours)
        names.toPostgres.set(ours, theirs)
      }
      return replace(answer, names.fromPostgres)
    },
  }
}

/** All but the time of day, and an id that the service made up where it could not read one. */
function comparable(answers: Buffer): string {
  return answers
    .toString('latin1')
    .replace(/\r\ndate: [^\r]*/gi, '')
    .replace(/(\r\nx-request-id: )[\da-f]{12}-[\da-z]+/gi, '$1*')
}

const SHOWN_BYTES = 6_000

function report(what: string, now: number, { bytes }: Step, one: Buffer, two: Buffer): string {
  const show = (some: Buffer): string => some.toString('utf8', 0, SHOWN_BYTES)
  return [
    `a request is ${what}, at ${new Date(now).toISOString()}:`,
    ...['', show(bytes), '--- SQLite:', show(one), '--- PostgreSQL:', show(two)],
  ].join('\n')
}

/** What is compared of each table, and in which order; of the inventory the sums, since it has rows of 0. */
const COLUMNS = {
  category: ['id', 'name', 'folded_name', 'description'],
  pet: ['id', ...KEPT.map(keptIn), 'created_at', 'created_by', 'updated_at'],
  pet_change: ['id', 'pet_id', 'at', 'key_id', 'changes'],
  adoption_order: ['id', 'pet_id', 'status', 'adopter', 'placed_by', 'placed_at', 'decided_at'],
  application: [
    ...(['id', 'pet_id', 'status', 'reason', 'applicant', 'note', 'reply', 'placed_by'] as const),
    ...(['received_at', 'decided_at', 'decided_by', 'closed_at', 'order_id'] as const),
  ],
  idempotency: ['scope', 'fingerprint', 'result', 'expires_at'],
} as const

async function rowsOf(db: Db): Promise<string[]> {
  const lines: string[] = []
  // As text: the two drivers make objects of different kinds.
  const add = (table: string, rows: object[]): void => {
    lines.push(...rows.map((row) => `${table} ${JSON.stringify(row)}`))
  }
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const [first = ''] = columns
    const query = db.selectFrom(table as 'pet').select(columns as (typeof COLUMNS)['pet'])
    add(table, await query.orderBy(first as 'id').execute())
  }
  const inventory = await db
    .selectFrom('inventory')
    .select(['category_id', 'status'])
    .select(({ fn }) => fn.sum('pets').as('pets'))
    .groupBy(['category_id', 'status'])
    .orderBy('category_id')
    .orderBy('status')
    .execute()
  const counts = inventory.map((row) => ({ ...row, pets: Number(row.pets) }))
  add(
    'inventory',
    counts.filter(({ pets }) => pets !== 0),
  )
  // Also of what was kept for an Idempotency-Key: the row of an animal, as the change gave it back.
  return lines.map((line) => line.replace(/^(idempotency .*?\\"version\\":)\d{15}/, '$1drawn'))
}
