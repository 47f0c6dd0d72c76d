import { Redis } from 'ioredis'
import pg from 'pg'
import { connectionTo } from '../db/postgres.ts'
import { JOBS, jobFindings, type SeenJob } from './doctor-jobs.ts'
import { schemaFinding } from './doctor-schema.ts'
import { searchFindings } from './doctor-search.ts'
import { clockFinding, doubtful, type Finding, good, wrong } from './finding.ts'

const OLDEST_POSTGRES = 15
const TRIED_REDIS = 7
const ANSWER_MS = 3_000

/** Beside the pool, one that notices what others commit. */
const WATCHING = 1

/** The database, by questions alone. */
export async function checkPostgres(url: string, connections: number): Promise<Finding[]> {
  const client = new pg.Client({ ...connectionTo(url), connectionTimeoutMillis: ANSWER_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const asked = Date.now()
    const { rows } = await client.query<Answer>(QUESTION)
    const now = (asked + Date.now()) / 2
    return [...findingsOf(rows[0] as Answer, connections, now), ...(await checkTables(client))]
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    const advice = 'is it running, and are host, port, user, password and database in DATABASE_URL right?'
    return [wrong('PostgreSQL', message || String(code), advice)]
  } finally {
    await client.end().catch(() => undefined)
  }
}

interface Answer {
  version: string
  replica: boolean
  most: number
  now: number
}

const QUESTION = `select current_setting('server_version') as version, pg_is_in_recovery() as replica,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
  floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now`

function findingsOf({ version, replica, most, now }: Answer, connections: number, here: number): Finding[] {
  const findings = [
    Number.parseInt(version, 10) >= OLDEST_POSTGRES
      ? good('PostgreSQL', version)
      : wrong('PostgreSQL', `${version} is too old`, `upgrade it to ${OLDEST_POSTGRES} or later`),
    clockFinding('clock of PostgreSQL', here - now),
  ]
  if (replica) {
    findings.push(
      wrong('PostgreSQL', 'it is a standby, which takes no writes', 'name the primary in DATABASE_URL'),
    )
  }
  const needed = connections + WATCHING
  const found = `${most} for all processes, ${needed} for each`
  const advice = 'raise max_connections of the server, or lower DATABASE_CONNECTIONS'
  findings.push(needed > most ? wrong('connections', found, advice) : good('connections', found))
  return findings
}

async function checkTables(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ tables: boolean; jobs: boolean; search: boolean }>(
    `select to_regclass('kysely_migration') is not null as tables, to_regclass('job') is not null as jobs,
      to_regclass('pet_search') is not null as search`,
  )
  if (!rows[0]?.tables) return [good('schema', 'the tables are made by the first start')]
  const seen = await client.query<{ name: string }>('select name from kysely_migration order by name')
  const schema = schemaFinding(
    'postgres',
    seen.rows.map(({ name }) => name),
  )
  return [
    schema,
    ...(rows[0].jobs ? jobFindings((await client.query<SeenJob>(JOBS)).rows) : []),
    ...(rows[0].search ? await checkSearch(client) : []),
  ]
}

async function checkSearch(client: pg.Client): Promise<Finding[]> {
  return searchFindings(async (text) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows)
}

/** The shared counters. All that is asked is what INFO and TIME tell, which hosted servers allow too. */
export async function checkRedis(url: string): Promise<Finding[]> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let reason: Error | undefined
  redis.on('error', (error: Error) => {
    reason = error
  })
  try {
    await redis.connect()
    const asked = Date.now()
    const [seconds = 0, micros = 0] = (await redis.time()).map(Number)
    const now = (asked + Date.now()) / 2
    const info = readInfo(await redis.info())
    return [...redisFindings(info), clockFinding('clock of Redis', now - seconds * 1_000 - micros / 1_000)]
  } catch (error) {
    const advice = 'is it running, and are host, port, user and password in REDIS_URL right?'
    return [wrong('Redis', (reason ?? (error as Error)).message, advice)]
  } finally {
    redis.disconnect()
  }
}

/** Lines of name:value. */
function readInfo(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]))
}

function redisFindings(info: Map<string, string>): Finding[] {
  const valkey = info.get('valkey_version')
  const name = valkey ? 'Valkey' : 'Redis'
  const version = valkey ?? info.get('redis_version') ?? '0'
  const tried = Number.parseInt(version, 10) >= TRIED_REDIS
  const findings = [
    tried ? good(name, version) : doubtful(name, `${version} was not tried`, `take ${TRIED_REDIS} or later`),
  ]
  const policy = info.get('maxmemory_policy')
  findings.push(
    policy === 'noeviction'
      ? good('maxmemory-policy', policy)
      : wrong(
          'maxmemory-policy',
          `${policy}: a counter that is put out is a limit forgotten`,
          'set it to noeviction (CONFIG SET maxmemory-policy noeviction, and in its configuration)',
        ),
    info.get('aof_enabled') === '1'
      ? good('persistence', 'append-only file')
      : doubtful('persistence', 'a restart may forget counters', 'set appendonly yes'),
  )
  if (info.get('role') === 'slave') {
    findings.push(wrong(name, 'it is a replica, which takes no writes', 'name the primary in REDIS_URL'))
  }
  return findings
}
