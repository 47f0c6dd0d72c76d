import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Environment = Record<string, string | undefined>

/** The settings that are wrong, each with its name and what it may be, in one line for the operator. */
export class ConfigError extends Error {
  readonly problems: string[]

  constructor(...problems: string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

interface Setting<Value> {
  /** The default as it would stand in the environment; empty when it follows from other settings. */
  default: string
  meaning: string
  read(text: string): Value
}

function setting<Value>(fallback: string, meaning: string, read: (text: string) => Value): Setting<Value> {
  return { default: fallback, meaning, read }
}

/** A setting that may be empty. */
function optional<Value>(read: (text: string) => Value) {
  return (text: string): Value | undefined => (text === '' ? undefined : read(text))
}

/** Separated by commas. */
function listOf<Value>(read: (text: string) => Value) {
  return (text: string): Value[] => (text === '' ? [] : text.split(',').map((part) => read(part.trim())))
}

export function whole(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d{1,10}$/.test(text) || value < least || value > most)
      throw new ConfigError(`must be a whole number from ${least} to ${most}`)
    return value
  }
}

function oneOf<const Choice extends string>(...choices: Choice[]) {
  return (text: string): Choice => {
    const choice = choices.find((known) => known === text)
    if (!choice) throw new ConfigError(`must be one of: ${choices.join(', ')}`)
    return choice
  }
}

/** Labels of letters, digits and hyphens with dots between them (RFC 1123), or an IP address. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9][a-z0-9_-]{0,62}(\.[a-z0-9][a-z0-9_-]{0,62})*\.?$/i

function host(value: string): string {
  // What ends in a number can only be an address (WHATWG URL): 127.0.0 and 256.1.1.1 are none.
  const isName = HOST_NAME.test(value) && !/(^|\.)\d+\.?$/.test(value)
  if (isIP(value) > 0 || isName) return value
  throw new ConfigError(
    'must be an IP address such as 127.0.0.1 or ::1, or a host name in ASCII (of another one its form xn--…)',
  )
}

export function databaseUrl(value: string): string {
  // SQLite reads these as something other than a file, and keeps nothing.
  if (/^sqlite:(?::memory:|file:)/i.test(value)) throw new ConfigError('must name a file, by its path alone')
  if (/^sqlite:.+/.test(value)) return value
  if (/^postgres(ql)?:\/\/./.test(value) && URL.canParse(value)) {
    // Then a part of the password is read as the name of the database, which messages show.
    if (value.includes('@') && new URL(value).username === '')
      throw new ConfigError('must have / # ? in the password written as %2F %23 %3F')
    return value
  }
  throw new ConfigError(
    'must be sqlite: and a file, such as sqlite:data/adoptable.db, or postgres://user:password@host/database',
  )
}

function redisUrl(value: string): string {
  if (/^rediss?:\/\/./.test(value) && URL.canParse(value)) return value
  throw new ConfigError('must be redis://host:port or, with TLS, rediss://host:port')
}

export function photosUrl(value: string): string {
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
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** An address to which file names are added. */
function filesUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:\/\/[^?#@]+[^?#@/]$/.test(value))
    throw new ConfigError('must be an http(s) address without a slash at its end, user, password or query')
  return value
}

