import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** One line for the operator: which setting is wrong and what it may be. */
export class ConfigError extends Error {}

/** Several settings may be wrong at once: the message is one line for all of them. */
export class SettingsError extends ConfigError {
  /** Of each wrong setting its name and what it may be. */
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

export interface Setting<Value> {
  /** The default as it would stand in the environment; empty when it follows from other settings. */
  default: string
  meaning: string
  read(text: string): Value
}

export function setting<Value>(
  fallback: string,
  meaning: string,
  read: (text: string) => Value,
): Setting<Value> {
  return { default: fallback, meaning, read }
}

/** Settings that were given as options of the command line. */
export type Typed = Record<string, { option: string; value: string }>

type Values<Settings> = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never
}

/**
 * Reads every setting; a variable that is absent or empty takes its default.
 *
 * @param typed what was given on the command line, which wins; its errors name the option
 * @returns the values, without those of wrong settings, and what is wrong with these
 */
export function readSettings<Settings extends Record<string, Setting<unknown>>>(
  settings: Settings,
  environment: Record<string, string | undefined>,
  typed: Typed = {},
): { values: Values<Settings>; problems: string[] } {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, { default: fallback, read }] of Object.entries(settings)) {
    try {
      values[name] = read(typed[name]?.value ?? (environment[name] || fallback))
    } catch (error) {
      problems.push(`${typed[name]?.option ?? name} ${(error as ConfigError).message}`)
    }
  }
  return { values: values as Values<Settings>, problems }
}

export function whole(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d{1,10}$/.test(text) || value < least || value > most) {
      throw new ConfigError(`must be a whole number from ${least} to ${most}`)
    }
    return value
  }
}

export function oneOf<const Choice extends string>(...choices: Choice[]) {
  return (text: string): Choice => {
    const choice = choices.find((known) => known === text)
    if (!choice) throw new ConfigError(`must be one of: ${choices.join(', ')}`)
    return choice
  }
}

/** Labels of letters, digits and hyphens with dots between them (RFC 1123), or an IP address. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9][a-z0-9_-]{0,62}(\.[a-z0-9][a-z0-9_-]{0,62})*\.?$/i

export function host(value: string): string {
  // What ends in a number can only be an address (WHATWG URL): 127.0.0 and 256.1.1.1 are none.
  const isName = HOST_NAME.test(value) && !/(^|\.)\d+\.?$/.test(value)
  if (isIP(value) > 0 || isName) return value
  throw new ConfigError(
    'must be an IP address such as 127.0.0.1 or ::1, or a host name in ASCII (of another one its form xn--…)',
  )
}

export function databaseUrl(value: string): string {
  // SQLite would take those for something else than a file, and keep nothing.
  if (/^sqlite:(?::memory:|file:)/i.test(value)) throw new ConfigError('must name a file, by its path alone')
  if (/^sqlite:.+/.test(value)) return value
  if (/^postgres(ql)?:\/\/./.test(value) && URL.canParse(value)) {
    // A part of the password then, which messages would show as the name of the database.
    if (value.includes('@') && new URL(value).username === '')
      throw new ConfigError('must have / # ? in the password written as %2F %23 %3F')
    return value
  }
  throw new ConfigError(
    'must be sqlite: and a file, such as sqlite:data/adoptable.db, or postgres://user:password@host/database',
  )
}

export function redisUrl(value: string): string | undefined {
  if (value === '') return undefined
  if (/^rediss?:\/\/./.test(value) && URL.canParse(value)) return value
  throw new ConfigError('must be redis://host:port or, with TLS, rediss://host:port')
}

export function photosUrl(value: string): string | undefined {
  if (value === '') return undefined
  if (/^file:.+/.test(value)) return value
  const url = /^s3(\+http)?:\/\/./.test(value) && URL.canParse(value) ? new URL(value) : undefined
  const isWhole = url?.username && url.password && url.host && /^\/[^/]+$/.test(url.pathname)
  const isReadable = isDecodable(value) && URL.canParse(`https://${url?.host}`)
  if (isWhole && isReadable) return value
  throw new ConfigError(
    'must be file: and a folder, such as file:data/photos, or s3://key:secret@host/bucket?region=…, with / # % in key and secret written as %2F %23 %25',
  )
}

/** Whether each % in it begins a character. */
export function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** An address that names can be put behind. */
export function filesUrl(value: string): string | undefined {
  if (value === '') return undefined
  if (!URL.canParse(value) || !/^https?:\/\/[^?#@]+[^?#@/]$/.test(value))
    throw new ConfigError('must be an http(s) address without a slash at its end, user, password or query')
  return value
}

export function publicUrl(value: string): string | undefined {
  if (value === '') return undefined
  // No @, of which none is part of a name or a path here: what stands before it may be a password.
  if (!URL.canParse(value) || !/^https?:\/\/[^?#@]+\/v1$/.test(value)) {
    throw new ConfigError('must be an http(s) address that ends in /v1, without user or password')
  }
  // It stands in headers, which cannot hold every character.
  const { href } = new URL(value)
  if (href !== value) throw new ConfigError(`must be written as ${href}`)
  return value
}

export function proxies(value: string): string[] {
  if (value === '') return []
  const list = value.split(',').map((part) => part.trim())
  for (const part of list) {
    if (part !== 'loopback' && !ipaddr.isValid(part) && !ipaddr.isValidCIDR(part)) {
      throw new ConfigError(
        'must be addresses or networks such as 10.0.0.0/8, separated by commas, or loopback',
      )
    }
  }
  return list
}

/** Origins as browsers send them (RFC 6454, section 6.2), or * for every one. */
export function origins(value: string): string[] {
  if (value === '') return []
  const list = value.split(',').map((part) => part.trim())
  if (list.includes('*') && list.length > 1)
    throw new ConfigError('must be * alone, or origins separated by commas')
  for (const part of list.filter((one) => one !== '*')) {
    if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/i.test(part) || !URL.canParse(part))
      throw new ConfigError('must be origins such as https://app.example.org, separated by commas, or *')
    const { origin } = new URL(part)
    // Of schemes that are none of the web, such as an app's own, the URL standard knows no origin.
    if (origin !== 'null' && origin !== part) throw new ConfigError(`must have ${part} written as ${origin}`)
  }
  return list
}
