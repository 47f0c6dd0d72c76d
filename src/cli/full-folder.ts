import { statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileOf, isPostgres } from '../db/store-url.ts'

const FULL_CODES = ['ENOSPC', 'EDQUOT']
/** SQLite's results: no room, and two that it gives for want of room too. */
const FULL = 13
const MAYBE_FULL = [10, 14]
/** With less than this a store can hardly be opened. */
const LITTLE_BYTES = 262_144

type Failure = Error & { code?: string; errcode?: number }

/** @returns the folder of the embedded store, when it is for want of room there that something failed */
export function fullFolder(error: unknown, databaseUrl: string): string | undefined {
  if (isPostgres(databaseUrl)) return undefined
  const folder = existingFolder(dirname(resolve(fileOf(databaseUrl))))
  for (let cause = error as Failure | undefined; cause; cause = cause.cause as Failure | undefined) {
    const result = (cause.errcode ?? 0) & 0xff
    if (FULL_CODES.includes(cause.code ?? '') || result === FULL) return folder
    if (MAYBE_FULL.includes(result) && hasLittleRoom(folder)) return folder
  }
  return undefined
}

function existingFolder(folder: string): string {
  const found = statfs(folder)
  return found || folder === dirname(folder) ? folder : existingFolder(dirname(folder))
}

function hasLittleRoom(folder: string): boolean {
  const found = statfs(folder)
  return found !== undefined && found.bavail * found.bsize < LITTLE_BYTES
}

function statfs(folder: string) {
  try {
    return statfsSync(folder)
  } catch {
    return undefined
  }
}
