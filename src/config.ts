import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Environment = Record<string, string | undefined>

/** Names each invalid setting and its allowed values, in one line for the operator. */
export class ConfigError extends Error {
  readonly problems: string[]

  constructor(...problems: string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

interface Setting<Value> {
  /** The default, written as in the environment. Empty if other settings determine the default. */
  default: string
  meaning: string
  read(text: string): Value
}

function setting<Value>(fallback: string, meaning: string, read: (text: string) => Value): Setting<Value> {
  return { default: fallback, meaning, read }
}

/** Reads an empty setting as undefined. */
function optional<Value>(read: (text: string) => Value) {
  return (text: string): Value | undefined => (text === '' ? undefined : read(text))
}

function listOf<Value>(read: (text: string) => Value) {
  return (text: string): Value[] => (text === '' ? [] : text.split(',').map((part) => read(part.trim())))
}

export function integer(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d{1,10}$/.test(text) || value < min || value > max)
      throw new ConfigError(`must be a whole number from ${min} to ${max}`)
    return value
  }
}

function oneOf<const Choice extends string>(...choices: Choice[]) {
  return (text: string): Choice => {
    const choice = choices.find((allowed) => allowed === text)
    if (!choice) throw new ConfigError(`must be one of: ${choices.join(', ')}`)
    return choice
  }
}

/** Matches host names: labels of letters, digits, hyphens and underscores, separated by dots (RFC 1123). */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9][a-z0-9_-]{0,62}(\.[a-z0-9][a-z0-9_-]{0,62})*\.?$/i

function readHost(value: string): string {
  // A host that ends in a number must be an IP address (WHATWG URL), so 127.0.0 and 256.1.1.1 are invalid.
  const isName = HOST_NAME.test(value) && !/(^|\.)\d+\.?$/.test(value)
  if (isIP(value) > 0 || isName) return value
  throw new ConfigError(
    'must be an IP address such as 127.0.0.1 or ::1, or a host name in ASCII (write other letters as xn--…)',
  )
}

export function readDatabaseUrl(value: string): string {
  // SQLite would open a temporary database for these values, or read a URI, and the data would be lost.
  if (/^sqlite:(?::memory:|file:)/i.test(value)) throw new ConfigError('must name a file by its path only')
  if (/^sqlite:.+/.test(value)) return value
  if (/^postgres(ql)?:\/\/./.test(value) && URL.canParse(value)) {
    // The password contains a character that ends the host part of a URL, so the URL parser reads the rest of
    // the password as the database name. Messages show the database name.
    if (value.includes('@') && new URL(value).username === '')
      throw new ConfigError('must have / # ? in the password written as %2F %23 %3F')
    return value
  }
  throw new ConfigError(
    'must be sqlite: and a file, such as sqlite:data/adoptable.db, or postgres://user:password@host/database',
  )
}

function readRedisUrl(value: string): string {
  if (/^rediss?:\/\/./.test(value) && URL.canParse(value)) return value
  throw new ConfigError('must be redis://host:port or, with TLS, rediss://host:port')
}

export function readPhotosUrl(value: string): string {
  if (/^file:.+/.test(value)) return value
  const url = /^s3(\+http)?:\/\/./.test(value) && URL.canParse(value) ? new URL(value) : undefined
  const isWhole = url?.username && url.password && url.host && /^\/[^/]+$/.test(url.pathname)
  const isReadable = isDecodable(value) && URL.canParse(`https://${url?.host}`)
  if (isWhole && isReadable) return value
  throw new ConfigError(
    'must be file: and a folder, such as file:data/photos, or s3://key:secret@host/bucket?region=…, with / # % in key and secret written as %2F %23 %25',
  )
}

/** Whether each % in the text begins a valid escape. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** Reads a base URL, to which callers append file names. */
function readFilesUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:\/\/[^?#@]+[^?#@/]$/.test(value))
    throw new ConfigError('must be an http(s) address without a slash at its end, user, password or query')
  return value
}

