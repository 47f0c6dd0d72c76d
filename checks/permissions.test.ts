import assert from 'node:assert/strict'
import { dirname, resolve } from 'node:path'
import { test } from 'node:test'
import { fileOf } from '../src/db/store-url.ts'
import { photosFolder, spawnCli } from '../src/testing/process.ts'
import { assertNothingLost, startCreators } from '../torture/lab/creators.ts'
import { waitFor } from '../torture/lab/parallel.ts'
import { OPERATIONS } from '../torture/lab/requests/description.ts'
import { reportFigure, rounds } from '../torture/lab/rounds.ts'
import { startService } from '../torture/lab/service.ts'
import { sqliteFile, testOnEachStore } from '../torture/lab/stores.ts'

/** Number of animals to create. */
const ANIMALS = rounds(5_000)

/** Fewer than the connections to PostgreSQL, because long waits for a connection are logged. */
const CLIENTS = 8

/** Node's permission model allows only files of the program and the data, threads, and no child process. */
function confined(databaseUrl: string): { NODE_OPTIONS: string } {
  const isFile = databaseUrl.startsWith('sqlite:')
  const folders = [isFile ? resolve(dirname(fileOf(databaseUrl))) : photosFolder(databaseUrl)]
  const reads = [resolve('.'), ...folders].map((folder) => `--allow-fs-read=${folder}`)
  const writes = folders.map((folder) => `--allow-fs-write=${folder}`)
  const flags = ['--permission', '--allow-worker', '--disable-proto=delete', '--disable-warning=PERM0006']
  return { NODE_OPTIONS: [...flags, ...reads, ...writes].join(' ') }
}

testOnEachStore(
  'the service runs with access to its data only, and without child processes',
  async (t, { stores }) => {
    const settings = { ...stores, ...confined(stores.DATABASE_URL), LOG_LEVEL: 'error' }
    const service = await startService(t, { settings })
    const creators = startCreators(t, service, { clients: CLIENTS })
    await waitFor(t, () => creators.ledger.size >= ANIMALS)
    await assertNothingLost(service, await creators.stop())
    for (const path of ['/docs/', '/docs/reference.js', '/openapi.json', '/readyz'])
      assert.equal((await service.ask(path)).status, 200, path)
    // A stream has no end.
    for (const { method, path } of OPERATIONS.filter(({ operationId }) => operationId !== 'streamEvents')) {
      const headers = { 'content-type': 'application/json' }
      const { status, text } = await service.ask(`/v1${path.replace(/\{\w+\}/, '1')}`, { method, headers })
      assert.ok(status < 500, `${method} ${path}: ${text}`)
    }
    const { code, stderr } = await service.end('SIGTERM')
    // Only denied files and programs matter; the database of a busy machine may be slow.
    const errors = stderr.split('\n').filter((line) => !/"reason":"[^"]* timeout"/.test(line))
    assert.deepEqual([code, errors], [0, ['']])
    reportFigure(t, `${creators.ledger.size} animals and ${OPERATIONS.length - 1} operations, confined`)
  },
)

test('control: a confined service cannot start on a store in another folder', async (t) => {
  const settings = { DATABASE_URL: sqliteFile(t), PORT: '0', ...confined(sqliteFile(t)) }
  const { code, stderr } = await spawnCli(t, ['serve'], settings).exited
  assert.equal(code, 1)
  assert.match(stderr, /access|permission/i)
})
