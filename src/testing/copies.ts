import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { changes } from '../changes.ts'
import { copyStore, type Stores } from '../db/copy.ts'
import { openForCommand } from '../db/open-database.ts'
import { fileOf, isPostgres } from '../db/store-url.ts'
import { scratchFolder } from './start-app.ts'

// For tests that copy a store to another engine.

export const silent = (): void => undefined
export const copy = (stores: Stores) => copyStore(stores, silent)
export const scratchFile = (t: TestContext): string => `sqlite:${join(scratchFolder(t), 'test.db')}`
export const argumentsOf = ({ from, to }: Stores): string[] => ['copy', '--from', from, '--to', to]

/** Statements straight in a store, of a test whose matter no request can make. */
export async function inStore(url: string, ...statements: string[]): Promise<unknown[][]> {
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
