import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileOf } from '../src/db/open-sqlite.ts'
import { cleanup } from '../src/testing/cleanup.ts'
import { send } from '../src/testing/client.ts'
import { runCli, spawnCli } from '../src/testing/process.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { reached, rounds } from './given.ts'
import { STORES } from './stores.ts'

/** Animals to add. */
const ANIMALS = rounds(5_000)

/** Node's own confinement: files of the program and the data only, threads, and no other program. */
function confined(databaseUrl: string): { NODE_OPTIONS: string } {
  const folders = databaseUrl.startsWith('sqlite:') ? [resolve(dirname(fileOf(databaseUrl)))] : []
  const reads = [resolve('.'), ...folders].map((folder) => `--allow-fs-read=${folder}`)
  const writes = folders.map((folder) => `--allow-fs-write=${folder}`)
  const flags = ['--permission', '--allow-worker', '--disable-proto=delete', '--disable-warning=PERM0006']
  return { NODE_OPTIONS: [...flags, ...reads, ...writes].join(' ') }
}

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'))
const CALLS = Object.entries<object>(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({
    method: method.toUpperCase(),
    path: `/v1${path.replace(/\{\w+\}/, '1')}`,
  })),
)

for (const stores of STORES) {
  test(`the service needs no file but its data, and no other program, on ${stores.name}`, {
    skip: stores.skip,
  }, async (t: TestContext) => {
    const settings = await stores.open(t)
    const key = await makeKey(settings.DATABASE_URL, { ...UNLIMITED, access: 'admin' })
    const within = { ...settings, ...confined(settings.DATABASE_URL), PORT: '0', LOG_LEVEL: 'error' }
    const { child, serving, exited } = spawnCli(t, ['serve'], within)
    const address = await serving
    const creators = startCreators({ address: () => address, key })
    while (creators.ledger.size < ANIMALS) await new Promise((ready) => setTimeout(ready, 50))
    assertNothingLost(await audit(address, key, await creators.stop()))
    const agent = new http.Agent({ keepAlive: true })
    cleanup(t).defer(() => agent.destroy())
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    for (const path of ['/docs/', '/docs/reference.js', '/openapi.json', '/readyz']) {
      assert.equal((await send(agent, address + path, {})).status, 200, path)
    }
    for (const { method, path } of CALLS) {
      const { status, text } = await send(agent, address + path, { method, headers })
      assert.ok(status < 500, `${method} ${path}: ${text}`)
    }
    child.kill('SIGTERM')
    const { code, stderr } = await exited
    assert.deepEqual([code, stderr], [0, ''])
    reached(t, `${creators.ledger.size} animals and ${CALLS.length} operations, confined`)
  })
}

test('a confined service cannot begin on a store that lies elsewhere', async (t) => {
  const DATABASE_URL = `sqlite:${join(scratchFolder(t), 'adoptable.db')}`
  const elsewhere = confined(`sqlite:${join(scratchFolder(t), 'adoptable.db')}`)
  const { code, stderr } = await runCli(t, ['serve'], { DATABASE_URL, PORT: '0', ...elsewhere })
  assert.equal(code, 1)
  assert.match(stderr, /access|permission/i)
})
