import { writeSync } from 'node:fs'
import { DatabaseSync, StatementSync } from 'node:sqlite'

// Preloaded into a service: writes the codes of SQLite errors to stderr. Its log has only the message.

type Method = (...args: unknown[]) => unknown

function reportCodes(methods: Record<string, Method>, names: string[]): void {
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

reportCodes(DatabaseSync.prototype as never, ['exec', 'prepare'])
reportCodes(StatementSync.prototype as never, ['run', 'get', 'all', 'iterate'])

export const REPORT_SQLITE_CODES = { NODE_OPTIONS: `--import ${import.meta.url}` }
