import { writeSync } from 'node:fs'
import { DatabaseSync, StatementSync } from 'node:sqlite'

// Preloaded into a service, whose log puts an error of SQLite into words: tells its code on stderr.

type Method = (...args: unknown[]) => unknown

function tellCodes(methods: Record<string, Method>, names: string[]): void {
  for (const name of names) {
    const method = methods[name] as Method
    methods[name] = function (this: unknown, ...args) {
      try {
        return method.apply(this, args)
      } catch (error) {
        writeSync(2, `code ${(error as { errcode?: number }).errcode}\n`)
        throw error
      }
    }
  }
}

tellCodes(DatabaseSync.prototype as never, ['exec', 'prepare'])
tellCodes(StatementSync.prototype as never, ['run', 'get', 'all', 'iterate'])

export const TELLS_CODES = { NODE_OPTIONS: `--import ${import.meta.url}` }
