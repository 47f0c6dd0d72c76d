import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { canConnect } from './port.ts'
import { NOBODY, postgresPrograms, reachable } from './postgres-server.ts'
import { until } from './redis.ts'
import { scratchFolder } from './start-app.ts'

/** Leaves out NODE_TEST_CONTEXT, which would make an inner test run report only to the outer run. */
const { NODE_TEST_CONTEXT, ...env } = process.env
const RUN = ['--test', '--test-global-setup=src/testing/setup.ts']

test('a test run exits with 1 if a test fails, otherwise with 0', (t) => {
  const file = join(scratchFolder(t), 'sample.test.mjs')
  for (const [body, code] of [
    ['throw new Error()', 1],
    ['', 0],
  ] as const) {
    writeFileSync(file, `import { test } from 'node:test'\ntest('sample', () => { ${body} })`)
    assert.equal(spawnSync(process.execPath, [...RUN, file], { env }).status, code)
  }
})

/** A test that never ends. It prints the addresses of its servers, and has files in the temporary folder. */
const UNENDING = (helpers: string): string => `
  import { test } from 'node:test'
  import { spawnCli } from '${helpers}/process.ts'
  import { scratchFolder } from '${helpers}/start-app.ts'
  test('unending', async (t) => {
    const settings = { DATABASE_URL: \`sqlite:\${scratchFolder(t)}/test.db\`, PORT: '0' }
    const address = await spawnCli(t, ['serve'], settings).serving
    const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env
    console.log(JSON.stringify([address, TEST_DATABASE_URL, TEST_REDIS_URL]))
    await new Promise((resolve) => setTimeout(resolve, 600_000))
  })`

/** Starts a test run with its own servers, and waits until it is in the middle of a test. */
async function startRun(t: TestContext) {
  const [file, temporary] = [join(scratchFolder(t), 'sample.test.mjs'), scratchFolder(t)]
  writeFileSync(file, UNENDING(import.meta.dirname))
  const { TEST_DATABASE_URL, TEST_REDIS_URL, ...rest } = env
  // The user of PostgreSQL must be able to enter the temporary folder.
  chmodSync(temporary, 0o755)
  const runner = spawn(process.execPath, [...RUN, '--test-reporter=tap', file], {
    env: { ...rest, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  runner.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  await until(() => /\["http.*\]/.test(output) || runner.exitCode !== null)
  const urls: string[] = JSON.parse(/\["http.*\]/.exec(output)?.[0] ?? '[]')
  const ports = urls.filter((url) => url !== '').map((url) => Number(new URL(url).port))
  return { runner, temporary, ports }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  test(`a test run ended by ${signal} leaves no files and no servers`, { timeout: 60_000 }, async (t) => {
    const { runner, temporary, ports } = await startRun(t)
    assert.ok(ports.length >= 2, `the run printed too few servers: ${ports}`)

    runner.kill(signal)
    if (runner.exitCode === null && runner.signalCode === null) await once(runner, 'exit')

    await until(() => readdirSync(temporary).length === 0)
    for (const port of ports) assert.equal(await canConnect(port), false)
  })
}

test('PostgreSQL programs in a folder closed to others are copied and run as user nobody', {
  skip: NOBODY.uid === undefined && 'only root runs it as another user',
}, async (t) => {
  const closed = scratchFolder(t)
  const { postgres } = await postgresPrograms()
  execFileSync('cp', ['-a', resolve(dirname(postgres), '..'), join(closed, 'native')])
  chmodSync(closed, 0o700)
  const programs = ['initdb', 'postgres'].map((name) => join(closed, 'native/bin', name))
  const [initdb = '', server = ''] = programs
  assert.throws(() => execFileSync(server, ['--version'], { ...NOBODY, cwd: '/' }), /EACCES/)

  const copies = reachable({ initdb, postgres: server })

  for (const program of [copies.initdb, copies.postgres]) {
    assert.match(execFileSync(program, ['--version'], { ...NOBODY, cwd: '/' }).toString(), /PostgreSQL/)
  }
})
