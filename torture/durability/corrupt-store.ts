import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { scratchFolder, startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import type { Random } from '../lab/random.ts'
import type { Held } from './corrupt-views.ts'

export interface Original extends Held {
  folder: string
  key: string
  /** The text of its tables, indexes and triggers. */
  schema: string
}

/** So many are in the file, and in the log beside it. */
export const IN_THE_FILE = 300
const IN_THE_LOG = 40
const STATUSES = ['available', 'pending', 'sold', undefined]

/** A store as a kill leaves it: the last changes are in the log alone. */
export async function makeOriginal(t: TestContext): Promise<Original> {
  const folder = scratchFolder(t)
  const databaseUrl = `sqlite:${fileIn(folder)}`
  const animals: string[] = []
  for (const count of [IN_THE_FILE, IN_THE_LOG]) {
    const app = await startApp(t, { databaseUrl, key: UNLIMITED })
    for (let turn = 0; turn < count; turn += 1) {
      const newPet = { name: `Animal number ${turn}`, categoryId: (turn % 8) + 1, status: STATUSES[turn % 4] }
      animals.push((await app.post('/v1/pets', newPet, { 'idempotency-key': `${count}-${turn}` })).text)
    }
    if (count === IN_THE_FILE) await app.stop()
    else {
      const categories = (await app.get('/v1/categories')).text
      const copy = copyOf(t, folder)
      return { folder: copy, key: app.key, animals, categories, schema: stateOf(copy).schema }
    }
  }
  throw new Error('nothing is in the log')
}

const NAME = 'adoptable.db'

export function fileIn(folder: string): string {
  return join(folder, NAME)
}

export function copyOf(t: TestContext, folder: string): string {
  const copy = scratchFolder(t)
  cpSync(folder, copy, { recursive: true })
  return copy
}

export interface Damage {
  /** What was done, for the message of a failure. */
  told: string
  kind: 'flip' | 'truncate' | 'zero' | 'remove'
  /** Behind the name of the store: which of its files was damaged. */
  end: '' | '-wal' | '-shm'
  /** Whether it was done to the log, of which SQLite keeps what comes before the damage. */
  inLog: boolean
}

const PAGE_BYTES = 4_096

/** Damages one of the files of a store; of a served one, whose log is empty, the file itself. */
export function damage(folder: string, random: Random, served = false): Damage {
  const end = random.weighed([
    [7, ''],
    [served ? 0 : 2, '-wal'],
    [served ? 0 : 1, '-shm'],
  ] as const)
  const file = fileIn(folder) + end
  const { size } = statSync(file)
  const kind = random.weighed([
    [6, 'flip'],
    [2, 'truncate'],
    [2, 'zero'],
    [end === '' ? 0 : 2, 'remove'],
  ] as const)
  const place = random.whole(1, size - 1)
  const mask = random.whole(1, 255)
  if (kind === 'remove') rmSync(file)
  else if (kind === 'truncate') truncateSync(file, place)
  else {
    const bytes = readFileSync(file)
    const page = place - (place % PAGE_BYTES)
    if (kind === 'flip') bytes[place] = (bytes[place] ?? 0) ^ mask
    else bytes.fill(0, page, page + PAGE_BYTES)
    // In place, since a service may have it open.
    writeFileSync(file, bytes, { flag: 'r+' })
  }
  return { told: `${kind} ${NAME}${end} at ${place} by ${mask}`, kind, end, inLog: end === '-wal' }
}

/** What SQLite itself says of a store. */
export interface State {
  /** Whether it finds nothing wrong. */
  sound: boolean
  /** The text of its tables, indexes and triggers, as far as it can be read. */
  schema: string
}

export function stateOf(folder: string): State {
  const copy = mkdtempSync(join(tmpdir(), 'adoptable-state-'))
  try {
    cpSync(folder, copy, { recursive: true })
    // On a connection that could write, since one that only reads leaves the CHECK constraints out.
    const database = new DatabaseSync(fileIn(copy))
    try {
      const sound = database.prepare('pragma integrity_check').get()?.integrity_check === 'ok'
      const rows = database.prepare('select sql from sqlite_schema order by rowid').all()
      return { sound, schema: rows.map(({ sql }) => sql).join('\n') }
    } finally {
      database.close()
    }
  } catch {
    return { sound: false, schema: '' }
  } finally {
    rmSync(copy, { recursive: true })
  }
}
