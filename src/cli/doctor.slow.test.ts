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
import { createStore, listProblems, runDoctor } from '../testing/findings.ts'
import { asNextRelease } from '../testing/next-release.ts'
import { freePort } from '../testing/port.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'
import { scratchFolder, startApp } from '../testing/start-app.ts'
import { checkEnvironmentFile } from './examine.ts'

test('doctor with a healthy store: reports nothing wrong and leaves the store unchanged', async (t) => {
  const { file, url } = await createStore(t)
  const seen = () =>
    readdirSync(dirname(file)).map((name) => [
      name,
      readFileSync(join(dirname(file), name)).toString('base64'),
    ])
  const before = seen()
  const findings = await runDoctor({ DATABASE_URL: url })
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
    'e-mails',
    'deliveries',
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

test('doctor without a store: creates no store', async (t) => {
  const folder = scratchFolder(t)
  assert.deepEqual(await listProblems({ DATABASE_URL: `sqlite:${folder}/new/test.db` }), [])
  assert.deepEqual(readdirSync(folder), [])
})

test('doctor: reports a store readable by others and a folder writable by others', async (t) => {
  const { file, url } = await createStore(t)
  chmodSync(file, 0o640)
  chmodSync(dirname(file), 0o777)
  const found = await listProblems({ DATABASE_URL: url })
  assert.deepEqual(found, [
    `rights: ${file} is readable by other users`,
    `rights: ${dirname(file)} is writable by other users`,
  ])
  assert.equal(statSync(file).mode & 0o777, 0o640, 'doctor changes nothing')
})

test('doctor with a store in a shared folder: advises to move the store, not to change the folder', async (t) => {
  const { file, url } = await createStore(t)
  const advised = async () =>
    (await runDoctor({ DATABASE_URL: url }))
      .filter(({ check }) => check === 'rights')
      .map(({ advice }) => advice)
  chmodSync(dirname(file), 0o777)
  assert.deepEqual(await advised(), [`chmod 700 ${dirname(file)}`])
  for (const shared of [0o1777, 0o2775]) {
    chmodSync(dirname(file), shared)
    assert.match(String(await advised()), /^move the store into a folder that only the user of the service/)
  }
})

test('doctor with DATABASE_URL naming a folder, or a path below a file or broken link: reports only this problem', async (t) => {
  const { file } = await createStore(t)
  const folder = dirname(file)
  assert.deepEqual(await listProblems({ DATABASE_URL: `sqlite:${folder}` }), [
    `store: ${folder} is a folder, but DATABASE_URL must name a file`,
  ])
  assert.deepEqual(await listProblems({ DATABASE_URL: `sqlite:${file}/a.db` }), [
    `store: ${file} is not writable`,
  ])
  symlinkSync(join(folder, 'unmounted'), join(folder, 'disk'))
  assert.deepEqual(await listProblems({ DATABASE_URL: `sqlite:${folder}/disk/a.db` }), [
    `store: ${folder}/disk is a broken link`,
  ])
})

test('doctor: reports a damaged store, a file that is not a store, and a store of a newer release', async (t) => {
  const { file, url } = await createStore(t)
  const database = new DatabaseSync(file)
  database.exec(`insert into kysely_migration values ('9999-later', '2030-01-01')`)
  database.close()
  assert.match(
    String(await listProblems({ DATABASE_URL: url })),
    /^schema: changed by a newer release \(9999-later\)$/,
  )

  truncateSync(file, statSync(file).size - 8_192)
  assert.match(String(await listProblems({ DATABASE_URL: url })), /store: .*(damaged|malformed)/)
  writeFileSync(file, 'this is no database, however long it may be\n'.repeat(200))
  assert.match(String(await listProblems({ DATABASE_URL: url })), /^store: .*not a database$/)
})

test('doctor reports a store of an older release as doubtful, and a clock behind the store as wrong', async (t) => {
  const { file, url } = await createStore(t)
  const database = new DatabaseSync(file)
  database.exec(`update api_key set created_at = ${Date.now() + 3_600_000}`)
  database.close()
  asNextRelease(t)
  const findings = await runDoctor({ DATABASE_URL: url })
  assert.equal(findings.find(({ check }) => check === 'schema')?.state, 'doubtful')
  assert.equal(findings.find(({ check }) => check === 'clock')?.state, 'wrong')
})

test('doctor reports a failed job as doubtful, and a repeatedly failing job as wrong', async (t) => {
  const { file, url } = await createStore(t)
  using database = new DatabaseSync(file)
  database.exec(`insert into job (name, beat, due_at, failures, ended_at) values
    ('erasure', 1, 0, 7, 1790000000000), ('expired-results', 1, 0, 1, null), ('other', 1, 0, 0, null)`)
  const found = (await runDoctor({ DATABASE_URL: url })).filter(({ check }) => check === 'jobs')
  assert.deepEqual(
    found.map(({ state, found: text }) => `${state}: ${text}`),
    [
      'wrong: erasure is failing (consecutive failures: 7; last success: 2026-09-21T14:13:20.000Z)',
      'doubtful: expired-results is failing (consecutive failures: 1; last success: never)',
    ],
  )
})

test('doctor: distinguishes adoptable on the port from another program', async (t) => {
  const { port, databaseUrl } = await startApp(t)
  const running = await runDoctor({ DATABASE_URL: databaseUrl, PORT: String(port) })
  assert.equal(running.find(({ check }) => check === `PORT ${port}`)?.found, 'in use by adoptable')
  assert.deepEqual(await listProblems({ DATABASE_URL: databaseUrl, PORT: String(port) }), [])

  const other = net.createServer((socket) => socket.resume().end('HTTP/1.1 200 OK\r\n\r\nhello'))
  cleanup(t).defer(() => new Promise<void>((resolve) => other.close(() => resolve())))
  const taken = await freePort()
  await new Promise<void>((resolve) => other.listen(taken, '127.0.0.1', resolve))
  for (const name of ['PORT', 'METRICS_PORT'])
    assert.deepEqual(await listProblems({ DATABASE_URL: databaseUrl, [name]: String(taken) }), [
      `${name} ${taken}: in use by another program`,
    ])
})

test('doctor: checks PostgreSQL; an unreachable server is reported without the password', async (t) => {
  const url = await scratchDatabase(t)
  const findings = await runDoctor({ DATABASE_URL: url })
  const states = Object.fromEntries(findings.map(({ check, state }) => [check, state]))
  for (const check of ['PostgreSQL', 'clock of PostgreSQL', 'connections', 'schema']) {
    assert.equal(states[check], 'good', check)
  }
  assert.match(
    String(await listProblems({ DATABASE_URL: url, DATABASE_CONNECTIONS: '1000' })),
    /^connections: /,
  )

  const nobody = `postgres://nobody:secret@127.0.0.1:${await freePort()}/none`
  const [found = ''] = await listProblems({ DATABASE_URL: nobody })
  assert.match(found, /^PostgreSQL: .*ECONNREFUSED/)
  assert.doesNotMatch(JSON.stringify(await runDoctor({ DATABASE_URL: nobody })), /secret/)
})

test('doctor with an .env that has an unknown setting or that others can read: is doubtful, prints no values', (t) => {
  const file = join(scratchFolder(t), '.env')
  writeFileSync(file, 'PORT=8080\nDATABSE_URL=postgres://a:secret@b/c\n', { mode: 0o644 })
  const findings = checkEnvironmentFile(file)
  assert.deepEqual(
    findings.map(({ found }) => found),
    ['other users may read it', 'it contains unknown settings: DATABSE_URL'],
  )
  writeFileSync(file, 'PORT=8080\n')
  chmodSync(file, 0o600)
  assert.deepEqual(
    checkEnvironmentFile(file).map(({ state }) => state),
    ['good'],
  )
})

test('doctor with wrong settings: names all of them and the skipped checks', async () => {
  const settings = { PORT: '7', METRICS_PORT: '7', HOST: ' ', DATABASE_URL: 'mysql://x', LOG_LEVEL: 'loud' }
  assert.deepEqual(
    (await listProblems(settings)).map((line) => line.split(' must ')[0]),
    ['HOST', 'DATABASE_URL', 'LOG_LEVEL', 'METRICS_PORT'].map((name) => `settings: ${name}`),
  )
  const skipped = (await runDoctor(settings)).find(({ check }) => check === 'other checks')
  assert.deepEqual(
    [skipped?.state, skipped?.found],
    ['doubtful', 'store, servers and ports were not checked'],
  )
})

test('doctor prints a line per check, and exits with code 1 if a check is wrong', async (t) => {
  const { file, url } = await createStore(t)
  const settings = { DATABASE_URL: url, PORT: '0' }
  const [fine, json] = await Promise.all([
    runCli(t, ['doctor'], settings),
    runCli(t, ['doctor', '--json'], settings),
  ])
  assert.deepEqual([fine.code, fine.stderr], [0, ''])
  assert.match(fine.stdout, /^✔ settings +all valid; production\n/)
  assert.ok(!fine.stdout.includes('\u001b'), 'colors only on a terminal')
  assert.equal(json.code, 0)
  assert.equal(JSON.parse(json.stdout)[0].state, 'good')

  chmodSync(file, 0o666)
  const failed = await runCli(t, ['doctor'], { ...settings, PORT: 'x' })
  assert.deepEqual([failed.code, failed.stderr], [1, 'adoptable: failed checks: 1\n'])
  assert.match(failed.stdout, /^✖ settings +PORT must be .*\n {2}→ correct it/)
})

test(
  'doctor with a Redis that may lose counters: reports it without the password',
  NEEDS_REDIS,
  async (t) => {
    const { url } = await createStore(t)
    const redis = await startRedis(t, '--requirepass', 'secret', '--maxmemory-policy', 'allkeys-lru')
    const settings = { DATABASE_URL: url, REDIS_URL: `redis://:secret@127.0.0.1:${redis.port}` }
    assert.match(String(await listProblems(settings)), /^maxmemory-policy: allkeys-lru/)
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction', 'appendonly', 'yes')
    assert.deepEqual(await listProblems(settings), [])
    const findings = await runDoctor(settings)
    assert.equal(findings.find(({ check }) => check === 'persistence')?.state, 'good')
    assert.equal(findings.find(({ check }) => check === 'clock of Redis')?.state, 'good')

    const refused = { ...settings, REDIS_URL: `redis://:wrong3@127.0.0.1:${redis.port}` }
    assert.match(String(await listProblems(refused)), /^Redis: .*WRONGPASS/)
    await redis.kill()
    assert.match(String(await listProblems(settings)), /^Redis: .*ECONNREFUSED/)
    for (const output of [findings, await runDoctor(refused), await runDoctor(settings)]) {
      assert.doesNotMatch(JSON.stringify(output), /secret|wrong3/)
    }
  },
)
