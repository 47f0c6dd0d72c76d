import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForm, PERSON, sendForm, visit } from '../../testing/applicant.ts'
import type { Answer } from '../../testing/client.ts'
import { type Person, signIn } from '../../testing/console.ts'
import { scratchDatabase } from '../../testing/postgres.ts'
import { startProxy } from '../../testing/proxy.ts'
import { NEEDS_REDIS, startRedis, until } from '../../testing/redis.ts'
import { startApp, type TestApp, UNLIMITED } from '../../testing/start-app.ts'

// No page waits for a part of the service that is lost.

const ANSWER_MS = 2_000

const ASKED = { accept: 'text/html' }

/** Pages that nobody has asked for before, so that none of them is cached, and all that is sent from them. */
function questionsOf(
  app: TestApp,
  ana: Person,
  form: Record<string, string>,
): [string, () => Promise<Answer>][] {
  const gallery = [
    ...['/', '/animals', '/animals?kind=dog', '/animals/1-rex', '/animals/1-rex/apply'],
    ...[`/applications/${'a'.repeat(43)}`, '/organizations/CO12', '/embed?organization=CO12'],
  ]
  const console = [
    '',
    'animals',
    'animals/1',
    'applications',
    'people',
    'keys',
    'account',
    'sign-in',
    'join/x',
  ]
  const applied = { ...form, ...PERSON }
  const signedIn = { email: PERSON.email, password: 'correct horse battery' }
  return [
    ...gallery.map((path) => [path, () => visit(app, path, ASKED)] as [string, () => Promise<Answer>]),
    ...console.map((path) => [path, () => ana.get(`/console/${path}`)] as [string, () => Promise<Answer>]),
    ['an application', () => sendForm(app, '/animals/1/apply', applied, ASKED)],
    ['a withdrawal', () => sendForm(app, `/applications/${'a'.repeat(43)}/withdraw`, {}, ASKED)],
    ['a sign-in', () => sendForm(app, '/console/sign-in', signedIn)],
    ['a change', () => ana.send('/console/animals/1', { name: 'Max' })],
  ]
}

async function assertTold(questions: ReturnType<typeof questionsOf>): Promise<void> {
  await Promise.all(
    questions.map(async ([about, ask]) => {
      const since = performance.now()
      const { status, headers, text } = await ask()
      assert.ok(performance.now() - since < ANSWER_MS, `${about} took ${performance.now() - since} ms`)
      assert.deepEqual(
        [status, headers['retry-after'], headers['cache-control']],
        [503, '1', 'no-store'],
        about,
      )
      assert.match(text, /<h1>We cannot answer right now<\/h1>/, about)
      assert.match(String(headers['content-security-policy']), /default-src 'none'/, about)
    }),
  )
}

/** A shelter with an animal, and somebody who works there. */
async function fill(app: TestApp): Promise<Person> {
  await app.post('/v1/organizations', { name: 'Harbour', code: 'CO12' })
  const rex = { name: 'Rex', categoryId: 1, status: 'available', organizationId: 1 }
  assert.equal((await app.post('/v1/pets', rex)).status, 201)
  return signIn(app, { role: 'admin' })
}

test('while PostgreSQL is gone or silent every page says in time that it cannot answer, and when to come again', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const { href } = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  const app = await startApp(t, { databaseUrl: href, key: { ...UNLIMITED, access: 'admin' } })
  const ana = await fill(app)
  const questions = questionsOf(app, ana, await openForm(app, 1))
  proxy.cut()
  await assertTold(questions)
  proxy.restore()
  proxy.mode = 'stall'
  await assertTold(questions)
  proxy.mode = 'pass'
  await until(async () => (await visit(app, '/animals', ASKED)).status === 200)
})

test('while Redis is silent or gone every page says the same', NEEDS_REDIS, async (t) => {
  const redis = await startRedis(t)
  const settings = { REDIS_URL: `redis://127.0.0.1:${redis.port}` }
  const app = await startApp(t, { settings, key: { ...UNLIMITED, access: 'admin' } })
  // Whoever came before may be served for a while, so nobody did.
  const questions = questionsOf(app, await fill(app), {})
  redis.pause()
  await assertTold(questions)
  redis.resume()
  await redis.kill()
  await assertTold(questions)
})
