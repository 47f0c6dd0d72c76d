import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Context } from '../../src/context.ts'
import { changes } from '../../src/db/change.ts'
import type { Db } from '../../src/db/tables.ts'
import { generateKey, hashKey } from '../../src/keys/key-format.ts'
import { columnOfKey, STORED_KEYS } from '../../src/pets/row.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { doJobs } from '../../src/testing/jobs.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { sqliteFile, withStore } from '../lab/stores.ts'
import { type Answer, connection, headOf, parseAnswers, type WireRequest } from '../lab/wire.ts'

// Sends the same requests to the service on both engines and compares every byte of the answers.

/** Callers. The last three have no valid key. `ending` was rotated and stays valid for two days. */
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

/** The secret of both services, so their cursors are the same. */
const CURSOR_SECRET = '5eed'.repeat(16)

/** Small values, so a stream reaches limits, bans and erased adopters. */
const SETTINGS = {
  LOG_LEVEL: 'error',
  BAN_AFTER_REFUSALS: '4',
  ANONYMOUS_PER_MINUTE: '10',
  ANONYMOUS_PER_DAY: '100',
  ADOPTER_DATA_DAYS: '1',
}

/** The background jobs that a service runs between requests. */
async function tidyUp(context: Context): Promise<void> {
  await doJobs(context)
  await context.limiter.sweep()
}

/** A request, and what happens before it is sent. */
export interface Step extends WireRequest {
  /** Not valid HTTP: the connection is not reused, and the answer has a generated request id. */
  broken?: boolean
  advanceMs?: number | undefined
  /** Whether jobs run before the request. */
  sweep?: boolean
}

/** Starts both services with their clocks at `now`. */
export async function startEngines(t: TestContext, now: number) {
  // Jobs run only as steps, because the service's own timers would run them between any two requests.
  t.mock.timers.enable({ apis: ['setInterval'] })
  const keys = Object.fromEntries(
    Object.keys(KEYS).map((name) => [name, generateKey(name === 'staging' ? 'staging' : 'production')]),
  ) as Keys
  const startOn = async (databaseUrl: string) => {
    await prepare(databaseUrl, keys, now)
    const app = await startApp(t, { databaseUrl, now, settings: SETTINGS })
    const { ask, askLast, close } = connection(app.port)
    cleanup(t).defer(close)
    /** All bytes of the answer, or the message of an error. */
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
  const versions = versionMap()

  /** Sends a step to both services. @throws if the answers differ, are missing or have a 5xx */
  async function compare(step: Step): Promise<Answer> {
    for (const { clock } of both) clock.now += step.advanceMs ?? 0
    if (step.sweep) await Promise.all(both.map(({ service }) => tidyUp(service.context)))
    const [sqliteBytes, postgresBytes] = await Promise.all([
      sqlite.bytesFor(step),
      postgres.bytesFor({ ...step, bytes: versions.toPostgres(step.bytes) }),
    ])
    const translated = versions.fromPostgres(postgresBytes, sqliteBytes)
    const fail = (what: string): never => {
      throw new Error(report(what, sqlite.clock.now, step, sqliteBytes, translated))
    }
    if (comparable(sqliteBytes) !== comparable(translated)) fail('answered differently')
    const [answer] = parseAnswers(sqliteBytes, [step.method]).answers
    if (!answer) return fail('not answered')
    return answer.status < 500 ? answer : fail('answered with a 5xx')
  }

  /** Compares every row of both stores, including data that no answer shows. */
  async function compareRows(): Promise<void> {
    const [sqliteRows, postgresRows] = await Promise.all(
      both.map(({ service }) => rowsOf(service.context.db)),
    )
    assert.deepEqual(postgresRows, sqliteRows, 'the rows in PostgreSQL are not those in SQLite')
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
 * The ETag of an animal, or of a page, which depends on its animals. ETags of one kind and encoding have the
 * same length, so replacing one does not change the length of a request.
 */
const VERSION = /"(?:\d+-\d{15}(?:\.all)?|[\w-]{43})(?:-(?:br|zstd|gzip))?"/g

/** Maps ETags of PostgreSQL to those of SQLite in the same answer, because versions are random. */
function versionMap() {
  const names = { toPostgres: new Map<string, string>(), fromPostgres: new Map<string, string>() }
  const replace = (bytes: Buffer, versions: Map<string, string>): Buffer =>
    Buffer.from(
      bytes.toString('latin1').replace(VERSION, (etag) => versions.get(etag) ?? etag),
      'latin1',
    )
  const etagOf = (answer: Buffer): string => headOf(answer).match(VERSION)?.[0] ?? ''
  return {
    toPostgres: (request: Buffer): Buffer => replace(request, names.toPostgres),
    /** @returns the answer with SQLite's ETag; a new ETag is mapped only if SQLite's is new too */
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

/** The answer without the time of day and a generated request id. */
function comparable(answers: Buffer): string {
  return answers
    .toString('latin1')
    .replace(/\r\ndate: [^\r]*/gi, '')
    .replace(/(\r\nx-request-id: )[\da-f]{12}-[\da-z]+/gi, '$1*')
}

const MAX_REPORT_BYTES = 6_000

function report(what: string, now: number, { bytes }: Step, sqliteBytes: Buffer, translated: Buffer): string {
  const show = (some: Buffer): string => some.toString('utf8', 0, MAX_REPORT_BYTES)
  return [
    `a request is ${what}, at ${new Date(now).toISOString()}:`,
    ...['', show(bytes), '--- SQLite:', show(sqliteBytes), '--- PostgreSQL:', show(translated)],
  ].join('\n')
}

/** Compared columns of each table, sorted by the first. Sums of `inventory` follow, which has rows of 0. */
const COLUMNS = {
  category: ['id', 'name', 'folded_name', 'description'],
  pet: ['id', ...STORED_KEYS.map(columnOfKey), 'created_at', 'created_by', 'updated_at'],
  pet_change: ['id', 'pet_id', 'organization_id', 'at', 'key_id', 'changes'],
  adoption_order: ['id', 'pet_id', 'status', 'adopter', 'placed_by', 'placed_at', 'decided_at'],
  application: [
    ...(['id', 'pet_id', 'status', 'reason', 'applicant', 'note', 'reply', 'placed_by'] as const),
    ...(['received_at', 'decided_at', 'decided_by', 'closed_at', 'order_id'] as const),
  ],
  idempotency: ['scope', 'fingerprint', 'result', 'expires_at'],
} as const

async function rowsOf(db: Db): Promise<string[]> {
  const lines: string[] = []
  // As text, because the two drivers return objects with different prototypes.
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
  // Results stored for an Idempotency-Key have the row of an animal with its random version.
  return lines.map((line) => line.replace(/^(idempotency .*?\\"version\\":)\d{15}/, '$1drawn'))
}
