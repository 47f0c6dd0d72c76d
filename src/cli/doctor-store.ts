import { accessSync, constants, existsSync, lstatSync, type Stats, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { MIGRATIONS } from '../db/migrations/all.ts'
import { connectionTo } from '../db/postgres.ts'
import { fileOf } from '../db/store-url.ts'
import { reasonOf } from '../errors.ts'
import { ANSWER_MS, clockFinding, doubtful, type Finding, good, wrong } from './finding.ts'
import { formatCount } from './terminal.ts'

// Checks the SQLite file, PostgreSQL, and the tables of both.

const MEGABYTE = 2 ** 20

/** Below MIN_FREE, the next write may fail. Below ENOUGH_FREE, a backup or a busy day may fill the disk. */
const [MIN_FREE, ENOUGH_FREE] = [100 * MEGABYTE, 1_024 * MEGABYTE]

/** Mode bits of a folder that is shared on purpose: sticky and setgid. */
const SHARED_BY_DESIGN = 0o3000

/** Checks the SQLite store without writing to it or its folder. */
export async function checkStoreFile(databaseUrl: string): Promise<Finding[]> {
  const file = resolve(fileOf(databaseUrl))
  let stats: Stats | undefined
  try {
    // existsSync would return false for a file that this user may not access.
    stats = statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    const found = `${file} cannot be accessed (${(error as NodeJS.ErrnoException).code})`
    const advice = 'run this as the user of the service, and give this user access to every parent folder'
    return [wrong('store', found, advice)]
  }
  if (!stats) return checkPlace(dirname(file), file)
  if (stats.isDirectory()) {
    const found = `${file} is a folder, but DATABASE_URL must name a file`
    return [wrong('store', found, `name one in ${OWN_FOLDER}`)]
  }
  return [...checkRights(file, stats), ...(await checkContent(file)), checkSpace(dirname(file), stats.size)]
}

const OWN_FOLDER = 'a folder that only the user of the service can write to'

/** Checks that the first start can create the store. */
function checkPlace(missing: string, file: string): Finding[] {
  const folder = findNearest(missing)
  if (!existsSync(folder))
    return [wrong('store', `${folder} is a broken link`, 'mount its target, or correct the link')]
  if (!canCreateIn(folder)) {
    const advice = `name a file in DATABASE_URL that is in ${OWN_FOLDER}`
    return [wrong('store', `${folder} is not writable`, advice)]
  }
  return [good('store', `${file} will be created by the first start`), checkSpace(folder, 0)]
}

function checkRights(file: string, { uid, mode }: Stats): Finding[] {
  const folder = dirname(file)
  const around = statSync(folder)
  // Do not advise changing the owner or mode of a shared folder such as /tmp.
  const shared = around.uid !== uid || (around.mode & SHARED_BY_DESIGN) !== 0
  const move = `move the store into ${OWN_FOLDER}, and name that place in DATABASE_URL`
  const own = (path: string) => `chown ${path} to the user that runs the service, and run this as that user`
  const findings: Finding[] = []
  if (!isAllowed(file, constants.R_OK | constants.W_OK)) {
    findings.push(wrong('rights', `${file} is not writable`, own(file)))
  }
  if (!isAllowed(folder, constants.R_OK | constants.W_OK)) {
    findings.push(wrong('rights', `${folder} is not writable`, shared ? move : own(folder)))
  }
  if ((mode & 0o077) !== 0) {
    findings.push(wrong('rights', `${file} is readable by other users`, `chmod 600 ${file}`))
  }
  if ((around.mode & 0o022) !== 0) {
    const advice = shared ? move : `chmod 700 ${folder}`
    findings.push(wrong('rights', `${folder} is writable by other users`, advice))
  }
  return findings.length > 0 ? findings : [good('rights', `${file} is private to its user`)]
}

function checkSpace(folder: string, needed: number): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const found = `${formatCount(Math.floor(free / MEGABYTE))} MB free in ${folder}`
  const advice = 'free some space, or move the store to a larger disk'
  if (free < MIN_FREE) return wrong('disk', found, advice)
  return free < ENOUGH_FREE + needed ? doubtful('disk', found, advice) : good('disk', found)
}

