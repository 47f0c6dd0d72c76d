import http from 'node:http'
import type { TestContext } from 'node:test'
import type { NewKey } from '../../src/keys/store.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { type Answer, type Sent, send } from '../../src/testing/client.ts'
import { freePort } from '../../src/testing/port.ts'
import { type Exit, type RunningProcess, spawnCli } from '../../src/testing/process.ts'
import { makeKey, UNLIMITED } from '../../src/testing/start-app.ts'
import { sqliteFile } from './stores.ts'

export type Settings = Record<string, string>

/** Settings with which nobody is refused for coming too often without a key. */
export const ANYBODY = { ANONYMOUS_PER_MINUTE: '1000000000', ANONYMOUS_PER_DAY: '1000000000' }

/** How a process is started. */
interface Start {
  /** Beside those of the service. */
  settings?: Settings
  /** Begins the command line, such as strace with its options. */
  through?: string[]
  /** Another executable than that of this folder. */
  program?: string
  /** Behind `serve`. */
  args?: string[]
}

interface Options extends Start {
  /** What `key` may do: all it wants when absent; with false there is none, and no store before the start. */
  key?: Partial<NewKey> | false
}

/** A service on one address, in a process of its own that may be ended and started again. */
export interface Service {
  readonly settings: Settings & { DATABASE_URL: string }
  readonly address: string
  readonly port: number
  readonly key: string
  /** The latest one. */
  readonly process: RunningProcess
  /** Begins a process, and does not wait until it serves. */
  launch(start?: Start): RunningProcess
  start(start?: Start): Promise<RunningProcess>
  /** Sends a signal to the process, and waits until it is gone. */
  end(signal?: NodeJS.Signals): Promise<Exit>
  alive(): boolean
  /** Sends a request with the key of the service. */
  ask: Ask
}

/** A service that does not run yet: on a new SQLite file and a free port, and silent, unless told otherwise. */
export async function newService(t: TestContext, { key, ...usual }: Options = {}): Promise<Service> {
  const settings = {
    DATABASE_URL: usual.settings?.DATABASE_URL ?? sqliteFile(t),
    PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
    ...usual.settings,
  }
  const address = `http://127.0.0.1:${settings.PORT}`
  const made = key === false ? '' : await makeKey(settings.DATABASE_URL, key ?? UNLIMITED)
  let running: RunningProcess | undefined
  const service: Service = {
    settings,
    address,
    port: Number(settings.PORT),
    key: made,
    get process() {
      if (!running) throw new Error('it was not started')
      return running
    },
    launch(start = {}) {
      const { args = [], ...how } = { ...usual, ...start }
      running = spawnCli(t, ['serve', ...args], { ...settings, ...start.settings }, undefined, how)
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
    ask: client(t, address, made),
  }
  cleanup(t).defer(async () => {
    if (running) await service.end()
  })
  return service
}

export async function startService(t: TestContext, options?: Options): Promise<Service> {
  const service = await newService(t, options)
  await service.start()
  return service
}

export function isAlive({ child }: Pick<RunningProcess, 'child'>): boolean {
  return child.exitCode === null && child.signalCode === null
}

/** GET without a body, POST with one, which goes as JSON. */
export type Ask = (path: string, sent?: Sent) => Promise<Answer>

/** Sends requests with a key over kept connections. */
export function client(t: TestContext, address: string, key: string, maxSockets = 64): Ask {
  const agent = new http.Agent({ keepAlive: true, maxSockets })
  cleanup(t).defer(() => agent.destroy())
  return (path, { headers, ...sent } = {}) => {
    const own = {
      authorization: key === '' ? undefined : `Bearer ${key}`,
      ...(sent.body !== undefined && { 'content-type': 'application/json' }),
    }
    const method = sent.body === undefined ? 'GET' : 'POST'
    return send(agent, address + path, { method, ...sent, headers: { ...own, ...headers } })
  }
}