function publicUrl(value: string): string {
  // No @: what stands before it may be a password.
  if (!URL.canParse(value) || !/^https?:\/\/[^?#@]+\/v1$/.test(value))
    throw new ConfigError('must be an http(s) address that ends in /v1, without user or password')
  // It is sent in headers, which cannot hold every character.
  const { href } = new URL(value)
  if (href !== value) throw new ConfigError(`must be written as ${href}`)
  return value
}

function proxy(value: string): string {
  if (value === 'loopback' || ipaddr.isValid(value) || ipaddr.isValidCIDR(value)) return value
  throw new ConfigError('must be addresses or networks such as 10.0.0.0/8, separated by commas, or loopback')
}

/** Origins as browsers send them (RFC 6454, section 6.2), or * for every one. */
function origins(value: string): string[] {
  return value === '*' ? ['*'] : listOf(origin)(value)
}

function origin(value: string): string {
  if (value === '*') throw new ConfigError('must be * alone, or origins separated by commas')
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/i.test(value) || !URL.canParse(value))
    throw new ConfigError('must be origins such as https://app.example.org, separated by commas, or *')
  const { origin } = new URL(value)
  // The URL standard has no origin for other schemes, such as an app's own.
  if (origin !== 'null' && origin !== value) throw new ConfigError(`must have ${value} written as ${origin}`)
  return value
}

function smtpUrl(value: string): string {
  const isAddress = /^smtps?:\/\/[^/?#]+$/.test(value) && URL.canParse(value)
  if (isAddress && new URL(value).hostname !== '' && isDecodable(value)) return value
  throw new ConfigError(
    'must be smtp://user:password@host:port or, with TLS from the beginning, smtps://…, with / # % @ in user and password written as %2F %23 %25 %40',
  )
}

/** An address, or a name and an address in brackets: it stands in a header. */
function sender(value: string): string {
  const address = value.replace(/^[^\p{Cc}<>",;:@\\]{1,100} <(.+)>$/u, '$1')
  if (/^[^\s<>,;@]{1,64}@[\w.-]{1,190}$/u.test(address)) return value
  throw new ConfigError(
    'must be an e-mail address such as pets@shelter.example, or a name and <pets@shelter.example>',
  )
}

/** The types of animals that clients under /v2 know, in the order in which they are listed. */
export const TYPE_SLUGS = [
  'dog',
  'cat',
  'rabbit',
  'small-furry',
  'horse',
  'bird',
  'scales-fins-other',
  'barnyard',
] as const
export type TypeSlug = (typeof TYPE_SLUGS)[number]

/** @returns names of categories, each with its type under /v2 */
function types(text: string): [category: string, slug: TypeSlug][] {
  return text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const at = part.lastIndexOf('=')
      const [category, type] = [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()]
      const slug = TYPE_SLUGS.find((known) => known === type)
      if (category === '' || slug === undefined)
        throw new ConfigError(
          `must be like Ferrets=small-furry;Fish=scales-fins-other, with types of: ${TYPE_SLUGS.join(', ')}`,
        )
      return [category, slug]
    })
}

/** Every setting: the environment variable, its default, its meaning and how it is read. The one list. */
export const SETTINGS = {
  HOST: setting('127.0.0.1', 'Address to listen on; 0.0.0.0 or :: for every one', host),
  PORT: setting('8080', 'Port to listen on; 0 takes a free one (set BASE_URL with it)', whole(0, 65_535)),
  DATABASE_URL: setting(
    'sqlite:data/adoptable.db',
    'Where the data is kept: sqlite: and a file, or postgres://user:password@host/database',
    databaseUrl,
  ),
  DATABASE_CONNECTIONS: setting('10', 'Connections of each process to PostgreSQL at most', whole(1, 1_000)),
  REDIS_URL: setting(
    '',
    'Where several processes share their counters: redis://host:port, or rediss:// with TLS; one process needs none',
    optional(redisUrl),
  ),
  ADOPTABLE_ENVIRONMENT: setting(
    'production',
    'production (keys adopt_live_…) or staging (keys adopt_test_…)',
    oneOf('production', 'staging'),
  ),
  BASE_URL: setting(
    '',
    'Public address of production, with /v1; when empty, this one from HOST and PORT, and none beside staging',
    optional(publicUrl),
  ),
  STAGING_BASE_URL: setting(
    '',
    'Public address of staging, with /v1; when empty, this one from HOST and PORT, and none beside production',
    optional(publicUrl),
  ),
  TRUST_PROXY: setting(
    '',
    'Proxies whose X-Forwarded-For counts: addresses, networks or loopback',
    listOf(proxy),
  ),
  CORS_ORIGINS: setting(
    '',
    'Origins whose web pages may call the service, such as https://app.example.org, separated by commas; * for all',
    origins,
  ),
  LOG_LEVEL: setting(
    'info',
    'fatal, error, warn, info, debug, trace or silent; info has one line a request',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  BAN_AFTER_REFUSALS: setting(
    '100',
    'Refused requests of a key, inside BAN_WINDOW_SECONDS, before a ban',
    whole(1, 10_000),
  ),
  BAN_WINDOW_SECONDS: setting('60', 'How close together those refusals must be', whole(1, 86_400)),
  BAN_SECONDS: setting(
    '900',
    'Length of the first ban; each further one lasts twice as long',
    whole(1, 2_592_000),
  ),
  BAN_LONGEST_SECONDS: setting('86400', 'Length no ban exceeds', whole(1, 2_592_000)),
  BAN_MEMORY_SECONDS: setting(
    '86400',
    'Time after a ban in which the next one is longer',
    whole(0, 2_592_000),
  ),
  ANONYMOUS_PER_MINUTE: setting(
    '300',
    'Requests a minute without a valid key, for each client address',
    whole(1, 1e9),
  ),
  ANONYMOUS_PER_DAY: setting(
    '10000',
    'Requests a day without a valid key, for each client address',
    whole(1, 1e9),
  ),
  ADOPTER_DATA_DAYS: setting(
    '90',
    'Days after which the adopter of a closed order, and the applicant of a decided application, are erased',
    whole(1, 36_500),
  ),
  HEADERS_TIMEOUT_SECONDS: setting('5', 'Time for the headers of a request to arrive', whole(1, 3_600)),
  REQUEST_TIMEOUT_SECONDS: setting(
    '10',
    'Time for a whole request to arrive, and for a client to take at least 10 KB of an answer that waits for it',
    whole(1, 3_600),
  ),
  KEEP_ALIVE_TIMEOUT_SECONDS: setting('65', 'Time an idle connection is kept', whole(1, 3_600)),
  STOP_TIMEOUT_SECONDS: setting('5', 'Time a stop may take before it is forced', whole(1, 3_600)),
  MAX_CONNECTIONS: setting(
    '10000',
    'Connections held at once, half of them for one client address; further ones are closed',
    whole(1, 1_000_000),
  ),
  PHOTOS_URL: setting(
    '',
    'Where the files of photos are kept: file: and a folder, or s3://key:secret@host/bucket?region=…; when empty, a folder photos beside the SQLite file, or in data/',
    optional(photosUrl),
  ),
  PHOTOS_PUBLIC_URL: setting(
    '',
    'Address under which a CDN or a proxy gives these files, such as https://cdn.example.org/photos; when empty, the service gives them itself',
    optional(filesUrl),
  ),
  SMTP_URL: setting(
    '',
    'Mail server that sends invitations and links: smtp://user:password@host:port, or smtps:// with TLS from the beginning; when empty, links are only shown',
    optional(smtpUrl),
  ),
  MAIL_FROM: setting(
    '',
    'Sender of these letters, such as Hill Shelter <pets@shelter.example>; needed with SMTP_URL',
    optional(sender),
  ),
  V2: setting(
    'on',
    'Whether clients written for the Petfinder API v2 are answered under /v2: on or off',
    oneOf('on', 'off'),
  ),
  V2_TYPES: setting(
    '',
    'Of which type the animals of other categories than the first ones are there: Ferrets=small-furry, separated by semicolons; those of none are not shown there',
    types,
  ),
  METRICS_PORT: setting(
    '',
    'Port of /metrics for Prometheus, of worker n the n-1th after it; when empty there are no metrics',
    optional(whole(0, 65_535)),
  ),
  METRICS_HOST: setting(
    '127.0.0.1',
    'Address on which METRICS_PORT listens; not one that clients reach',
    host,
  ),
} as const satisfies Record<string, Setting<unknown>>

/** Settings that were given as options of the command line. */
export type Typed = Record<string, { option: string; value: string }>

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>

/** DATABASE_URL is databaseUrl. */
type Values = {
  [Name in keyof typeof SETTINGS as CamelCase<Name>]: ReturnType<(typeof SETTINGS)[Name]['read']>
}

/** @returns the values of settings that can be read, and what is wrong with the others */
function readSettings(environment: Environment, typed: Typed) {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, { default: fallback, read }] of Object.entries(SETTINGS)) {
    const camelCase = name.toLowerCase().replace(/_(.)/g, (_all, letter) => letter.toUpperCase())
    try {
      values[camelCase] = read(typed[name]?.value ?? (environment[name] || fallback))
    } catch (error) {
      problems.push(`${typed[name]?.option ?? name} ${(error as ConfigError).message}`)
    }
  }
  return { values: values as Values, problems }
}

/** The address the service has on its own machine: what clients are told when nobody set a public one. */
function ownUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}/v1`
}

/**
 * The settings as one checked value; a variable that is absent or empty takes its default.
 *
 * @param typed options of the command line, which win
 * @throws {ConfigError} naming every setting that is wrong
 */
export function readConfig(environment: Environment, typed: Typed = {}) {
  const { values, problems } = readSettings(environment, typed)
  // 0 takes a free one for each.
  if (values.port && values.port === values.metricsPort)
    problems.push('METRICS_PORT must be another port than PORT')
  if (values.smtpUrl && values.mailFrom === undefined)
    problems.push('SMTP_URL needs MAIL_FROM, the sender of what it sends')
  if (problems.length > 0) throw new ConfigError(...problems)
  const environments = { production: values.baseUrl, staging: values.stagingBaseUrl }
  const publicUrl = environments[values.adoptableEnvironment]
  const baseUrl = publicUrl ?? ownUrl(values.host, values.port)
  return {
    ...values,
    /** When a key that keeps sending after refusals is banned, and for how long. */
    ban: {
      afterRefusals: values.banAfterRefusals,
      windowSeconds: values.banWindowSeconds,
      seconds: values.banSeconds,
      longestSeconds: values.banLongestSeconds,
      memorySeconds: values.banMemorySeconds,
    },
    anonymous: { perMinute: values.anonymousPerMinute, perDay: values.anonymousPerDay },
    environment: values.adoptableEnvironment,
    /** The public address of this environment, with /v1 and no slash behind it. */
    baseUrl,
    /** The same without /v1. */
    origin: baseUrl.slice(0, -'/v1'.length),
    /** Whether the operator set it; otherwise it is only a guess. */
    baseUrlIsSet: publicUrl !== undefined,
    /** The public address of each environment that is known. */
    servers: { ...environments, [values.adoptableEnvironment]: baseUrl },
    /** Whether clients written for the Petfinder API v2 are answered. */
    hasV2: values.v2 === 'on',
  }
}

export type Config = ReturnType<typeof readConfig>
export type BanRule = Config['ban']
