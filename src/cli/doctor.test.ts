import assert from 'node:assert/strict'
import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import net from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { look, storeOf, wrongOf } from '../testing/findings.ts'
import { asNextRelease } from '../testing/next-release.ts'
import { freePort } from '../testing/port.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp } from '../testing/start-app.ts'
import { checkEnvironmentFile } from './doctor-settings.ts'

test('doctor finds nothing wrong with a good store, and leaves it as it was', async (t) => {
  const { file, url } = await storeOf(t)
  const seen = () =>
    readdirSync(dirname(file)).map((name) => [
      name,
      readFileSync(join(dirname(file), name)).toString('base64'),
    ])
  const before = seen()
  const findings = await look({ DATABASE_URL: url })
  assert.deepEqual(
    findings.filter(({ state }) => state === 'wrong'),
    [],
  )
  const checks = [
    'settings',
    '.env',
    'Node.js',
    'open files',
    'rights',
    'store',
    'schema',
    'clock',
    'jobs',
    'search',
    'disk',
    'rendering of photos',
    'store of photos',
    'PORT 0',
  ]
  assert.deepEqual(
    findings.map(({ check }) => check),
    checks,
  )
  assert.deepEqual(seen(), before)
})

test('doctor makes no store where there is none', async (t) => {
  const folder = scratchFolder(t)
  assert.deepEqual(await wrongOf({ DATABASE_URL: `sqlite:${folder}/new/test.db` }), [])
  assert.deepEqual(readdirSync(folder), [])
})

test('doctor finds a store that others may read, and a folder that they may change', async (t) => {
  const { file, url } = await storeOf(t)
  chmodSync(file, 0o640)
  chmodSync(dirname(file), 0o777)
  const found = await wrongOf({ DATABASE_URL: url })
  assert.deepEqual(found, [
    `rights: ${file} can be read by other users`,
    `rights: ${dirname(file)} can be changed by other users`,
  ])
  assert.equal(statSync(file).mode & 0o777, 0o640, 'it says what to do, and does it not')
})

test('doctor advises to move a store out of a folder that others share, and not to change that folder', async (t) => {
  const { file, url } = await storeOf(t)
  const advised = async () =>
    (await look({ DATABASE_URL: url })).filter(({ check }) => check === 'rights').map(({ advice }) => advice)
  chmodSync(dirname(file), 0o777)
  assert.deepEqual(await advised(), [`chmod 700 ${dirname(file)}`])
  for (const shared of [0o1777, 0o2775]) {
    chmodSync(dirname(file), shared)
    assert.match(String(await advised()), /^move the store into a folder that only the user of the service/)
  }
})

test('doctor finds that DATABASE_URL names a folder, or a place below a file or a broken link, and nothing else', async (t) => {
  const { file } = await storeOf(t)
  const folder = dirname(file)
  assert.deepEqual(await wrongOf({ DATABASE_URL: `sqlite:${folder}` }), [
    `store: ${folder} is a folder; DATABASE_URL must name a file`,
  ])
  assert.deepEqual(await wrongOf({ DATABASE_URL: `sqlite:${file}/a.db` }), [
    `store: nothing can be made in ${file}`,
  ])
  symlinkSync(join(folder, 'unmounted'), join(folder, 'disk'))
  assert.deepEqual(await wrongOf({ DATABASE_URL: `sqlite:${folder}/disk/a.db` }), [
    `store: ${folder}/disk is a link to a place that is not there`,
  ])
})

test('doctor finds a damaged store, one that is none, and one of a newer release', async (t) => {
  const { file, url } = await storeOf(t)
  const database = new DatabaseSync(file)
  database.exec(`insert into kysely_migration values ('9999-later', '2030-01-01')`)
  database.close()
  assert.match(
    String(await wrongOf({ DATABASE_URL: url })),
    /^schema: a newer release has changed it \(9999-later\)$/,
  )

  truncateSync(file, statSync(file).size - 8_192)
  assert.match(String(await wrongOf({ DATABASE_URL: url })), /store: .*(damaged|malformed)/)
  writeFileSync(file, 'this is no database, however long it may be\n'.repeat(200))
  assert.match(String(await wrongOf({ DATABASE_URL: url })), /^store: .*not a database$/)
})

test('doctor finds an older store doubtful, and a clock that is behind it wrong', async (t) => {
  const { file, url } = await storeOf(t)
  const database = new DatabaseSync(file)
  database.exec(`update api_key set created_at = ${Date.now() + 3_600_000}`)
  database.close()
  asNextRelease(t)
  const findings = await look({ DATABASE_URL: url })
  assert.equal(findings.find(({ check }) => check === 'schema')?.state, 'doubtful')
  assert.equal(findings.find(({ check }) => check === 'clock')?.state, 'wrong')
})