/** The folder or its closest existing parent. A broken link counts: nothing can be created below it. */
export function findNearest(folder: string): string {
  return lstatSync(folder, { throwIfNoEntry: false }) ? folder : findNearest(dirname(folder))
}

export function canCreateIn(folder: string): boolean {
  return isAllowed(folder, constants.W_OK | constants.X_OK) && statSync(folder).isDirectory()
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** Checks the content of the SQLite store. */
async function checkContent(file: string): Promise<Finding[]> {
  try {
    const database = openUntouched(file)
    try {
      const integrity = checkIntegrity(database)
      const [schema, ...others] = await checkTables('sqlite', async (query) => rowsOf(database, query))
      return [integrity, schema, checkClock(database), ...others]
    } finally {
      database.close()
    }
  } catch (error) {
    const found = `${file}: ${(error as Error).message}`
    return [wrong('store', found, 'restore a backup, or correct DATABASE_URL')]
  }
}

/** Opens the file without creating a log. Without one, no process uses it: it is opened as immutable. */
function openUntouched(file: string): DatabaseSync {
  const url = pathToFileURL(file)
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true, timeout: 5_000 })
}

function checkIntegrity(database: DatabaseSync): Finding {
  const found = String(database.prepare('pragma integrity_check(1)').get()?.integrity_check)
  if (found === 'ok') return good('store', `${database.location()} is intact`)
  return wrong('store', `damaged: ${found.replace(/\s+/g, ' ')}`, 'stop the service and restore a backup')
}

function rowsOf(database: DatabaseSync, query: string): unknown[][] {
  const statement = database.prepare(query)
  statement.setReturnArrays(true)
  return statement.all() as unknown as unknown[][]
}

/** Reports a wrong clock if a key was created in the future. */
function checkClock(database: DatabaseSync): Finding {
  const latest = Number(database.prepare('select max(created_at) as latest from api_key').get()?.latest ?? 0)
  if (Date.now() >= latest) return good('clock', new Date().toISOString())
  const found = `it shows ${new Date().toISOString()}, but a key was created at ${new Date(latest).toISOString()}`
  return wrong('clock', found, 'set the clock, preferably by NTP (timedatectl set-ntp true)')
}

const MIN_POSTGRES = 15

/** One more connection, outside the pool, listens for commits of other processes. */
const WATCHING = 1

