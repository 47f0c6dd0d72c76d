import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { parseEnv } from 'node:util'
import { Redis } from 'ioredis'
import { type Config, ConfigError, SETTINGS } from '../config.ts'
import { isPostgres } from '../db/store-url.ts'
import type { Settings } from './command.ts'
import { checkPhotos } from './doctor-photos.ts'
import { checkPostgres, checkStoreFile } from './doctor-store.ts'
import { portAdvice } from './explain.ts'
import { ANSWER_MS, clockFinding, doubtful, type Finding, good, wrong } from './finding.ts'

/** Runs all checks of `adoptable doctor`, in the order in which it prints them. */
export async function examine(settings: Settings): Promise<Finding[]> {
  const { config, findings } = checkSettings(settings)
  const first = [...findings, ...checkEnvironmentFile('.env'), checkNode()]
  if (!config) return first
  return [
    ...first,
    ...checkOpenFiles(config),
    ...(isPostgres(config.databaseUrl)
      ? await checkPostgres(config.databaseUrl, config.databaseConnections)
      : await checkStoreFile(config.databaseUrl)),
    ...(config.redisUrl === undefined ? [] : await checkRedis(config.redisUrl)),
    ...(await checkPhotos(config)),
    ...(await checkPorts(config)),
  ]
}

/** @returns no config if a setting is wrong; the caller then skips the checks that need a config */
function checkSettings(settings: Settings): { config?: Config; findings: Finding[] } {
  try {
    const config = settings()
    return {
      config,
      findings: [good('settings', `all valid; ${config.environment}`), ...checkBaseUrl(config)],
    }
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [(error as Error).message]
    const findings = problems.map((problem) =>
      wrong('settings', problem, 'correct it in the environment or in .env'),
    )
    const found = 'store, servers and ports were not checked'
    const skipped = doubtful('other checks', found, 'correct the settings, and run this again')
    return { findings: [...findings, skipped] }
  }
}

function checkBaseUrl({ host, baseUrlIsSet }: Config): Finding[] {
  if (baseUrlIsSet || ['127.0.0.1', '::1', 'localhost'].includes(host)) return []
  const advice = 'set BASE_URL (STAGING_BASE_URL in staging), which links and the API description use'
  return [
    doubtful('public address', 'not set, although the service is reachable from other machines', advice),
  ]
}

/** Reports unknown settings, which are usually misspelt. Never prints a value. */
export function checkEnvironmentFile(file: string): Finding[] {
  if (!existsSync(file)) return [good(file, 'no such file; only the environment is used')]
  let names: string[]
  try {
    names = Object.keys(parseEnv(readFileSync(file, 'utf8')))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return [wrong(file, `it cannot be read (${code})`, `chown or chmod ${file}`)]
  }
  const unknown = names.filter((name) => !(name in SETTINGS))
  const findings: Finding[] = []
  if ((statSync(file).mode & 0o077) !== 0) {
    findings.push(doubtful(file, 'other users may read it', `chmod 600 ${file}: it can hold passwords`))
  }
  if (unknown.length > 0) {
    const found = `it contains unknown settings: ${unknown.join(', ')}`
    findings.push(doubtful(file, found, 'compare the spelling with .env.example'))
  }
  return findings.length > 0 ? findings : [good(file, `settings: ${names.length}`)]
}

const MIN_NODE = 24

/** The number of open files besides connections: the store, its log, and the files of Node.js. */
const OTHER_FILES = 128

function checkNode(): Finding {
  const { node, sqlite } = process.versions
  const found = `${process.version}, SQLite ${sqlite}`
  const isOld = Number(node.split('.')[0]) < MIN_NODE
  return isOld ? wrong('Node.js', found, `install Node.js ${MIN_NODE} or later`) : good('Node.js', found)
}

