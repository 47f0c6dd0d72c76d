import { resolve, sep } from 'node:path'
import type { Config } from '../config.ts'
import { fileOf, isPostgres } from '../db/store-url.ts'
import { fullFolder } from './full-folder.ts'
import { portAdvice } from './port-advice.ts'

/** What Node tells when the system refuses a file or an address. */
interface Refused extends NodeJS.ErrnoException {
  address?: string
  port?: number
}

/**
 * One line for the operator: of what the system refused it names the setting and says what to do, and passes
 * on every other message.
 *
 * @param typed how the person named a setting: an option, or the setting itself
 */
export function explain(
  error: unknown,
  config: Config | undefined,
  typed: (setting: string) => string,
): string {
  const { code = '', syscall, address, port, path, message } = error as Refused
  if (!config) return message
  if ((syscall === 'listen' || syscall === 'bind') && port !== undefined) {
    // Of several workers each takes the next port behind METRICS_PORT.
    const setting = port === config.port ? 'PORT' : 'METRICS_PORT'
    const [name, host] = [typed(setting), typed(setting.replace('PORT', 'HOST'))]
    if (code === 'EADDRINUSE')
      return `${name}: another program has port ${port} (${code}); ${portAdvice(name, host, code)}`
    return `${host} and ${name}: nobody can listen on ${address} port ${port} (${code}); ${portAdvice(name, host, code)}`
  }
  const full = fullFolder(error, config.databaseUrl)
  if (full !== undefined)
    return `${typed('DATABASE_URL')}: there is no room left on the disk of ${full}; free some, then try again`
  if (path !== undefined && isOfStore(path, config.databaseUrl)) {
    return `${typed('DATABASE_URL')}: the store cannot be opened (${message}); name a file in a folder where this user may write`
  }
  return message
}

/** Whether it is the file, its lock, or a folder on the way there. */
function isOfStore(path: string, databaseUrl: string): boolean {
  if (isPostgres(databaseUrl)) return false
  const [refused, file] = [resolve(path), resolve(fileOf(databaseUrl))]
  return refused === file || refused === `${file}.lock` || file.startsWith(`${refused}${sep}`)
}
