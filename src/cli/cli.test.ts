import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../config.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp } from '../testing/start-app.ts'

test('keys create prints only the key; keys list, rotate and revoke work while the service runs', async (t) => {
  const databaseUrl = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const app = await startApp(t, { databaseUrl, key: { name: 'first', access: 'admin' } })
  const settings = { DATABASE_URL: databaseUrl }
  const statusOf = async (key: string) => {
    // The commands use the clock of the machine.
    app.clock.now = Date.now()
    return (await app.get('/v1/pets', { authorization: `Bearer ${key}` })).status
  }

  const created = await runCli(
    t,
    ['keys', 'create', '--name', 'feed', '--plan', 'pro', '--access', 'read'],
    settings,
  )
  assert.match(created.stdout, /^adopt_live_[0-9A-Za-z]{36}\n$/)
  const message = 'created key 2, "feed": plan pro, access read. It is shown only once\n'
  assert.deepEqual([created.code, created.stderr], [0, message])
  const key = created.stdout.trim()
  assert.equal(await statusOf(key), 200)

  const listed = JSON.parse((await runCli(t, ['keys', 'list', '--json'], settings)).stdout)
  assert.equal(listed.length, 2)
  const { id, name, plan, access } = listed[1]
  assert.deepEqual({ id, name, plan, access }, { id: 2, name: 'feed', plan: 'pro', access: 'read' })
  assert.match(
    (await runCli(t, ['keys', 'list'], settings)).stdout,
    /^id\tname\t.*\n1\tfirst\tbusiness\tadmin\t/,
  )

  const rotated = (await runCli(t, ['keys', 'rotate', '2', '--overlap', '0s'], settings)).stdout.trim()
  assert.deepEqual([await statusOf(key), await statusOf(rotated)], [401, 200])
  const revoked = await runCli(t, ['keys', 'revoke', '2'], settings)
  const saying = 'revoked key 2, "feed": requests with it get a 401\n'
  assert.deepEqual([revoked.code, revoked.stdout], [0, saying])
  assert.equal(await statusOf(rotated), 401)
  const again = await runCli(t, ['keys', 'revoke', '2'], settings)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /^adoptable: there is no valid key 2; .*\n$/)
})

test('wrong arguments: the command prints one line on stderr and exits with code 2', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  const wrong = [
    ['walk'],
    ['serve', 'now'],
    ['keys'],
    ['keys', 'create'],
    ['keys', 'create', '--name', 'a', '--plan', 'gold'],
    ['keys', 'create', '--name', ' ', '--plan', 'free'],
    ['keys', 'create', '--name', 'a', '--plan', 'free', '--per-minute', '5', '--per-day', '5'],
    ['keys', 'create', '--name', 'a', '--plan', 'enterprise', '--per-minute', '5'],
    ['keys', 'create', '--name', 'a', '--plan', 'enterprise', '--per-minute', '0', '--per-day', '5'],
    ['keys', 'create', '--name', 'a', '--plan', 'free', '--access', 'root'],
    ['keys', 'revoke', 'x'],
    ['keys', 'rotate', '1', '--overlap', 'soon'],
    ['openapi', '--yaml'],
    ['serve', '--workers', '2'],
    ['serve', '--workers', '0'],
    ['serve', '--workers', '3'],
  ]
  const metrics = { REDIS_URL: 'redis://127.0.0.1:1', PORT: '7', METRICS_PORT: '5' }
  for (const args of wrong) {
    const more = args.includes('3') ? metrics : {}
    const { code, stdout, stderr } = await runCli(t, args, { ...settings, ...more })
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, /^[^\n]+\n$/, args.join(' '))
  }
  assert.ok(!existsSync(settings.DATABASE_URL.slice('sqlite:'.length)), 'no command created the store')
})

test('a misspelt command or option: the error is one line that suggests the right name', async (t) => {
  const serve = await runCli(t, ['serv'], {})
  assert.equal(serve.stderr, "error: unknown command 'serv' (Did you mean serve?)\n")
  const list = await runCli(t, ['keys', 'list', '--jsn'], {})
  assert.equal(list.stderr, "error: unknown option '--jsn' (Did you mean --json?)\n")
})

test('--help and --version exit with code 0', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

  assert.equal((await runCli(t, ['--version'], {})).stdout, `${version}\n`)
  const help = await runCli(t, ['--help'], {})
  assert.equal(help.code, 0)
  for (const command of ['serve', 'keys', 'backup', 'openapi'])
    assert.match(help.stdout, new RegExp(`^  ${command}\\b`, 'm'))
})

