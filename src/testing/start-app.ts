import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { changes } from '../changes.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { openForCommand } from '../db/open-database.ts'
import { insertSecret } from '../db/secrets.ts'
import { fileOf, isPostgres } from '../db/store-url.ts'
import type { Face } from '../http/face.ts'
import type { Environment } from '../keys/key-format.ts'
import { makeKey as make } from '../keys/make.ts'
import * as keys from '../keys/store.ts'
import { openRenderer, type Renderer } from '../photos/renderer/render.ts'
import { type Service, start } from '../start.ts'
import { cleanup } from './cleanup.ts'
import { type Answer, type Sent, send, sendRaw } from './client.ts'
import { sameThread } from './same-thread.ts'

export interface Options {
  /** Environment variables beside those of the test itself. */
  settings?: Record<string, string>
  /** Of the key that requests carry unless told otherwise. */
  key?: Partial<keys.NewKey>
  /** An existing store, for a second start; a new one when absent. */
  databaseUrl?: string
  /** Unix time in milliseconds at which the clock stands. */
  now?: number
  /** Milliseconds of the clock that nobody can set; it is the other clock when absent. */
  steady?: () => number
  /** Whether it has a writer thread and a photo process of its own, as in production. */
  own?: boolean
  /** Faces beside the service's own. */
  faces?: (context: Context) => Face[]
}

export interface TestApp {
  service: Service
  databaseUrl: string
  port: number
  /** A key of the plan asked for; requests carry it unless they bring their own Authorization header. */
  key: string
  clock: { now: number }
  /** Every line of the log so far. */
  log: string[]
  request(path: string, sent?: Sent): Promise<Answer>
  get(path: string, headers?: http.OutgoingHttpHeaders): Promise<Answer>
  post(path: string, body: unknown, headers?: http.OutgoingHttpHeaders): Promise<Answer>
  patch(path: string, body: unknown, headers?: http.OutgoingHttpHeaders): Promise<Answer>
  delete(path: string, headers?: http.OutgoingHttpHeaders): Promise<Answer>
  raw(bytes: string | Buffer): Promise<string>
  stop(): Promise<void>
}

/** For `key`: one that no test can use up. */
export const UNLIMITED = { plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } } as const

/** 1 December 2026, after release 1.0.0 and before the sunset. */
const NOW = Date.UTC(2026, 11, 1)

const JSON_BODY = { 'content-type': 'application/json' }

/** A folder of the test's own, gone after it. */
export function scratchFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'adoptable-test-'))
  cleanup(t).defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type MakeStore = (t: TestContext) => string | Promise<string>

/** Makes the URL of a new store of a test's own; without one it is a file. */
let otherStore: MakeStore | undefined

/** Settings of every service that a test starts, beneath its own. */
let commonSettings: Record<string, string> = {}

/** From now on tests put their stores there. */
export function useStores(make: MakeStore, settings: Record<string, string> = {}): void {
  otherStore = make
  commonSettings = settings
}

/** The services of a test process share the process that reads pictures: a start of it takes a while. */
const renderer: Renderer = { ...openRenderer(), close: async () => undefined }

/** The whole service on a free port, with a store of its own and a clock that stands still until told. */
export async function startApp(t: TestContext, options: Options = {}): Promise<TestApp> {
  const existing = options.databaseUrl ?? (await otherStore?.(t))
  const databaseUrl = existing ?? `sqlite:${join(scratchFolder(t), 'test.db')}`
  const clock = { now: options.now ?? NOW }
  const log: string[] = []
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    BASE_URL: 'http://pets.example/v1',
    // Beside a store in a file lies a folder of its own.
    ...(isPostgres(databaseUrl) && { PHOTOS_URL: `file:${scratchFolder(t)}` }),
    ...commonSettings,
    ...options.settings,
  })
  const key = existing
    ? await makeKey(existing, options.key, config.environment)
    : await copyTemplate(databaseUrl, options.key, config.environment)
  const service = await start(config, {
    clock: () => clock.now,
    ...(!options.own && { startWriter: sameThread, renderer }),
    ...(options.steady && { steady: options.steady }),
    ...(options.faces && { faces: options.faces }),
    log: { write: (line) => log.push(line) },
  })
  const agent = new http.Agent({ keepAlive: true })
  const port = Number(new URL(service.address).port)
  const authorization = `Bearer ${key}`

  const request: TestApp['request'] = (path, sent = {}) =>
    send(agent, `http://127.0.0.1:${port}${path}`, { ...sent, headers: { authorization, ...sent.headers } })
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    agent.destroy()
    stopping ??= service.stop()
    return stopping
  }
  cleanup(t).defer(stop)

  return {
    service,
    databaseUrl,
    port,
    key,
    clock,
    log,
    request,
    get: (path, headers = {}) => request(path, { headers }),
    post: (path, body, headers = {}) =>
      request(path, { method: 'POST', body, headers: { ...JSON_BODY, ...headers } }),
    delete: (path, headers = {}) => request(path, { method: 'DELETE', headers }),
    patch: (path, body, headers = {}) =>
      request(path, { method: 'PATCH', body, headers: { ...JSON_BODY, ...headers } }),
    raw: (bytes) => sendRaw(port, bytes),
    stop,
  }
}

/** Stores with one key, which tests copy instead of making their own: the key by what it was made with. */
const templates = new Map<string, { file: string; key: Promise<string> }>()

async function copyTemplate(
  databaseUrl: string,
  key: Partial<keys.NewKey> = {},
  environment: Environment,
): Promise<string> {
  const name = JSON.stringify([key, environment])
  let template = templates.get(name)
  if (!template) {
    const copied = join(tmpdir(), `template-${process.pid}-${templates.size}.db`)
    copyFileSync(process.env.TEST_STORE ?? '', copied)
    template = { file: copied, key: makeKey(`sqlite:${copied}`, key, environment) }
    templates.set(name, template)
  }
  const secret = await template.key
  copyFileSync(template.file, fileOf(databaseUrl))
  return secret
}

/** A key straight in the store, as the command makes it beside a running server. */
export async function makeKey(
  databaseUrl: string,
  { name = 'test', plan = 'business', access = 'write', organizationId, limits }: Partial<keys.NewKey> = {},
  environment: Environment = 'production',
): Promise<string> {
  const store = await openForCommand(databaseUrl, changes)
  // The first admin key that a start makes would be one more in every test.
  await insertSecret(store.db, keys.FIRST_KEY, '0'.repeat(64))
  const key = { name, plan, access, organizationId, limits }
  const { secret } = await make(store.write, environment, key, 0)
  await store.close()
  return secret
}
