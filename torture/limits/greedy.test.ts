import assert from 'node:assert/strict'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../../src/testing/cleanup.ts'
import { browserOf, signIn as joinAs } from '../../src/testing/console.ts'
import { JPEG, picture } from '../../src/testing/pictures.ts'
import { BEN, PASSWORD, startConsole } from '../../src/testing/staffed.ts'
import { makeKey, UNLIMITED } from '../../src/testing/start-app.ts'
import { upload } from '../../src/testing/upload.ts'
import { waitFor } from '../lab/parallel.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'

const ROUNDS = rounds(100)
/** More than all slots of the largest shared resource. */
const CONNECTIONS = 64
const SECRET = 'Only the first shelter may read this'
const PAGES = ['/sitemap/animals-0.xml', '/robots.txt', '/feed.xml', '/animals', '/animals/1', '/sitemap.xml']

type Headers = Record<string, string>

/** Starts a service with an attacked shelter (2), a greedy one (1), and a member of staff, Ben. */
async function startTwoShelters(t: TestContext) {
  const started = await startConsole(t, {
    key: { ...UNLIMITED, access: 'admin' },
    settings: { TRUST_PROXY: 'loopback', ANONYMOUS_PER_MINUTE: '1000000', ANONYMOUS_PER_DAY: '10000000' },
  })
  const { app, join } = started
  await join()
  for (const name of ['Greedy', 'Other']) await app.post('/v1/organizations', { name })
  for (const organizationId of [1, 2])
    await app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId })
  const callerOf = async (organizationId: number, address: string) => {
    const key = await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'write', organizationId })
    const person = await joinAs(app, { organizationId })
    return { person, from: { 'x-forwarded-for': address }, key: { authorization: `Bearer ${key}` } }
  }
  const [greedy, other] = [await callerOf(1, '192.0.2.1'), await callerOf(2, '192.0.2.2')]
  return { ...started, greedy, other }
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

test('a greedy shelter and strangers keep nobody else from uploads, imports, searches, pages or the console', async (t) => {
  const random = randomOf()
  const { app, signIn, greedy, other } = await startTwoShelters(t)
  const browser = browserOf(await signIn())
  const photo = await picture()
  const address = () => `198.51.100.${random.integer(1, 250)}`
  const attacks: (() => Promise<() => void>)[] = [
    () => trickle(t, app.port, '/v1/pets/1/photos', { ...JPEG, ...greedy.from, ...greedy.key }),
    () => {
      const type = 'multipart/form-data; boundary=a'
      const cookie = `__Host-session=${greedy.person.token}`
      const headers = { cookie, 'content-type': type, 'sec-fetch-site': 'same-origin', ...greedy.from }
      return trickle(t, app.port, '/console/import', headers)
    },
    async () => {
      for (let tried = 0; tried < 12; tried += 1)
        await signIn(BEN.email, `wrong ${tried} battery`, {}, { 'x-forwarded-for': address() })
      return () => undefined
    },
    async () => {
      const headers = { authorization: undefined, ...greedy.from }
      for (let count = 0; count < 50; count += 1)
        await app.get(`${random.pick(PAGES)}?${random.integer(0, 1e9)}`, headers)
      return () => undefined
    },
    async () => {
      const { body } = await app.post('/v1/pets', {
        ...{ name: 'Ada', categoryId: 1, organizationId: 1, status: 'available' },
        ...{ staff: { notes: SECRET }, contact: { name: SECRET } },
      })
      await app.patch(`/v1/pets/${body.id}`, { organizationId: 2, contact: null })
      for (const path of [`/v1/pets/${body.id}`, `/v1/pets/${body.id}/history`])
        assert.doesNotMatch((await app.get(path, other.key)).text, new RegExp(SECRET), path)
      assert.doesNotMatch((await other.person.get(`/console/animals/${body.id}`)).text, new RegExp(SECRET))
      return () => undefined
    },
  ]

  for (let round = 0; round < ROUNDS; round += 1) {
    // Each attack has its turn, together with any other.
    const both = [attacks[round % attacks.length] ?? random.pick(attacks), random.pick(attacks)]
    const ends: (() => void)[] = []
    for (const attack of both) ends.push(await attack())
    const headers = { ...JPEG, ...other.from, ...other.key }
    const sent = await app.request('/v1/pets/2/photos', { method: 'POST', body: photo, headers })
    assert.ok([200, 201].includes(sent.status), `photo: ${sent.status} ${sent.text}`)
    const preview = await upload(app, other.person, `name,category\nRex ${round},Dog\n`, {}, other.from)
    assert.equal(preview.status, 200, `import: ${preview.text}`)
    for (const path of [`/v1/pets?q=${round}`, '/animals', '/v1/pets/2'])
      assert.equal((await app.get(path, { ...other.from, ...other.key })).status, 200, path)
    const signedIn = await signIn(BEN.email, PASSWORD, {}, { ...browser, 'x-forwarded-for': address() })
    assert.equal(signedIn.status, 303, `sign-in: ${signedIn.status}`)
    for (const end of ends) end()
    app.clock.now += 60_000
  }
  reportFigure(t, `${ROUNDS} rounds, ${2 * ROUNDS} attacks: each request of the others was served`)
})
