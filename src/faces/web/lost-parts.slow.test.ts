import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForm, PERSON, visit } from '../../testing/applicant.ts'
import type { Answer } from '../../testing/client.ts'
import { type Person, sendForm, signIn } from '../../testing/console.ts'
import { scratchDatabase } from '../../testing/postgres.ts'
import { startProxy } from '../../testing/proxy.ts'
import { NEEDS_REDIS, startRedis, until } from '../../testing/redis.ts'
import { startApp, type TestApp, UNLIMITED } from '../../testing/start-app.ts'

// Every page answers 503 quickly if a part of the service is down.

const ANSWER_MS = 2_000

const HTML_HEADERS = { accept: 'text/html' }

/** Requests for pages that are not cached yet, and submissions of their forms. */
function requestsOf(
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
    ...gallery.map((path) => [path, () => visit(app, path, HTML_HEADERS)] as [string, () => Promise<Answer>]),
    ...console.map((path) => [path, () => ana.get(`/console/${path}`)] as [string, () => Promise<Answer>]),
    ['an application', () => sendForm(app, '/animals/1/apply', applied, HTML_HEADERS)],
    ['a withdrawal', () => sendForm(app, `/applications/${'a'.repeat(43)}/withdraw`, {}, HTML_HEADERS)],
    ['a sign-in', () => sendForm(app, '/console/sign-in', signedIn)],
    ['a change', () => ana.send('/console/animals/1', { name: 'Max' })],
  ]
}

async function assertUnavailable(questions: ReturnType<typeof requestsOf>): Promise<void> {
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
      assert.match(text, /<h1>The service is not available right now<\/h1>/, about)
      assert.match(String(headers['content-security-policy']), /default-src 'none'/, about)
    }),
  )
}

/** Creates something. Like clients, repeats it while a busy database makes the service answer 503. */
async function add(app: TestApp, path: string, body: object): Promise<{ id: number }> {
  const headers = { 'idempotency-key': path }
  let answer: Answer
  do answer = await app.post(path, body, headers)
  while (answer.status === 503)
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/** A shelter with an animal, and an admin. */
async function fill(app: TestApp): Promise<Person> {
  const { id: organizationId } = await add(app, '/v1/organizations', { name: 'Harbour', code: 'CO12' })
  await add(app, '/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', organizationId })
  return signIn(app, { role: 'admin' })
}

test('with PostgreSQL down or silent, every page answers 503 with Retry-After in time', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const { href } = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  const app = await startApp(t, { databaseUrl: href, key: { ...UNLIMITED, access: 'admin' } })
  const ana = await fill(app)
  const questions = requestsOf(app, ana, await openForm(app, 1))
  proxy.cut()
  await assertUnavailable(questions)
  proxy.restore()
  proxy.mode = 'stall'
  await assertUnavailable(questions)
  proxy.mode = 'pass'
  await until(async () => (await visit(app, '/animals', HTML_HEADERS)).status === 200)
})

test('with Redis down or silent, every page answers 503 with Retry-After in time', NEEDS_REDIS, async (t) => {
  const redis = await startRedis(t)
  const settings = { REDIS_URL: `redis://127.0.0.1:${redis.port}` }
  const app = await startApp(t, { settings, key: { ...UNLIMITED, access: 'admin' } })
  // Without Redis, the service still serves known client addresses for a while. All addresses here are new.
  const questions = requestsOf(app, await fill(app), {})
  redis.pause()
  await assertUnavailable(questions)
  redis.resume()
  await redis.kill()
  await assertUnavailable(questions)
})
