import { sender, smtpUrl } from './mail-setting.ts'
import {
  databaseUrl,
  filesUrl,
  host,
  oneOf,
  origins,
  photosUrl,
  proxies,
  publicUrl,
  redisUrl,
  type Setting,
  setting,
  whole,
} from './setting.ts'
import { types } from './v2-setting.ts'

const SECONDS_A_DAY = 86_400

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
    redisUrl,
  ),
  ADOPTABLE_ENVIRONMENT: setting(
    'production',
    'production (keys adopt_live_…) or staging (keys adopt_test_…)',
    oneOf('production', 'staging'),
  ),
  BASE_URL: setting(
    '',
    'Public address of production, with /v1; when empty, this one from HOST and PORT, and none beside staging',
    publicUrl,
  ),
  STAGING_BASE_URL: setting(
    '',
    'Public address of staging, with /v1; when empty, this one from HOST and PORT, and none beside production',
    publicUrl,
  ),
  TRUST_PROXY: setting('', 'Proxies whose X-Forwarded-For counts: addresses, networks or loopback', proxies),
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
  BAN_WINDOW_SECONDS: setting('60', 'How close together those refusals must be', whole(1, SECONDS_A_DAY)),
  BAN_SECONDS: setting(
    '900',
    'Length of the first ban; each further one lasts twice as long',
    whole(1, 30 * SECONDS_A_DAY),
  ),
  BAN_LONGEST_SECONDS: setting('86400', 'Length no ban exceeds', whole(1, 30 * SECONDS_A_DAY)),
  BAN_MEMORY_SECONDS: setting(
    '86400',
    'Time after a ban in which the next one is longer',
    whole(0, 30 * SECONDS_A_DAY),
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
    photosUrl,
  ),
  PHOTOS_PUBLIC_URL: setting(
    '',
    'Address under which a CDN or a proxy gives these files, such as https://cdn.example.org/photos; when empty, the service gives them itself',
    filesUrl,
  ),
  SMTP_URL: setting(
    '',
    'Mail server that sends invitations and links: smtp://user:password@host:port, or smtps:// with TLS from the beginning; when empty, links are only shown',
    smtpUrl,
  ),
  MAIL_FROM: setting(
    '',
    'Sender of these letters, such as Hill Shelter <pets@shelter.example>; needed with SMTP_URL',
    sender,
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
    (port) => (port === '' ? undefined : whole(0, 65_535)(port)),
  ),
  METRICS_HOST: setting(
    '127.0.0.1',
    'Address on which METRICS_PORT listens; not one that clients reach',
    host,
  ),
} as const satisfies Record<string, Setting<unknown>>