test('doctor finds a job that failed doubtful, and one that fails again and again wrong', async (t) => {
  const { file, url } = await storeOf(t)
  using database = new DatabaseSync(file)
  database.exec(`insert into job (name, beat, due_at, failures, ended_at) values
    ('erasure', 1, 0, 7, 1790000000000), ('expired-results', 1, 0, 1, null), ('other', 1, 0, 0, null)`)
  const found = (await look({ DATABASE_URL: url })).filter(({ check }) => check === 'jobs')
  assert.deepEqual(
    found.map(({ state, found: text }) => `${state}: ${text}`),
    [
      'wrong: erasure has failed (times in a row: 7; went well: 2026-09-21T14:13:20.000Z)',
      'doubtful: expired-results has failed (times in a row: 1; went well: never yet)',
    ],
  )
})

test('doctor knows its own service on the port from another program', async (t) => {
  const { port, databaseUrl } = await startApp(t)
  const running = await look({ DATABASE_URL: databaseUrl, PORT: String(port) })
  assert.equal(running.find(({ check }) => check === `PORT ${port}`)?.found, 'adoptable answers there')
  assert.deepEqual(await wrongOf({ DATABASE_URL: databaseUrl, PORT: String(port) }), [])

  const other = net.createServer((socket) => socket.resume().end('HTTP/1.1 200 OK\r\n\r\nhello'))
  cleanup(t).defer(() => new Promise<void>((resolve) => other.close(() => resolve())))
  const taken = await freePort()
  await new Promise<void>((resolve) => other.listen(taken, '127.0.0.1', resolve))
  for (const name of ['PORT', 'METRICS_PORT'])
    assert.deepEqual(await wrongOf({ DATABASE_URL: databaseUrl, [name]: String(taken) }), [
      `${name} ${taken}: another program has it`,
    ])
})

test('doctor checks PostgreSQL, and says why it cannot be reached without its password', async (t) => {
  const url = await scratchDatabase(t)
  const findings = await look({ DATABASE_URL: url })
  const states = Object.fromEntries(findings.map(({ check, state }) => [check, state]))
  for (const check of ['PostgreSQL', 'clock of PostgreSQL', 'connections', 'schema']) {
    assert.equal(states[check], 'good', check)
  }
  assert.match(String(await wrongOf({ DATABASE_URL: url, DATABASE_CONNECTIONS: '1000' })), /^connections: /)

  const nobody = `postgres://nobody:secret@127.0.0.1:${await freePort()}/none`
  const [found = ''] = await wrongOf({ DATABASE_URL: nobody })
  assert.match(found, /^PostgreSQL: .*ECONNREFUSED/)
  assert.doesNotMatch(JSON.stringify(await look({ DATABASE_URL: nobody })), /secret/)
})

test('a file .env with a mistyped setting, or open to others, is doubtful; its values are not told', (t) => {
  const file = join(scratchFolder(t), '.env')
  writeFileSync(file, 'PORT=8080\nDATABSE_URL=postgres://a:secret@b/c\n', { mode: 0o644 })
  const findings = checkEnvironmentFile(file)
  assert.deepEqual(
    findings.map(({ found }) => found),
    ['other users may read it', 'it has what is no setting: DATABSE_URL'],
  )
  writeFileSync(file, 'PORT=8080\n')
  chmodSync(file, 0o600)
  assert.deepEqual(
    checkEnvironmentFile(file).map(({ state }) => state),
    ['good'],
  )
})

test('doctor names every wrong setting, and what it could not look at because of them', async () => {
  const settings = { PORT: '7', METRICS_PORT: '7', HOST: ' ', DATABASE_URL: 'mysql://x', LOG_LEVEL: 'loud' }
  assert.deepEqual(
    (await wrongOf(settings)).map((line) => line.split(' must ')[0]),
    ['HOST', 'DATABASE_URL', 'LOG_LEVEL', 'METRICS_PORT'].map((name) => `settings: ${name}`),
  )
  const skipped = (await look(settings)).find(({ check }) => check === 'other checks')
  assert.deepEqual(
    [skipped?.state, skipped?.found],
    ['doubtful', 'the store, servers and ports were not looked at'],
  )
})

test('adoptable doctor prints a line for each check and exits with 1 when one failed', async (t) => {
  const { file, url } = await storeOf(t)
  const settings = { DATABASE_URL: url, PORT: '0' }
  const [fine, json] = await Promise.all([
    runCli(t, ['doctor'], settings),
    runCli(t, ['doctor', '--json'], settings),
  ])
  assert.deepEqual([fine.code, fine.stderr], [0, ''])
  assert.match(fine.stdout, /^✔ settings +each can be read; production\n/)
  assert.ok(!fine.stdout.includes('\u001b'), 'no colours where nobody looks')
  assert.equal(json.code, 0)
  assert.equal(JSON.parse(json.stdout)[0].state, 'good')

  chmodSync(file, 0o666)
  const failed = await runCli(t, ['doctor'], { ...settings, PORT: 'x' })
  assert.deepEqual([failed.code, failed.stderr], [1, 'adoptable: checks that failed: 1\n'])
  assert.match(failed.stdout, /^✖ settings +PORT must be .*\n {2}→ correct it/)
})
