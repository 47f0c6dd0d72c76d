import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { changes } from '../changes.ts'
import { type CopyUrls, copyStore } from '../db/copy.ts'
import { openForCommand } from '../db/open-database.ts'
import { fileOf, isPostgres } from '../db/store-url.ts'
import { makeKey, scratchFolder } from './start-app.ts'

// Helpers for tests that copy a store to another engine.

export const ignoreProgress = (): void => undefined
export const copy = (stores: CopyUrls) => copyStore(stores, ignoreProgress)
export const scratchFile = (t: TestContext): string => `sqlite:${join(scratchFolder(t), 'test.db')}`
export const copyArguments = ({ from, to }: CopyUrls): string[] => ['copy', '--from', from, '--to', to]

/** Runs SQL on a store, for data that requests cannot create. @returns the rows of the last statement */
export async function runInStore(url: string, ...statements: string[]): Promise<unknown[][]> {
  if (!isPostgres(url)) {
    using database = new DatabaseSync(fileOf(url))
    const all = (statement: string) => {
      const prepared = database.prepare(statement)
      prepared.setReturnArrays(true)
      return prepared.all() as unknown as unknown[][]
    }
    return statements.map(all).at(-1) ?? []
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: unknown[][] = []
    for (const text of statements) ({ rows } = await client.query({ text, rowMode: 'array' }))
    return rows
  } finally {
    await client.end()
  }
}

export const makeTables = async (url: string): Promise<void> => (await openForCommand(url, changes)).close()

const ANIMALS = (count: number): string => `
  with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
  insert into pet (name, category_id, status, created_at, updated_at)
  select 'Rex ' || i, 1 + i % 8, case i % 3 when 0 then 'available' when 1 then 'sold' end, i, i from n`

/** A store on SQLite with many rows. */
export async function largeStore(t: TestContext, animals: number): Promise<string> {
  const url = scratchFile(t)
  await makeKey(url)
  await runInStore(
    url,
    ANIMALS(animals),
    `insert into pet_change (pet_id, at, key_id, changes) select id, 0, 1, '{}' from pet where id % 2 = 0`,
    `insert into counter select 'ip:' || id, 0, 1, 0, 1, 0, 0, 9 from pet where id % 5 = 0`,
    'delete from pet where id % 10 = 0',
  )
  return url
}

/** A store on SQLite without rows of its own. */
export async function otherStore(t: TestContext): Promise<string> {
  const url = scratchFile(t)
  await makeTables(url)
  return url
}

/** Checks that an error has this message, in one line and without a password. */
export function isLine(expected: RegExp) {
  return ({ message }: Error): boolean => {
    assert.match(message, expected)
    assert.doesNotMatch(message, /\n|secret/)
    return true
  }
}