function checkOpenFiles({ maxConnections, databaseConnections }: Config): Finding[] {
  const report = process.report?.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  const limit = report?.userLimits?.open_files?.soft
  if (limit === undefined) return []
  const needed = maxConnections + databaseConnections + OTHER_FILES
  const found = `limit ${limit}`
  if (limit === 'unlimited' || Number(limit) >= needed) return [good('open files', found)]
  const advice = `raise it to ${needed} (ulimit -n, or LimitNOFILE of systemd), or lower MAX_CONNECTIONS`
  return [doubtful('open files', `${found}, but MAX_CONNECTIONS needs ${needed}`, advice)]
}

/** Checks that the service can listen on its ports or already does. */
async function checkPorts({ host, port, metricsHost, metricsPort }: Config): Promise<Finding[]> {
  const sign = /"title":\s*"adoptable"/
  const own = await checkPort({ name: 'PORT', host, port, path: '/openapi.json', sign })
  if (metricsPort === undefined) return [own]
  const metrics = { host: metricsHost, port: metricsPort, path: '/metrics', sign: /^adoptable_build_info\{/m }
  return [own, await checkPort({ name: 'METRICS_PORT', ...metrics })]
}

interface Listener {
  name: string
  host: string
  port: number
  /** A path that adoptable serves, and a pattern that the response matches. */
  path: string
  sign: RegExp
}

async function checkPort({ name, host, port, path, sign }: Listener): Promise<Finding> {
  const check = `${name} ${port}`
  const error = await listenOnce(host, port)
  if (error === undefined) return good(check, port === 0 ? 'a free port will be chosen' : 'free')
  const isUsed = error === 'EADDRINUSE'
  if (isUsed && (await answersLike(host, port, path, sign))) return good(check, 'in use by adoptable')
  const found = isUsed ? 'in use by another program' : `cannot listen on ${host}:${port} (${error})`
  return wrong(check, found, portAdvice(name, name.replace('PORT', 'HOST'), error))
}

/** @returns the error code; undefined if listening succeeds */
function listenOnce(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const server = createServer()
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  return promise
}

async function answersLike(host: string, port: number, path: string, sign: RegExp): Promise<boolean> {
  const local = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  try {
    const response = await fetch(`http://${local}:${port}${path}`, {
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    return sign.test(await response.text())
  } catch {
    return false
  }
}

const MIN_REDIS = 7

/** Checks Redis with INFO and TIME only, which hosted servers allow too. */
async function checkRedis(url: string): Promise<Finding[]> {
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
    const startedAt = Date.now()
    const [seconds = 0, micros = 0] = (await redis.time()).map(Number)
    const now = (startedAt + Date.now()) / 2
    const info = readInfo(await redis.info())
    return [...redisFindings(info), clockFinding('clock of Redis', now - seconds * 1_000 - micros / 1_000)]
  } catch (error) {
    const advice = 'check that it is running, and host, port, user and password in REDIS_URL'
    return [wrong('Redis', (reason ?? (error as Error)).message, advice)]
  } finally {
    redis.disconnect()
  }
}

/** Parses lines of name:value. */
function readInfo(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]))
}

function redisFindings(info: Map<string, string>): Finding[] {
  const valkey = info.get('valkey_version')
  const name = valkey ? 'Valkey' : 'Redis'
  const version = valkey ?? info.get('redis_version') ?? '0'
  const isTested = Number.parseInt(version, 10) >= MIN_REDIS
  const findings = [
    isTested
      ? good(name, version)
      : doubtful(name, `${version} is older than tested versions`, `use ${MIN_REDIS} or later`),
  ]
  const policy = info.get('maxmemory_policy')
  const evicts = `${policy}: Redis may evict counters and so forget limits`
  const advice = 'set it to noeviction (CONFIG SET maxmemory-policy noeviction, and in redis.conf)'
  findings.push(
    policy === 'noeviction' ? good('maxmemory-policy', policy) : wrong('maxmemory-policy', evicts, advice),
    info.get('aof_enabled') === '1'
      ? good('persistence', 'append-only file')
      : doubtful('persistence', 'a restart may lose counters', 'set appendonly yes'),
  )
  if (info.get('role') === 'slave') {
    findings.push(wrong(name, 'it is a read-only replica', 'name the primary in REDIS_URL'))
  }
  return findings
}
