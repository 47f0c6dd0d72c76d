import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { runCli } from './process.ts'

// Helpers for tests of backups.

/** Creates a store that no process uses, with a key and no animals. @returns its settings */
export async function createStore(t: TestContext, folder: string): Promise<Record<string, string>> {
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'test.db')}` }
  await runCli(t, ['keys', 'create', '--init', '--name', 'a', '--plan', 'free'], settings)
  return settings
}

/** Lists the files in a folder, without the store and its photos. */
export const copies = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !/^(?:test\.db|photos$)/.test(name))
