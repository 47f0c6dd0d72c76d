import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { scratchFolder, startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import type { Random } from '../lab/random.ts'
import type { StoreContent } from './corrupt-views.ts'

export interface Original extends StoreContent {
  folder: string
  key: string
  /** The SQL of its tables, indexes and triggers. */
  schema: string
}

/** Number of animals in the file; more are in the log. */
export const ANIMALS_IN_FILE = 300
const ANIMALS_IN_LOG = 40
const STATUSES = ['available', 'pending', 'sold', undefined]

/** Makes a store as a kill leaves it, with the last changes only in the log. */
export async function makeOriginal(t: TestContext): Promise<Original> {
  const folder = scratchFolder(t)
  const databaseUrl = `sqlite:${fileIn(folder)}`
  const animals: string[] = []
  for (const count of [ANIMALS_IN_FILE, ANIMALS_IN_LOG]) {
    const app = await startApp(t, { databaseUrl, key: UNLIMITED })
    for (let number = 0; number < count; number += 1) {
      const newPet = {
        name: `Animal number ${number}`,
        categoryId: (number % 8) + 1,
        status: STATUSES[number % 4],
      }
      animals.push((await app.post('/v1/pets', newPet, { 'idempotency-key': `${count}-${number}` })).text)
    }
    if (count === ANIMALS_IN_FILE) await app.stop()
    else {
      const categories = (await app.get('/v1/categories')).text
      const copy = copyOf(t, folder)
      return { folder: copy, key: app.key, animals, categories, schema: stateOf(copy).schema }
    }
  }
  throw new Error('no animals in the log')
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
  /** Text for the message of a failure. */
  description: string
  kind: 'flip' | 'truncate' | 'zero' | 'remove'
  /** Suffix of the damaged file. */
  end: '' | '-wal' | '-shm'
  /** Whether the log was damaged. SQLite keeps the part of the log before the damage. */
  inLog: boolean
}

const PAGE_BYTES = 4_096

/** Damages one file of a store. @param served the log is empty, so damage the file itself */
export function damage(folder: string, random: Random, served = false): Damage {
  const end = random.weighted([
    [7, ''],
    [served ? 0 : 2, '-wal'],
    [served ? 0 : 1, '-shm'],
  ] as const)
  const file = fileIn(folder) + end
  const { size } = statSync(file)
  const kind = random.weighted([
    [6, 'flip'],
    [2, 'truncate'],
    [2, 'zero'],
    [end === '' ? 0 : 2, 'remove'],
  ] as const)
  const place = random.integer(1, size - 1)
  const mask = random.integer(1, 255)
  if (kind === 'remove') rmSync(file)
  else if (kind === 'truncate') truncateSync(file, place)
  else {
    const bytes = readFileSync(file)
    const page = place - (place % PAGE_BYTES)
    if (kind === 'flip') bytes[place] = (bytes[place] ?? 0) ^ mask
    else bytes.fill(0, page, page + PAGE_BYTES)
    // Written in place, because a service may have the file open.
    writeFileSync(file, bytes, { flag: 'r+' })
  }
  return { description: `${kind} ${NAME}${end} at ${place} by ${mask}`, kind, end, inLog: end === '-wal' }
}

/** The findings of SQLite itself about a store. */
export interface State {
  /** Whether SQLite finds no fault. */
  intact: boolean
  /** The SQL of its tables, indexes and triggers; empty if unreadable. */
  schema: string
}

export function stateOf(folder: string): State {
  const copy = mkdtempSync(join(tmpdir(), 'adoptable-state-'))
  try {
    cpSync(folder, copy, { recursive: true })
    // Opened for writing, because on a read-only connection `integrity_check` skips CHECK constraints.
    const database = new DatabaseSync(fileIn(copy))
    try {
      const intact = database.prepare('pragma integrity_check').get()?.integrity_check === 'ok'
      const rows = database.prepare('select sql from sqlite_schema order by rowid').all()
      return { intact, schema: rows.map(({ sql }) => sql).join('\n') }
    } finally {
      database.close()
    }
  } catch {
    return { intact: false, schema: '' }
  } finally {
    rmSync(copy, { recursive: true })
  }
}
