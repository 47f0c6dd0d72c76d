import { existsSync, statfsSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import type { Config } from '../config.ts'
import { fileOf, isPostgres } from '../db/store-url.ts'

/** An error of Node.js for a file or an address. */
interface SystemError extends NodeJS.ErrnoException {
  address?: string
  port?: number
}

/**
 * Returns one line for the operator. For an error of the operating system, the line names the setting and
 * says what to do. The message of any other error is returned unchanged.
 * @param nameOf how the person named a setting: an option, or the setting itself
 */
export function explain(
  error: unknown,
  config: Config | undefined,
  nameOf: (setting: string) => string,
): string {
  const { code = '', syscall, address, port, path, message } = error as SystemError
  if (!config) return message
  if ((syscall === 'listen' || syscall === 'bind') && port !== undefined) {
    // Each worker uses its own port, counted from METRICS_PORT.
    const setting = port === config.port ? 'PORT' : 'METRICS_PORT'
    const [name, host] = [nameOf(setting), nameOf(setting.replace('PORT', 'HOST'))]
    if (code === 'EADDRINUSE')
      return `${name}: port ${port} is used by another program (${code}); ${portAdvice(name, host, code)}`
    return `${host} and ${name}: cannot listen on ${address} port ${port} (${code}); ${portAdvice(name, host, code)}`
  }
  const full = findFullFolder(error, config.databaseUrl)
  if (full !== undefined)
    return `${nameOf('DATABASE_URL')}: the disk of ${full} is full; free some space, then try again`
  if (path !== undefined && isOfStore(path, config.databaseUrl)) {
    return `${nameOf('DATABASE_URL')}: cannot open the store (${message}); name a file in a folder where this user may write`
  }
  return message
}

/** Whether a path is the store file, its lock, or one of its parent folders. */
function isOfStore(path: string, databaseUrl: string): boolean {
  if (isPostgres(databaseUrl)) return false
  const [refused, file] = [resolve(path), resolve(fileOf(databaseUrl))]
  return refused === file || refused === `${file}.lock` || file.startsWith(`${refused}${sep}`)
}

/** Advice if the service cannot listen. `port` and `host` are names of settings or options. */
export function portAdvice(port: string, host: string, code: string): string {
  if (code === 'EADDRINUSE') return `stop that program (ss -ltnp shows it), or set ${port}`
  return `choose another ${host} or ${port}; ports below 1024 need extra rights`
}

const FULL_CODES = ['ENOSPC', 'EDQUOT']
/** The SQLite result code of a full disk, and two other codes that a full disk may also cause. */
const FULL = 13
const MAYBE_FULL = [10, 14]
/** With less free space, opening a store usually fails. */
const LITTLE_BYTES = 262_144

type Failure = Error & { code?: string; errcode?: number }

/** @returns the folder of the SQLite store if a full disk there caused the error */
function findFullFolder(error: unknown, databaseUrl: string): string | undefined {
  if (isPostgres(databaseUrl)) return undefined
  const folder = findExistingFolder(dirname(resolve(fileOf(databaseUrl))))
  for (let cause = error as Failure | undefined; cause; cause = cause.cause as Failure | undefined) {
    const result = (cause.errcode ?? 0) & 0xff
    if (FULL_CODES.includes(cause.code ?? '') || result === FULL) return folder
    if (MAYBE_FULL.includes(result) && hasLittleRoom(folder)) return folder
  }
  return undefined
}

function findExistingFolder(folder: string): string {
  return existsSync(folder) ? folder : findExistingFolder(dirname(folder))
}

function hasLittleRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < LITTLE_BYTES
  } catch {
    return false
  }
}
