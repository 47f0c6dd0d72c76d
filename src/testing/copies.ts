import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { changes } from '../changes.ts'
import { type CopyUrls, copyStore } from '../db/copy.ts'
import { openForCommand } from '../db/open-database.ts'
import { fileOf, isPostgres } from '../db/store-url.ts'
import { scratchFolder } from './start-app.ts'

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
