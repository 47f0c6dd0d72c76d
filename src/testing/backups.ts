import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { runCli } from './process.ts'

// For tests of backups.

/** A store at rest: it has the tables, a key and no animal. */
export async function storeOf(t: TestContext, folder: string): Promise<Record<string, string>> {
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'test.db')}` }
  await runCli(t, ['keys', 'create', '--init', '--name', 'a', '--plan', 'free'], settings)
  return settings
}

export const copies = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !/^(?:test\.db|photos$)/.test(name))