/** Checks PostgreSQL with read-only queries. */
export async function checkPostgres(url: string, connections: number): Promise<Finding[]> {
  const client = new pg.Client({ ...connectionTo(url), connectionTimeoutMillis: ANSWER_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const startedAt = Date.now()
    const { rows } = await client.query<ServerState>(QUESTION)
    const now = (startedAt + Date.now()) / 2
    const read: QueryRows = async (text) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows
    return [
      ...findingsFor(rows[0] as ServerState, connections, now),
      ...(await checkTables('postgres', read)),
    ]
  } catch (error) {
    const advice = 'check that it is running, and host, port, user, password and database in DATABASE_URL'
    return [wrong('PostgreSQL', reasonOf(error), advice)]
  } finally {
    await client.end().catch(() => undefined)
  }
}

interface ServerState {
  version: string
  replica: boolean
  most: number
  now: number
}

const QUESTION = `select current_setting('server_version') as version, pg_is_in_recovery() as replica,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
  floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now`

function findingsFor(
  { version, replica, most, now }: ServerState,
  connections: number,
  here: number,
): Finding[] {
  const needed = connections + WATCHING
  const found = `${most} available, ${needed} needed per process`
  const advice = 'raise max_connections of the server, or lower DATABASE_CONNECTIONS'
  return [
    Number.parseInt(version, 10) >= MIN_POSTGRES
      ? good('PostgreSQL', version)
      : wrong('PostgreSQL', `${version} is too old`, `upgrade it to ${MIN_POSTGRES} or later`),
    clockFinding('clock of PostgreSQL', here - now),
    ...(replica
      ? [wrong('PostgreSQL', 'it is a read-only standby', 'name the primary in DATABASE_URL')]
      : []),
    needed > most ? wrong('connections', found, advice) : good('connections', found),
  ]
}

/** Reads rows as arrays, from either engine. */
type QueryRows = (query: string) => Promise<unknown[][]>

const TABLES = {
  sqlite: `select name from sqlite_schema where type = 'table'`,
  postgres: 'select tablename::text from pg_tables where schemaname = current_schema()',
}

/** Checks the tables. A store of an older release may not have all tables. */
async function checkTables(
  engine: keyof typeof TABLES,
  read: QueryRows,
): Promise<[schema: Finding, ...others: Finding[]]> {
  const tables = (await read(TABLES[engine])).map(String)
  if (!tables.includes('kysely_migration')) return [good('schema', 'the first start will create the tables')]
  const applied = (await read('select name from kysely_migration order by name')).map(String)
  return [
    schemaFinding(engine, applied),
    ...(tables.includes('job') ? await checkJobs(read) : []),
    ...(tables.includes('outbox') ? [await checkEmails(read)] : []),
    ...(tables.includes('followed') ? await checkFollowed(read) : []),
    ...(tables.includes('delivery') ? await checkWebhooks(read) : []),
    ...(tables.includes('pet_search') ? [await checkSearch(read)] : []),
  ]
}

/** Compares the migrations applied to the store with the migrations of this release. */
function schemaFinding(engine: keyof typeof TABLES, seen: string[]): Finding {
  const expected = Object.keys(MIGRATIONS[engine]).sort()
  const newer = seen.find((name) => !expected.includes(name))
  if (newer)
    return wrong('schema', `changed by a newer release (${newer})`, 'run that release, or restore a backup')
  if (seen.length === expected.length) return good('schema', `${expected.at(-1)}, as in this release`)
  const found = `${seen.at(-1) ?? 'none'}, from an older release`
  return doubtful('schema', found, 'the next start updates it: back up first')
}

/** Consecutive failures after which a job needs an operator. */
const MANY_FAILURES = 5

/** One finding for each failing job. */
async function checkJobs(read: QueryRows): Promise<Finding[]> {
  const jobs = await read('select name, failures, ended_at from job order by name')
  const failing = jobs.filter(([, failures]) => Number(failures) > 0)
  if (failing.length === 0) return [good('jobs', 'no failures')]
  return failing.map(([name, failures, endedAt]) => {
    const last = endedAt === null ? 'never' : new Date(Number(endedAt)).toISOString()
    const found = `${name} is failing (consecutive failures: ${failures}; last success: ${last})`
    const advice = 'see the log of the service; the job is retried automatically'
    return Number(failures) < MANY_FAILURES ? doubtful('jobs', found, advice) : wrong('jobs', found, advice)
  })
}

/** An e-mail that has been due for longer needs an operator. */
const MAX_EMAIL_DELAY_MS = 3_600_000

/** Reports e-mails about applications that could not be sent. */
async function checkEmails(read: QueryRows): Promise<Finding> {
  const query = `select count(*), coalesce(sum(case when attempts > 0 then 1 else 0 end), 0), min(due_at) from outbox`
  const [[waiting, refused, dueAt] = []] = await read(query)
  if (dueAt !== null && Date.now() - Number(dueAt) > MAX_EMAIL_DELAY_MS) {
    const found = `${formatCount(Number(waiting))} waiting, one since ${new Date(Number(dueAt)).toISOString()}`
    return wrong('e-mails', found, 'start the service with SMTP_URL, and see its log; none is lost')
  }
  if (Number(refused) > 0) {
    const found = `${formatCount(Number(refused))} refused by the mail server`
    return doubtful('e-mails', found, 'see the log for the reason; the console marks these applications')
  }
  return good('e-mails', `${formatCount(Number(waiting))} waiting`)
}

/** A source that is further behind needs an operator. */
const MAX_LAG_SECONDS = 300

/** One finding for each installation that is followed. */
async function checkFollowed(read: QueryRows): Promise<Finding[]> {
  const { lagOf, stateOf } = await import('../follow/store.ts')
  const now = Date.now()
  const query =
    'select url, after, ending, leased_until, read_at, lag_ms, last_error from followed order by id'
  return (await read(query)).map(([url, after, ending, leasedUntil, readAt, lagMs, lastError]) => {
    const numberOf = (value: unknown) => (value === null ? null : Number(value))
    const source = {
      ...{ after: after as string | null, ending: Number(ending), leased_until: Number(leasedUntil) },
      ...{ read_at: numberOf(readAt), lag_ms: numberOf(lagMs), last_error: lastError as string | null },
    }
    const [state, lag] = [stateOf(source, now), lagOf(source, now)]
    const last = readAt === null ? 'never read' : `read at ${new Date(Number(readAt)).toISOString()}`
    const found = `${url}: ${state}, ${last}${lag === undefined ? '' : `, ${lag} s behind`}`
    if (state === 'ending') return doubtful('follow', found, 'run `adoptable follow remove` again')
    if (state === 'not read') return doubtful('follow', found, 'start the service')
    if (state === 'failing')
      return doubtful('follow', `${found}: ${lastError}`, 'it is tried again by itself')
    const isBehind = lag !== undefined && lag > MAX_LAG_SECONDS
    return isBehind
      ? doubtful('follow', found, 'use a faster machine, or more workers')
      : good('follow', found)
  })
}

const DAY_MS = 86_400_000
/** A delivery that has been due for longer needs an operator. */
const MAX_DELIVERY_DELAY_MS = 3_600_000

/** Reports webhooks that were disabled or are failing, and deliveries that are overdue. */
async function checkWebhooks(read: QueryRows): Promise<Finding[]> {
  const now = Date.now()
  const hooks = `select id, disabled_reason, failing_since from webhook
    where disabled_reason is not null or (enabled = 1 and failing_since < ${now - DAY_MS}) order by id`
  const findings = (await read(hooks)).map(([id, reason, since]) => {
    const found = reason
      ? `webhook ${id} was switched off (${reason})`
      : `webhook ${id} has failed since ${new Date(Number(since)).toISOString()}`
    return doubtful(
      'webhooks',
      found,
      'fix its endpoint, then enable the webhook and send the missed events again',
    )
  })
  const behind = `select id, queued_to - last_event_id from webhook, event_log
    where behind = 1 and enabled = 1 order by id`
  for (const [id, count] of await read(behind)) {
    const found = `webhook ${id} is up to ${formatCount(Number(count))} events behind`
    findings.push(doubtful('webhooks', found, 'make its endpoint faster, or fix it; no event is lost yet'))
  }
  const deliveries = `select count(*), min(case when paused_until <= ${now} then due_at end)
    from delivery, webhook where webhook.id = webhook_id and status = 'pending' and enabled = 1`
  const [[count, dueAt] = []] = await read(deliveries)
  const waiting = `${formatCount(Number(count))} waiting`
  if (dueAt !== null && now - Number(dueAt) > MAX_DELIVERY_DELAY_MS) {
    const found = `${waiting}, one since ${new Date(Number(dueAt)).toISOString()}`
    return [
      ...findings,
      doubtful('deliveries', found, 'start the service, and read its log; no event is lost'),
    ]
  }
  return [...findings, good('deliveries', waiting)]
}

/** Reports animals that are not in the search index yet, as after a copy or a move of their organization. */
async function checkSearch(read: QueryRows): Promise<Finding> {
  const [[changed = 0] = []] = await read('select count(*) from search_change')
  const [[moving = 0] = []] = await read('select count(*) from search_move')
  const [[animals = 0] = []] = await read('select count(*) from pet_search')
  const left = [
    Number(changed) > 0 && `${formatCount(Number(changed))} animals are not indexed yet`,
    Number(moving) > 0 &&
      `the animals of ${formatCount(Number(moving))} organizations that moved are not indexed yet`,
  ]
  return good('search', left.filter(Boolean).join('; ') || `${formatCount(Number(animals))} animals`)
}
