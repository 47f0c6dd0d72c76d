import assert from 'node:assert/strict'
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
import type { Jobs } from '../jobs/job.ts'
import type { Environment } from '../keys/key-format.ts'
import { makeKey as make } from '../keys/make.ts'
import * as keys from '../keys/store.ts'
import { openRenderer, type Renderer } from '../photos/renderer/render.ts'
import { hashPassword } from '../staff/passwords.ts'
import { type Service, start } from '../start.ts'
import { cleanup } from './cleanup.ts'
import { type Answer, type RequestOptions, send, sendRaw } from './client.ts'
import { sameThread } from './same-thread.ts'

export interface Options {
  /** Additional settings. */
  settings?: Record<string, string>
  /** Properties of the key with which requests are sent unless a test sends another key. */
  key?: Partial<keys.NewKey>
  /** An existing store, for a second start. By default, the service gets a new store. */
  databaseUrl?: string
  /** The initial time of the clock, in Unix milliseconds. */
  now?: number
  /** A clock that does not change when the machine's clock is set. By default, the test clock. */
  steady?: () => number
  /** Whether the service has its own writer thread and photo process, as in production. */
  ownProcesses?: boolean
  /** The jobs that the service itself runs every ten seconds. By default none: tests call `doJobs`. */
  jobs?: Jobs
  /** How often followed installations are read. */
  followMs?: number
  /** Additional faces. */
  faces?: (context: Context) => Face[]
}

export interface TestApp {
  service: Service
  databaseUrl: string
  port: number
  /** The key of requests without their own Authorization header. */
  key: string
  clock: { now: number }
  /** Every line of the log so far. */
  log: string[]
  request(path: string, sent?: RequestOptions): Promise<Answer>
  get(path: string, headers?: http.OutgoingHttpHeaders): Promise<Answer>
  post(path: string, body: unknown, headers?: http.OutgoingHttpHeaders): Promise<Answer>
  patch(path: string, body: unknown, headers?: http.OutgoingHttpHeaders): Promise<Answer>
  delete(path: string, headers?: http.OutgoingHttpHeaders): Promise<Answer>
  raw(bytes: string | Buffer): Promise<string>
  stop(): Promise<void>
}

/** A value for `key` whose limits no test can reach. */
export const UNLIMITED = { plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } } as const

/** 1 December 2026 is after release 1.0.0 and before the sunset of GET /pets/{petId}. */
const NOW = Date.UTC(2026, 11, 1)

const JSON_BODY = { 'content-type': 'application/json' }

/** Creates a folder that is removed after the test. */
export function scratchFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'adoptable-test-'))
  cleanup(t).defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

interface Stores {
  /** Creates a store that lasts until the end of the test run. @returns its URL */
  createTemplate(): Promise<string>
  /** Copies a template. The copy is removed after the test. @returns its URL */
  copy(t: TestContext, template: string): Promise<string>
}

let templateFiles = 0

const FILES: Stores = {
  async createTemplate() {
    templateFiles += 1
    const file = join(tmpdir(), `template-${process.pid}-${templateFiles}.db`)
    copyFileSync(process.env.TEST_STORE ?? '', file)
    return `sqlite:${file}`
  },
  async copy(t, template) {
    return copyFile(t, fileOf(template))
  },
}

/** Creates a SQLite store without keys or animals. It is removed after the test. @returns its URL */
export function scratchStore(t: TestContext): string {
  return copyFile(t, process.env.TEST_STORE ?? '')
}

/** Copying a store is faster than creating its tables. */
function copyFile(t: TestContext, template: string): string {
  const file = join(scratchFolder(t), 'test.db')
  copyFileSync(template, file)
  return `sqlite:${file}`
}

let stores = FILES

/** Settings of all services, unless a test overrides them. */
let commonSettings: Record<string, string> = {}

/** Makes all tests use stores of another kind than SQLite files. */
export function useStores(otherStores: Stores, settings: Record<string, string> = {}): void {
  stores = otherStores
  commonSettings = settings
}

/** All services of a test process share one photo process, because starting it takes a while. */
const renderer: Renderer = { ...openRenderer(), close: async () => undefined }

/** Makes hashes at the lowest cost, which are verified like all others. */
const hashQuickly = (password: string): Promise<string> =>
  hashPassword(password, { memory: 8, passes: 1, parallelism: 1 })

/** Starts a complete service on a free port, with its own store and a clock that only the test moves. */
export async function startApp(t: TestContext, options: Options = {}): Promise<TestApp> {
  const { databaseUrl, key } = await openStore(t, options)
  const clock = { now: options.now ?? NOW }
  const log: string[] = []
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    BASE_URL: 'http://pets.example/v1',
    // With SQLite, photos are in a folder next to the file.
    ...(isPostgres(databaseUrl) && { PHOTOS_URL: `file:${scratchFolder(t)}` }),
    ...commonSettings,
    ...options.settings,
  })
  const service = await start(config, {
    clock: () => clock.now,
    jobs: options.jobs ?? {},
    ...(!options.ownProcesses && { startWriter: sameThread, renderer, hashPassword: hashQuickly }),
    ...(options.steady && { steady: options.steady }),
    ...(options.followMs && { followMs: options.followMs }),
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
  cleanup(t).defer(async () => {
    await stop()
    // Fastify only logs it, then closes the connection after the first response.
    const twice = log.find((line) => line.includes('FST_ERR_REP_ALREADY_SENT'))
    assert.equal(twice, undefined, 'a route answers a request once')
  })

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

interface StoreWithKey {
  databaseUrl: string
  key: string
}

/** Stores with one key, by the properties of the key. Copying a store is faster than creating a key. */
const templates = new Map<string, Promise<StoreWithKey>>()

async function openStore(
  t: TestContext,
  { databaseUrl, key, settings = {} }: Options,
): Promise<StoreWithKey> {
  const environment = settings.ADOPTABLE_ENVIRONMENT === 'staging' ? 'staging' : 'production'
  if (databaseUrl) return { databaseUrl, key: await makeKey(databaseUrl, key, environment) }
  const name = JSON.stringify([key, environment])
  const template = templates.get(name) ?? createTemplate(key, environment)
  templates.set(name, template)
  const filled = await template
  return { ...filled, databaseUrl: await stores.copy(t, filled.databaseUrl) }
}

async function createTemplate(key: Options['key'], environment: Environment): Promise<StoreWithKey> {
  const databaseUrl = await stores.createTemplate()
  return { databaseUrl, key: await makeKey(databaseUrl, key, environment) }
}

/** Creates a key directly in the store, as `adoptable keys create` does. @returns the key */
export async function makeKey(
  databaseUrl: string,
  { name = 'test', plan = 'business', access = 'write', organizationId, limits }: Partial<keys.NewKey> = {},
  environment: Environment = 'production',
): Promise<string> {
  const store = await openForCommand(databaseUrl, changes)
  // Marks the first key as created, so the start of a service does not create another key.
  await insertSecret(store.db, keys.FIRST_KEY, '0'.repeat(64))
  const key = { name, plan, access, organizationId, limits }
  const { secret } = await make(store.write, environment, key, 0)
  await store.close()
  return secret
}
