import { createServer } from 'node:http'
import type { Config } from '../config.ts'
import { doubtful, type Finding, good, wrong } from './finding.ts'
import { portAdvice } from './port-advice.ts'

const OLDEST_NODE = 24

/** Files beside connections: the store, its log, the program's own. */
const OTHER_FILES = 128

/** Time another process on the port gets to say who it is. */
const ANSWER_MS = 2_000

export function checkMachine(config: Config | undefined): Finding[] {
  const { node, sqlite } = process.versions
  const found = `${process.version}, SQLite ${sqlite}`
  const old = Number(node.split('.')[0]) < OLDEST_NODE
  return [
    old ? wrong('Node.js', found, `install Node.js ${OLDEST_NODE} or later`) : good('Node.js', found),
    ...(config ? checkOpenFiles(config) : []),
  ]
}

function checkOpenFiles({ maxConnections, databaseConnections }: Config): Finding[] {
  const report = process.report?.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  const limit = report?.userLimits?.open_files?.soft
  if (limit === undefined) return []
  const needed = maxConnections + databaseConnections + OTHER_FILES
  const found = `${limit} may be open`
  if (limit === 'unlimited' || Number(limit) >= needed) return [good('open files', found)]
  const advice = `raise it to ${needed} (ulimit -n, or LimitNOFILE of systemd), or lower MAX_CONNECTIONS`
  return [doubtful('open files', `${found}, ${needed} are needed for MAX_CONNECTIONS`, advice)]
}

/** Whether the service could listen, or does. */
export async function checkPorts({ host, port, metricsHost, metricsPort }: Config): Promise<Finding[]> {
  const own = await checkPort({
    name: 'PORT',
    host,
    port,
    path: '/openapi.json',
    sign: /"title":\s*"adoptable"/,
  })
  if (metricsPort === undefined) return [own]
  const sign = /^adoptable_build_info\{/m
  const scrape = { name: 'METRICS_PORT', host: metricsHost, port: metricsPort, path: '/metrics', sign }
  return [own, await checkPort(scrape)]
}

interface Listener {
  name: string
  host: string
  port: number
  /** Where our own service says what it is, and by which words. */
  path: string
  sign: RegExp
}

async function checkPort({ name, host, port, path, sign }: Listener): Promise<Finding> {
  const check = `${name} ${port}`
  const error = await listenOnce(host, port)
  if (error === undefined) return good(check, port === 0 ? 'a free one is taken' : 'it is free')
  if (error !== 'EADDRINUSE') {
    return wrong(
      check,
      `nobody can listen on ${host}:${port} (${error})`,
      portAdvice(name, name.replace('PORT', 'HOST'), error),
    )
  }
  if (await says(host, port, path, sign)) return good(check, 'adoptable answers there')
  return wrong(check, 'another program has it', portAdvice(name, name.replace('PORT', 'HOST'), error))
}

/** @returns why it cannot be done */
function listenOnce(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const server = createServer()
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  return promise
}

async function says(host: string, port: number, path: string, sign: RegExp): Promise<boolean> {
  const local = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  try {
    const response = await fetch(`http://${local}:${port}${path}`, { signal: AbortSignal.timeout(ANSWER_MS) })
    return sign.test(await response.text())
  } catch {
    return false
  }
}