function readPublicUrl(value: string): string {
  // The pattern excludes @, because a user and password could come before that character.
  if (!URL.canParse(value) || !/^https?:\/\/[^?#@]+\/v1$/.test(value))
    throw new ConfigError('must be an http(s) address that ends in /v1, without user or password')
  // The URL is sent in headers, which cannot contain every character.
  const { href } = new URL(value)
  if (href !== value) throw new ConfigError(`must be written as ${href}`)
  return value
}

function readNetwork(value: string): string {
  if (value === 'loopback' || ipaddr.isValid(value) || ipaddr.isValidCIDR(value)) return value
  throw new ConfigError('must be addresses or networks such as 10.0.0.0/8, separated by commas, or loopback')
}

/** Origins as browsers send them (RFC 6454, section 6.2), or * for all. */
function readOrigins(value: string): string[] {
  return value === '*' ? ['*'] : listOf(readOrigin)(value)
}

function readOrigin(value: string): string {
  if (value === '*') throw new ConfigError('must be * alone, or origins separated by commas')
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/i.test(value) || !URL.canParse(value))
    throw new ConfigError('must be origins such as https://app.example.org, separated by commas, or *')
  const { origin } = new URL(value)
  // The URL standard gives the origin "null" to other schemes, such as those of native apps.
  if (origin !== 'null' && origin !== value) throw new ConfigError(`must have ${value} written as ${origin}`)
  return value
}

function readSmtpUrl(value: string): string {
  const isAddress = /^smtps?:\/\/[^/?#]+$/.test(value) && URL.canParse(value)
  if (isAddress && new URL(value).hostname !== '' && isDecodable(value)) return value
  throw new ConfigError(
    'must be smtp://user:password@host:port or, with TLS from the beginning, smtps://…, with / # % @ in user and password written as %2F %23 %25 %40',
  )
}

/** The From header: an address, or a name and an address in angle brackets. */
function readSender(value: string): string {
  const address = value.replace(/^[^\p{Cc}<>",;:@\\]{1,100} <(.+)>$/u, '$1')
  if (/^[^\s<>,;@]{1,64}@[\w.-]{1,190}$/u.test(address)) return value
  throw new ConfigError(
    'must be an e-mail address such as pets@shelter.example, or a name and <pets@shelter.example>',
  )
}

/** The animal types of /v2, in the order in which /v2 lists them. */
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

/** @returns pairs of a category name and its type under /v2 */
function readTypes(text: string): [category: string, slug: TypeSlug][] {
  return text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const at = part.lastIndexOf('=')
      const [category, type] = [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()]
      const slug = TYPE_SLUGS.find((allowed) => allowed === type)
      if (category === '' || slug === undefined)
        throw new ConfigError(
          `must be like Ferrets=small-furry;Fish=scales-fins-other, with one of the types ${TYPE_SLUGS.join(', ')}`,
        )
      return [category, slug]
    })
}

/** Every setting: the environment variable, its default, its meaning and how it is read. */
export const SETTINGS = {
  HOST: setting('127.0.0.1', 'Address to listen on; 0.0.0.0 or :: for all addresses', readHost),
  PORT: setting('8080', 'Port to listen on; 0 picks a free port (set BASE_URL as well)', integer(0, 65_535)),
  DATABASE_URL: setting(
    'sqlite:data/adoptable.db',
    'Database: sqlite: and a file, or postgres://user:password@host/database',
    readDatabaseUrl,
  ),
  DATABASE_CONNECTIONS: setting('10', 'Maximum PostgreSQL connections per process', integer(1, 1_000)),
  REDIS_URL: setting(
    '',
    'Redis in which several processes share their rate limits: redis://host:port, or rediss:// for TLS; not needed by a single process',
    optional(readRedisUrl),
  ),
  ADOPTABLE_ENVIRONMENT: setting(
    'production',
    'production (keys begin with adopt_live_) or staging (keys begin with adopt_test_)',
    oneOf('production', 'staging'),
  ),
  BASE_URL: setting(
    '',
    'Public address of production, with /v1; if empty, production uses HOST and PORT, and the API description of staging does not list production',
    optional(readPublicUrl),
  ),
  STAGING_BASE_URL: setting(
    '',
    'Public address of staging, with /v1; if empty, staging uses HOST and PORT, and the API description of production does not list staging',
    optional(readPublicUrl),
  ),
  TRUST_PROXY: setting(
    '',
    'Proxies whose X-Forwarded-For header is trusted: addresses or networks separated by commas, or loopback',
    listOf(readNetwork),
  ),
  CORS_ORIGINS: setting(
    '',
    'Origins whose web pages may call the API, such as https://app.example.org, separated by commas; * for all',
    readOrigins,
  ),
  LOG_LEVEL: setting(
    'info',
    'fatal, error, warn, info, debug, trace or silent; info logs one line per request',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  BAN_AFTER_REFUSALS: setting(
    '100',
    'Refused requests that a key may send within BAN_WINDOW_SECONDS; the next one starts a ban',
    integer(1, 10_000),
  ),
  BAN_WINDOW_SECONDS: setting('60', 'Window in which refused requests are counted', integer(1, 86_400)),
  BAN_SECONDS: setting(
    '900',
    'Length of the first ban; each further ban is twice as long',
    integer(1, 2_592_000),
  ),
  BAN_LONGEST_SECONDS: setting('86400', 'Maximum length of a ban', integer(1, 2_592_000)),
  BAN_MEMORY_SECONDS: setting(
    '86400',
    'Time after a ban during which the next ban is longer',
    integer(0, 2_592_000),
  ),
  ANONYMOUS_PER_MINUTE: setting(
    '300',
    'Requests per minute without a valid key, per client address',
    integer(1, 1e9),
  ),
  ANONYMOUS_PER_DAY: setting(
    '10000',
    'Requests per day without a valid key, per client address',
    integer(1, 1e9),
  ),
  ADOPTER_DATA_DAYS: setting(
    '90',
    'Days after which the adopter of a closed order and the applicant of a decided application are erased',
    integer(1, 36_500),
  ),
  EVENT_DAYS: setting('30', 'Days for which events and deliveries of webhooks are kept', integer(1, 36_500)),
  WEBHOOK_ALLOW_NETWORKS: setting(
    '',
    'Private addresses and networks that may get webhooks, also with http, such as 10.0.0.0/8, separated by commas, or loopback',
    listOf(readNetwork),
  ),
  HEADERS_TIMEOUT_SECONDS: setting('5', 'Time limit for receiving request headers', integer(1, 3_600)),
  REQUEST_TIMEOUT_SECONDS: setting(
    '10',
    'Time limit for receiving a whole request, and for a client to read at least 10 KB of a response that is ready',
    integer(1, 3_600),
  ),
  KEEP_ALIVE_TIMEOUT_SECONDS: setting('65', 'Time an idle connection stays open', integer(1, 3_600)),
  STOP_TIMEOUT_SECONDS: setting('5', 'Time a shutdown may take before it is forced', integer(1, 3_600)),
  MAX_CONNECTIONS: setting(
    '10000',
    'Maximum number of open connections, at most half of them from one client address; further connections are closed',
    integer(1, 1_000_000),
  ),
  PHOTOS_URL: setting(
    '',
    'Storage of photo files: file: and a folder, or s3://key:secret@host/bucket?region=…; if empty, the folder photos next to the SQLite file, or data/photos',
    optional(readPhotosUrl),
  ),
  PHOTOS_PUBLIC_URL: setting(
    '',
    'Address at which a CDN or proxy serves these files, such as https://cdn.example.org/photos; if empty, the service serves them',
    optional(readFilesUrl),
  ),
  SMTP_URL: setting(
    '',
    'Mail server for invitations and for news about applications: smtp://user:password@host:port, or smtps:// for TLS from the start; if empty, links are shown and no e-mails are sent',
    optional(readSmtpUrl),
  ),
  MAIL_FROM: setting(
    '',
    'Sender of these e-mails, such as Hill Shelter <pets@shelter.example>; required with SMTP_URL',
    optional(readSender),
  ),
  V2: setting('on', 'on or off: whether /v2 serves clients of the Petfinder API v2', oneOf('on', 'off')),
  V2_TYPES: setting(
    '',
    'Types under /v2 for categories you have added, separated by semicolons: Ferrets=small-furry; /v2 does not show animals of categories without a type',
    readTypes,
  ),
  METRICS_PORT: setting(
    '',
    'Port of /metrics for Prometheus; worker n uses METRICS_PORT + n - 1; if empty, metrics are off',
    optional(integer(0, 65_535)),
  ),
  METRICS_HOST: setting(
    '127.0.0.1',
    'Address on which METRICS_PORT listens; clients must not be able to reach it',
    readHost,
  ),
} as const satisfies Record<string, Setting<unknown>>

/** Settings given as command-line options, by the name of the environment variable. */
export type SettingOverrides = Record<string, { option: string; value: string }>

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>

/** The values of all settings: DATABASE_URL becomes databaseUrl. */
type Values = {
  [Name in keyof typeof SETTINGS as CamelCase<Name>]: ReturnType<(typeof SETTINGS)[Name]['read']>
}

/** @returns the values of the valid settings, and a problem for each invalid one */
function readSettings(environment: Environment, overrides: SettingOverrides) {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, { default: fallback, read }] of Object.entries(SETTINGS)) {
    const camelCase = name.toLowerCase().replace(/_(.)/g, (_all, letter) => letter.toUpperCase())
    try {
      values[camelCase] = read(overrides[name]?.value ?? (environment[name] || fallback))
    } catch (error) {
      problems.push(`${overrides[name]?.option ?? name} ${(error as ConfigError).message}`)
    }
  }
  return { values: values as Values, problems }
}

/** The address of the service on its own machine, used if no public address is set. */
function ownUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}/v1`
}

/**
 * Reads and validates all settings. A variable that is absent or empty takes its default.
 * @param overrides command-line options, which take precedence over variables
 * @throws {ConfigError} naming every invalid setting
 */
export function readConfig(environment: Environment, overrides: SettingOverrides = {}) {
  const { values, problems } = readSettings(environment, overrides)
  // Two ports may both be 0, because the system picks a different free port for each.
  if (values.port && values.port === values.metricsPort) problems.push('METRICS_PORT must differ from PORT')
  if (values.smtpUrl && values.mailFrom === undefined)
    problems.push('SMTP_URL needs MAIL_FROM, the sender of the e-mails')
  if (problems.length > 0) throw new ConfigError(...problems)
  const environments = { production: values.baseUrl, staging: values.stagingBaseUrl }
  const publicUrl = environments[values.adoptableEnvironment]
  const baseUrl = publicUrl ?? ownUrl(values.host, values.port)
  return {
    ...values,
    /** Says when and for how long to ban a key that continues to send requests after refusals. */
    ban: {
      afterRefusals: values.banAfterRefusals,
      windowSeconds: values.banWindowSeconds,
      seconds: values.banSeconds,
      longestSeconds: values.banLongestSeconds,
      memorySeconds: values.banMemorySeconds,
    },
    anonymous: { perMinute: values.anonymousPerMinute, perDay: values.anonymousPerDay },
    environment: values.adoptableEnvironment,
    /** The public address of this environment, ending in /v1. */
    baseUrl,
    origin: baseUrl.slice(0, -'/v1'.length),
    /** True if the operator set `baseUrl`. Otherwise the service guesses the URL. */
    baseUrlIsSet: publicUrl !== undefined,
    /** The public addresses of both environments, where known. */
    servers: { ...environments, [values.adoptableEnvironment]: baseUrl },
    hasV2: values.v2 === 'on',
  }
}

export type Config = ReturnType<typeof readConfig>
export type BanRule = Config['ban']
