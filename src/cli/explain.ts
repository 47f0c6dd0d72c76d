import { resolve, sep } from 'node:path'
import type { Config } from '../config.ts'
import { portAdvice } from './port-advice.ts'

/** What Node tells when the system refuses a file or an address. */
interface Refused extends NodeJS.ErrnoException {
  address?: string
  port?: number
}

/**
 * One line for the operator: of what the system refused it names the setting and says what to do, and passes
 * on every other message.
 */
export function explain(error: unknown, config: Config | undefined): string {
  const { code = '', syscall, address, port, path, message } = error as Refused
  if (!config) return message
  if ((syscall === 'listen' || syscall === 'bind') && port !== undefined) {
    // Of several workers each takes the next port behind METRICS_PORT.
    const setting = port === config.port ? 'PORT' : 'METRICS_PORT'
    if (code === 'EADDRINUSE')
      return `${setting}: another program has port ${port} (${code}); ${portAdvice(setting, code)}`
    const host = setting.replace('PORT', 'HOST')
    return `${host} and ${setting}: nobody can listen on ${address} port ${port} (${code}); ${portAdvice(setting, code)}`
  }
  if (path !== undefined && isOfStore(path, config.databaseUrl)) {
    return `DATABASE_URL: the store cannot be opened (${message}); name a file in a folder where this user may write`
  }
  return message
}

/** Whether it is the file, its lock, or a folder on the way there. */
function isOfStore(path: string, databaseUrl: string): boolean {
  if (!databaseUrl.startsWith('sqlite:')) return false
  const [refused, file] = [resolve(path), resolve(databaseUrl.slice('sqlite:'.length))]
  return refused === file || refused === `${file}.lock` || file.startsWith(`${refused}${sep}`)
}
