import assert from 'node:assert/strict'
import net from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { fileOf } from '../../src/db/store-url.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { signIn } from '../../src/testing/console.ts'
import { JPEG, picture } from '../../src/testing/pictures.ts'
import { runCli } from '../../src/testing/process.ts'
import { makeKey, scratchFolder, startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { upload } from '../../src/testing/upload.ts'
import { waitFor } from '../lab/parallel.ts'
import { reportFigure, rounds } from '../lab/rounds.ts'

const ROUNDS = rounds(100)
/** More than all slots of the largest shared resource. */
const CONNECTIONS = 64

type Headers = Record<string, string>

/** Starts a service with an attacked shelter (2) and a greedy one (1). */
async function startTwoShelters(t: TestContext) {
  const app = await startApp(t, {
    key: { ...UNLIMITED, access: 'admin' },
    settings: { TRUST_PROXY: 'loopback', ANONYMOUS_PER_MINUTE: '1000000', ANONYMOUS_PER_DAY: '10000000' },
  })
  for (const name of ['Greedy', 'Other']) await app.post('/v1/organizations', { name })
  for (const organizationId of [1, 2])
    await app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId })
  const callerOf = async (organizationId: number, address: string) => {
    const key = await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'write', organizationId })
    const person = await signIn(app, { organizationId })
    return { person, from: { 'x-forwarded-for': address }, key: { authorization: `Bearer ${key}` } }
  }
  return { app, greedy: await callerOf(1, '192.0.2.1'), other: await callerOf(2, '192.0.2.2') }
}

/** Begins uploads that never end, and waits until each is served or refused. */
async function trickle(t: TestContext, port: number, path: string, headers: Headers): Promise<() => void> {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = net.connect(port, '127.0.0.1', () =>
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${head.join('')}Content-Length: 90000\r\n\r\n-`),
    )
    cleanup(t).defer(() => void socket.destroy())
    return socket.on('error', () => undefined).resume()
  })
  const answered = () => sockets.filter(({ bytesRead }) => bytesRead > 0).length
  await waitFor(t, () => answered() >= CONNECTIONS * 0.7)
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

test('a greedy shelter does not block uploads, imports, searches or pages of other shelters', async (t) => {
  const { app, greedy, other } = await startTwoShelters(t)
  const photo = await picture()
  const type = 'multipart/form-data; boundary=a'
  const cookie = `__Host-session=${greedy.person.token}`
  const form = { cookie, 'content-type': type, 'sec-fetch-site': 'same-origin' }
  const attacks: [path: string, headers: Headers][] = [
    ['/v1/pets/1/photos', { ...JPEG, ...greedy.from, ...greedy.key }],
    ['/console/import', { ...form, ...greedy.from }],
  ]

  for (let round = 0; round < ROUNDS; round += 1) {
    const ends = await Promise.all(attacks.map(([path, headers]) => trickle(t, app.port, path, headers)))
    const headers = { ...JPEG, ...other.from, ...other.key }
    const sent = await app.request('/v1/pets/2/photos', { method: 'POST', body: photo, headers })
    assert.ok([200, 201].includes(sent.status), `photo: ${sent.status} ${sent.text}`)
    const preview = await upload(app, other.person, `name,category\nRex ${round},Dog\n`, {}, other.from)
    assert.equal(preview.status, 200, `import: ${preview.text}`)
    for (const path of [`/v1/pets?q=${round}`, '/animals', '/v1/pets/2'])
      assert.equal((await app.get(path, { ...other.from, ...other.key })).status, 200, path)
    for (const end of ends) end()
    app.clock.now += 60_000
  }
  reportFigure(t, `${ROUNDS} rounds: each request of the other shelter was served`)
})

/** The rows that a refused removal of the demo must not change. */
const TABLES = ['organization', 'pet', 'application', 'photo', 'staff', 'api_key', 'event']

test('a refused removal of the demo changes nothing, and guesses beyond the limit do not reach the store', async (t) => {
  const settings = {
    PHOTOS_URL: `file:${join(scratchFolder(t), 'photos')}`,
    ...{ ANONYMOUS_PER_MINUTE: '3', ANONYMOUS_PER_DAY: '1000000' },
  }
  const app = await startApp(t, { settings, key: { ...UNLIMITED, access: 'admin' } })
  const run = (...argv: string[]) => runCli(t, argv, { DATABASE_URL: app.databaseUrl, ...settings })
  const store = new DatabaseSync(fileOf(app.databaseUrl), { timeout: 10_000 })
  cleanup(t).defer(() => store.close())
  const readRows = () => TABLES.map((name) => store.prepare(`select * from ${name} order by id`).all())
  let guesses = 0
  const guess = async () => {
    const hash = String(++guesses).padStart(32, '0')
    return (await app.get(`/photos/${hash}-300.webp`, { authorization: undefined })).status
  }
  for (let demo = 0; demo < ROUNDS / 2; demo += 1) {
    assert.equal((await run('demo')).code, 0)
    const [{ id: organizationId }] = (await app.get('/v1/organizations?q=DEMO')).body
    const ana = ['--email', 'ana@example.org', '--name', 'Ana', '--role', 'staff', '--organization', 'DEMO']
    const additions = [
      () => run('staff', 'add', ...ana),
      () => makeKey(app.databaseUrl, { organizationId }),
      () => app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId }),
    ]
    await additions[demo % additions.length]?.()
    const rows = readRows()
    assert.equal((await run('demo', '--remove')).code, 1)
    assert.deepEqual(readRows(), rows)
    assert.equal((await run('demo', '--remove', '--force')).code, 0)

    assert.deepEqual([await guess(), await guess(), await guess(), await guess()], [404, 404, 404, 429])
    // Without the table, a lookup would fail with another status.
    store.exec('alter table photo rename to hidden_photo')
    assert.equal(await guess(), 429)
    store.exec('alter table hidden_photo rename to photo')
    app.clock.now += 60_000
  }
  reportFigure(t, `${guesses / 5} demos: each refusal changed nothing, and cost no query`)
})