test('serve with a wrong setting: prints one line that names the setting and exits with code 2', async (t) => {
  const wrong = {
    PORT: '65536',
    HOST: ' ',
    DATABASE_URL: 'mysql://x',
    REDIS_URL: 'http://x',
    ADOPTABLE_ENVIRONMENT: 'test',
    BASE_URL: 'https://pets.example',
    STAGING_BASE_URL: 'pets.example/v1',
    TRUST_PROXY: '10.0.0.0/99',
    LOG_LEVEL: 'loud',
    BAN_SECONDS: '-1',
    ANONYMOUS_PER_MINUTE: '1e3',
    REQUEST_TIMEOUT_SECONDS: '0',
    // The port in the setting PORT.
    METRICS_PORT: '8080',
  }
  for (const [name, value] of Object.entries(wrong)) {
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`^Error: ${name} must [^\\n]+$`))
  }
  for (const url of [
    'sqlite::memory:',
    'sqlite:file:a.db',
    'postgres://a:/b+c@localhost/d',
    'postgres://a:1/b@c/d',
  ])
    assert.throws(() => readConfig({ DATABASE_URL: url }), /^Error: DATABASE_URL must [^\n@]+$/)
  for (const [url, written] of [
    ['https://зоо.example/v1', 'https://xn--g1aoa.example/v1'],
    ['https://a.example/x y/v1', 'https://a.example/x%20y/v1'],
    ['https://a.example/<b>/v1', 'https://a.example/%3Cb%3E/v1'],
    ['https://A.example:443/v1', 'https://a.example/v1'],
  ])
    assert.throws(() => readConfig({ BASE_URL: url }), { message: `BASE_URL must be written as ${written}` })
  for (const url of ['https://a:secret@b.example/v1', 'https://a:1/secret@b.example/v1'])
    assert.throws(() => readConfig({ BASE_URL: url }), /^Error: BASE_URL must (?!.*secret)[^\n]+ password$/)
  for (const url of ['http://127.0.0.1:8080/v1', 'http://[::1]/v1', 'https://a.example/pets/v1'])
    assert.equal(readConfig({ BASE_URL: url }).baseUrl, url)
  const { code, stdout, stderr } = await runCli(t, ['serve'], { PORT: wrong.PORT, HOST: wrong.HOST })
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^adoptable: HOST must [^\n]+; PORT must [^\n]+\n$/)
})

test('serve that cannot start: prints one line with the reason and exits with code 1', async (t) => {
  const folder = scratchFolder(t)
  const busy = net.createServer().listen(0, '127.0.0.1')
  t.after(() => busy.close())
  await new Promise((resolve) => busy.once('listening', resolve))
  const { port } = busy.address() as net.AddressInfo
  writeFileSync(join(folder, 'text.db'), 'this is no database, however long it may be\n'.repeat(200))
  await startApp(t, { databaseUrl: `sqlite:${join(folder, 'held.db')}` })

  for (const [settings, expected] of [
    [
      { DATABASE_URL: `sqlite:${join(folder, 'a.db')}`, PORT: String(port) },
      new RegExp(`PORT: port ${port} is used by .*; stop .* set PORT$`),
    ],
    [
      { DATABASE_URL: `sqlite:${join(folder, 'b.db')}`, PORT: '0', METRICS_PORT: String(port) },
      new RegExp(`: METRICS_PORT: port ${port} is used by .*; stop .* set METRICS_PORT$`),
    ],
    // An address for examples (RFC 5737), which no machine has.
    [
      { DATABASE_URL: `sqlite:${join(folder, 'c.db')}`, HOST: '203.0.113.9', PORT: '7' },
      /: HOST and PORT: cannot listen on 203\.0\.113\.9 port 7 \(EADDRNOTAVAIL\); choose another HOST/,
    ],
    [{ DATABASE_URL: `sqlite:${join(folder, 'held.db')}`, PORT: '0' }, /another adoptable already serves/],
    [{ DATABASE_URL: `sqlite:${join(folder, 'text.db')}`, PORT: '0' }, /not a database/],
    [
      { DATABASE_URL: `sqlite:${join(folder, 'text.db', 'a.db')}`, PORT: '0' },
      /: DATABASE_URL: cannot open the store \([^)]*text\.db'\); name a file/,
    ],
  ] as const) {
    const { code, stdout, stderr } = await runCli(t, ['serve'], settings)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr.trimEnd(), expected)
    assert.equal(
      stderr
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('{')).length,
      1,
      stderr,
    )
  }
})

test('a headers timeout longer than the request timeout is reduced to the request timeout', async (t) => {
  for (const [headers, request] of [
    ['600', '10'],
    ['3600', '3600'],
  ] as const) {
    const settings = { HEADERS_TIMEOUT_SECONDS: headers, REQUEST_TIMEOUT_SECONDS: request }
    // Node refuses to start a server whose headers timeout is longer than its request timeout.
    const { get, log, stop } = await startApp(t, { settings })
    assert.equal((await get('/livez')).status, 200)
    await stop()
    assert.doesNotMatch(log.join(''), /HEADERS_TIMEOUT|RangeError/)
  }
})

test('a new store can be read only by the user who created it', async (t) => {
  const file = join(scratchFolder(t), 'data', 'test.db')
  const create = ['keys', 'create', '--init', '--name', 'a', '--plan', 'free']
  await runCli(t, create, { DATABASE_URL: `sqlite:${file}` })

  assert.equal(statSync(file).mode & 0o077, 0)
  assert.equal(statSync(join(file, '..')).mode & 0o077, 0)
})
