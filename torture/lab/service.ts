import assert from 'node:assert/strict'
import http from 'node:http'
import type { TestContext } from 'node:test'
import type { NewKey } from '../../src/keys/store.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { type Answer, type RequestOptions, send } from '../../src/testing/client.ts'
import { freePort } from '../../src/testing/port.ts'
import { type Exit, type RunningProcess, spawnCli } from '../../src/testing/process.ts'
import { until } from '../../src/testing/redis.ts'
import { makeKey, UNLIMITED } from '../../src/testing/start-app.ts'
import { sqliteFile } from './stores.ts'

export type Settings = Record<string, string>

/** Settings that in effect remove the rate limits of requests without a key. */
export const NO_ANONYMOUS_LIMITS = { ANONYMOUS_PER_MINUTE: '1000000000', ANONYMOUS_PER_DAY: '1000000000' }

interface StartOptions {
  /** Added to the settings of the service. */
  settings?: Settings
  /** Start of the command line, such as strace with its options. */
  through?: string[]
  /** An executable other than this folder's. */
  program?: string
  /** Arguments after `serve`. */
  args?: string[]
}

interface ServiceOptions extends StartOptions {
  /** The service's key: unlimited when absent. With `false` there is neither a key nor a store yet. */
  key?: Partial<NewKey> | false
}

/** A service with a fixed address, in its own process that can be ended and started again. */
export interface Service {
  readonly settings: Settings & { DATABASE_URL: string }
  readonly address: string
  readonly port: number
  readonly key: string
  /** The latest process. */
  readonly process: RunningProcess
  /** Starts a process without waiting until it serves. */
  launch(start?: StartOptions): RunningProcess
  start(start?: StartOptions): Promise<RunningProcess>
  /** Sends a signal to the process and waits until it has ended. */
  end(signal?: NodeJS.Signals): Promise<Exit>
  alive(): boolean
  /** Sends a request with the service's key. */
  ask: SendRequest
}

/** A service that does not run yet. By default it has a new SQLite file, a free port and no log. */
export async function newService(
  t: TestContext,
  { key, ...defaults }: ServiceOptions = {},
): Promise<Service> {
  const settings = {
    DATABASE_URL: defaults.settings?.DATABASE_URL ?? sqliteFile(t),
    PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
    ...defaults.settings,
  }
  const address = `http://127.0.0.1:${settings.PORT}`
  const newKey = key === false ? '' : await makeKey(settings.DATABASE_URL, key ?? UNLIMITED)
  let running: RunningProcess | undefined
  const service: Service = {
    settings,
    address,
    port: Number(settings.PORT),
    key: newKey,
    get process() {
      if (!running) throw new Error('the service was not started')
      return running
    },
    launch(start = {}) {
      const { args = [], ...spawnOptions } = { ...defaults, ...start }
      running = spawnCli(t, ['serve', ...args], { ...settings, ...start.settings }, undefined, spawnOptions)
      return running
    },
    async start(start) {
      const launched = service.launch(start)
      await launched.serving
      return launched
    },
    end(signal = 'SIGKILL') {
      service.process.child.kill(signal)
      return service.process.exited
    },
    alive: () => isAlive(service.process),
    ask: createClient(t, address, newKey),
  }
  cleanup(t).defer(async () => {
    if (running) await service.end()
  })
  return service
}

export async function startService(t: TestContext, options?: ServiceOptions): Promise<Service> {
  const service = await newService(t, options)
  await service.start()
  return service
}

export function isAlive({ child }: Pick<RunningProcess, 'child'>): boolean {
  return child.exitCode === null && child.signalCode === null
}

/** Sends GET without a body, or POST with a body as JSON, unless `method` is set. */
export type SendRequest = (path: string, sent?: RequestOptions) => Promise<Answer>

/** Sends requests with a key over keep-alive connections. */
export function createClient(t: TestContext, address: string, key: string, maxSockets = 64): SendRequest {
  const agent = new http.Agent({ keepAlive: true, maxSockets })
  cleanup(t).defer(() => agent.destroy())
  return (path, { headers, ...sent } = {}) => {
    const ownHeaders = {
      authorization: key === '' ? undefined : `Bearer ${key}`,
      ...(sent.body !== undefined && { 'content-type': 'application/json' }),
    }
    const method = sent.body === undefined ? 'GET' : 'POST'
    return send(agent, address + path, { method, ...sent, headers: { ...ownHeaders, ...headers } })
  }
}

/** Measured since the previous call. */
interface Measurement {
  /** Longest turn of the event loop, in milliseconds of processor time. */
  longestMs: number
  maxBytes: number
  /** Heap and external memory after a garbage collection. */
  retainedBytes: number
}

/** Settings of a process that `measure` measures. */
export const PROBED = {
  NODE_OPTIONS: `--import=${import.meta.resolve('./probe.ts')} --max-semi-space-size=8`,
}

export async function measure(running: Pick<RunningProcess, 'child' | 'output'>): Promise<Measurement> {
  const reports = (): string[] => running.output.stderr.match(/^probe .*$/gm) ?? []
  const countBefore = reports().length
  running.child.kill('SIGWINCH')
  await until(() => {
    assert.ok(isAlive(running), 'the process ended')
    return reports().length > countBefore && running.output.stderr.endsWith('\n')
  })
  return JSON.parse(reports().at(-1)?.slice('probe '.length) ?? '')
}
