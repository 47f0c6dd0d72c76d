import type { Limits } from './plans.ts'
import { readSettings, SettingsError, type Typed } from './setting.ts'
import { SETTINGS } from './settings.ts'
import type { TypeSlug } from './v2-setting.ts'

/** When a key that keeps sending after refusals is banned, and for how long; all in seconds. */
export interface BanRule {
  afterRefusals: number
  windowSeconds: number
  seconds: number
  longestSeconds: number
  memorySeconds: number
}

export interface Config {
  host: string
  port: number
  databaseUrl: string
  databaseConnections: number
  redisUrl: string | undefined
  environment: 'production' | 'staging'
  /** Public addresses, with /v1 and no slash behind it; baseUrl is the one of this deployment. */
  baseUrl: string
  /** The same without /v1. */
  origin: string
  /** Whether the operator said so; else it is only a guess. */
  baseUrlIsSet: boolean
  /** The public address of each environment that is known: of this one, and of the other if it is set. */
  servers: { production?: string; staging?: string }
  trustProxy: string[]
  corsOrigins: string[]
  logLevel: string
  ban: BanRule
  anonymous: Limits
  adopterDataDays: number
  headersTimeoutSeconds: number
  requestTimeoutSeconds: number
  keepAliveTimeoutSeconds: number
  stopTimeoutSeconds: number
  maxConnections: number
  /** `file:` and a folder, or `s3:`; absent for a folder beside the data. */
  photosUrl: string | undefined
  /** Absent where the service gives the files of photos itself. */
  photosPublicUrl: string | undefined
  /** Absent where no mail is sent; the sender is there beside it. */
  smtpUrl: string | undefined
  mailFrom: string | undefined
  /** Whether clients written for the Petfinder API v2 are answered. */
  hasV2: boolean
  /** Names of categories and the slug of their type there. */
  types: [category: string, slug: TypeSlug][]
  /** Absent where nothing is measured. */
  metricsPort: number | undefined
  metricsHost: string
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
 * @throws {SettingsError} naming every setting that is wrong
 */
export function readConfig(environment: Record<string, string | undefined>, typed: Typed = {}): Config {
  const { values, problems } = readSettings(SETTINGS, environment, typed)
  // 0 takes a free one for each.
  if (values.PORT && values.PORT === values.METRICS_PORT)
    problems.push('METRICS_PORT must be another port than PORT')
  if (values.SMTP_URL && values.MAIL_FROM === undefined)
    problems.push('SMTP_URL needs MAIL_FROM, the sender of what it sends')
  if (problems.length > 0) throw new SettingsError(problems)
  const own = ownUrl(values.HOST, values.PORT)
  const production = values.ADOPTABLE_ENVIRONMENT === 'production'
  const baseUrl = (production ? values.BASE_URL : values.STAGING_BASE_URL) ?? own
  const servers = production
    ? { production: baseUrl, ...(values.STAGING_BASE_URL && { staging: values.STAGING_BASE_URL }) }
    : { ...(values.BASE_URL && { production: values.BASE_URL }), staging: baseUrl }
  return {
    host: values.HOST,
    port: values.PORT,
    databaseUrl: values.DATABASE_URL,
    databaseConnections: values.DATABASE_CONNECTIONS,
    redisUrl: values.REDIS_URL,
    environment: values.ADOPTABLE_ENVIRONMENT,
    baseUrl,
    origin: baseUrl.slice(0, -'/v1'.length),
    baseUrlIsSet: (production ? values.BASE_URL : values.STAGING_BASE_URL) !== undefined,
    servers,
    trustProxy: values.TRUST_PROXY,
    corsOrigins: values.CORS_ORIGINS,
    logLevel: values.LOG_LEVEL,
    ban: {
      afterRefusals: values.BAN_AFTER_REFUSALS,
      windowSeconds: values.BAN_WINDOW_SECONDS,
      seconds: values.BAN_SECONDS,
      longestSeconds: values.BAN_LONGEST_SECONDS,
      memorySeconds: values.BAN_MEMORY_SECONDS,
    },
    anonymous: { perMinute: values.ANONYMOUS_PER_MINUTE, perDay: values.ANONYMOUS_PER_DAY },
    adopterDataDays: values.ADOPTER_DATA_DAYS,
    headersTimeoutSeconds: values.HEADERS_TIMEOUT_SECONDS,
    requestTimeoutSeconds: values.REQUEST_TIMEOUT_SECONDS,
    keepAliveTimeoutSeconds: values.KEEP_ALIVE_TIMEOUT_SECONDS,
    stopTimeoutSeconds: values.STOP_TIMEOUT_SECONDS,
    maxConnections: values.MAX_CONNECTIONS,
    photosUrl: values.PHOTOS_URL,
    photosPublicUrl: values.PHOTOS_PUBLIC_URL,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    hasV2: values.V2 === 'on',
    types: values.V2_TYPES,
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST,
  }
}
