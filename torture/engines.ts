import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import pino from 'pino'
import { openForCommand } from '../src/db/database.ts'
import type { Db } from '../src/db/tables.ts'
import { generateKey, hashKey } from '../src/keys/key-format.ts'
import * as keyStore from '../src/keys/store.ts'
import { sweep } from '../src/sweep.ts'
import { cleanup } from '../src/testing/cleanup.ts'
import { scratchDatabase } from '../src/testing/postgres.ts'
import { scratchFolder, startApp, UNLIMITED } from '../src/testing/start-app.ts'
import { connection, headOf, type Wire } from './connection.ts'

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

/** A request, and what happens before it. */
export interface Step extends Wire {
  advanceMs?: number | undefined
  /** What else the service does every minute. */
  sweep?: boolean
}

export interface Heard {
  status: number
  headers: Record<string, string>
  text: string
}

/** Both services, their clocks at `now`. */
export async function startEngines(t: TestContext, now: number) {
  // The service's own rounds of sweeping would come between any two requests; here they are steps.
  t.mock.timers.enable({ apis: ['setInterval'] })
  const keys = Object.fromEntries(
    Object.keys(KEYS).map((name) => [name, generateKey(name === 'staging' ? 'staging' : 'production')]),
  ) as Keys
  const startOn = async (databaseUrl: string) => {
    await prepare(databaseUrl, keys, now)
    const app = await startApp(t, { databaseUrl, now, settings: SETTINGS })
    const { ask, close } = connection(app.port)
    cleanup(t).defer(close)
    return { ...app, ask }
  }
  const sqlite = await startOn(`sqlite:${join(scratchFolder(t), 'test.db')}`)
  const postgres = await startOn(await scratchDatabase(t))
  const both = [sqlite, postgres]

  /** Takes a step on both. @throws when they answer differently, or one with a 5xx */
  async function compare(step: Step): Promise<Heard> {
    for (const { clock } of both) clock.now += step.advanceMs ?? 0
    if (step.sweep)
      await Promise.all(both.map(({ service }) => sweep(service.context, pino({ enabled: false }))))
    const [one, two] = (await Promise.all(
      both.map(({ ask }) => ask(step).catch((error: Error) => Buffer.from(error.message))),
    )) as [Buffer, Buffer]
    const heard = read(one)
    const same = comparable(one) === comparable(two)
    if (same && heard.status < 500) return heard
    throw new Error(
      report(same ? 'answered with a 5xx' : 'answered differently', sqlite.clock.now, step, one, two),
    )
  }

  /** What no answer shows: every row of both stores. */
  async function compareRows(): Promise<void> {
    const [one, two] = await Promise.all(both.map(({ service }) => rowsOf(service.context.db)))
    assert.deepEqual(two, one, 'the rows in PostgreSQL are not those in SQLite')
  }
  return { keys, sqlite, postgres, compare, compareRows }
}

async function prepare(url: string, keys: Keys, now: number): Promise<void> {
  const { db, write, close } = await openForCommand(url)
  await db.updateTable('secret').set({ value: CURSOR_SECRET }).where('name', '=', 'cursor').execute()
  for (const [name, key] of Object.entries(KEYS)) {
    if (!key) continue
    const id = await write(keyStore.insertKey, { name, ...key }, hashKey(keys[name as keyof Keys]), now)
    if (name === 'revoked') await write(keyStore.revokeKey, id, now)
    if (name === 'ending')
      await write(keyStore.rotateKey, id, hashKey(generateKey('production')), now, OVERLAP_MS)
  }
  await close()
}

function read(answer: Buffer): Heard {
  const head = headOf(answer)
  const [first = '', ...lines] = head.trimEnd().split('\r\n')
  const fields = lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string])
  const headers = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]))
  return { status: Number(first.split(' ')[1] ?? 599), headers, text: answer.toString('utf8', head.length) }
}

/** All but the time of day, and an id that the service made up where it could not read one. */
function comparable(answer: Buffer): string {
  const head = headOf(answer)
    .replace(/\r\ndate: [^\r]*/i, '')
    .replace(/(\r\nx-request-id: )[\da-f]{12}-[\da-z]+/i, '$1*')
  return head + answer.toString('latin1', headOf(answer).length)
}

const SHOWN_BYTES = 6_000

function report(what: string, now: number, { bytes }: Step, one: Buffer, two: Buffer): string {
  const show = (some: Buffer): string => some.toString('utf8', 0, SHOWN_BYTES)
  return [
    `a request is ${what}, at ${new Date(now).toISOString()}:`,
    ...['', show(bytes), '--- SQLite:', show(one), '--- PostgreSQL:', show(two)],
  ].join('\n')
}

async function rowsOf(db: Db) {
  const pet = [
    'id',
    'name',
    'category_id',
    'status',
    'created_at',
    'created_by',
    'updated_at',
    'version',
  ] as const
  const order = ['id', 'pet_id', 'status', 'adopter', 'placed_by', 'placed_at', 'decided_at'] as const
  const inventory = await db
    .selectFrom('inventory')
    .select(['category_id', 'status'])
    .select(({ fn }) => fn.sum('pets').as('pets'))
    .groupBy(['category_id', 'status'])
    .orderBy('category_id')
    .orderBy('status')
    .execute()
  const rows = {
    categories: await db
      .selectFrom('category')
      .select(['id', 'name', 'folded_name', 'description'])
      .orderBy('id')
      .execute(),
    pets: await db.selectFrom('pet').select(pet).orderBy('id').execute(),
    changes: await db
      .selectFrom('pet_change')
      .select(['id', 'pet_id', 'at', 'key_id', 'changes'])
      .orderBy('id')
      .execute(),
    orders: await db.selectFrom('adoption_order').select(order).orderBy('id').execute(),
    results: await db
      .selectFrom('idempotency')
      .select(['scope', 'fingerprint', 'result', 'expires_at'])
      .orderBy('scope')
      .execute(),
    inventory: inventory.map((row) => ({ ...row, pets: Number(row.pets) })).filter(({ pets }) => pets !== 0),
  }
  // As text: the two drivers make objects of different kinds.
  return Object.entries(rows).flatMap(([table, all]) => all.map((row) => `${table} ${JSON.stringify(row)}`))
}
