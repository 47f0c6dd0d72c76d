import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changes } from '../changes.ts'
import type { Context } from '../context.ts'
import { openForCommand } from '../db/open-database.ts'
import type { Write } from '../db/write.ts'
import { ApiError } from '../errors.ts'
import { consoleFace } from '../faces/web/console/face.ts'
import type { Face } from '../http/face.ts'
import { newToken } from '../http/token.ts'
import { visitorOf } from '../keys/identify.ts'
import * as keys from '../keys/store.ts'
import { cookieOf, tokenOf } from '../testing/console.ts'
import { doJobs } from '../testing/jobs.ts'
import { PASSWORD, startConsole } from '../testing/staffed.ts'
import type { startApp, TestApp } from '../testing/start-app.ts'
import { authorityOf } from './accounts.ts'
import { join as followLink, invite, issueResetLink, readLink } from './join.ts'
import type { NewPerson } from './roles.ts'
import * as staff from './store.ts'
import { listChangeAuthors } from './store.ts'

const HOUR_MS = 3_600_000
const ANA: NewPerson = { email: 'ana@shelter.example', name: 'Ana', role: 'admin' }
const BEN: NewPerson = { email: 'Ben@Shelter.example', name: 'Ben', role: 'staff' }

/** A face that returns the caller of a request, as the console identifies it. */
const callerFace = (context: Context): Face => ({
  ...consoleFace(context),
  prefix: '/caller',
  routes: (app) => void app.get('/', ({ caller }, reply) => reply.type('application/json').send(caller)),
})

async function startStaffed(t: TestContext, options: Parameters<typeof startApp>[1] = {}) {
  const started = await startConsole(t, { faces: (context) => [callerFace(context)], ...options })
  const { app } = started
  return {
    ...app,
    ...started,
    signIn: (email: string, password = PASSWORD) => started.signIn(email, password),
    me: async (token: string) => (await app.get('/caller/', cookieOf(token))).body,
  }
}

/** The fields that a page reports as invalid, from top to bottom. */
const wrongFields = (page: string): string[] =>
  [...page.matchAll(/href="#field-([^"]+)"/g)].map(([, name = '']) => name)

const withoutValues = (page: string): string => page.replaceAll(/ value="[^"]*"/g, '')

/** Changes the store from outside the running service, as commands do. */
async function writeAsCommand<Result>({ databaseUrl }: TestApp, work: (write: Write) => Promise<Result>) {
  const store = await openForCommand(databaseUrl, changes)
  const result = await work(store.write)
  await store.close()
  return result
}

test('POST /console/join/{token} signs the person in, and the person acts through their own key', async (t) => {
  const { context, join, me, signIn, get } = await startStaffed(t)
  const { staffId, token } = await join(BEN)

  const caller = await me(token)
  const { keyId } = (await staff.find(context.db, staffId)) as staff.Staff
  assert.deepEqual(caller, {
    kind: 'staff',
    id: keyId,
    access: 'write',
    view: 'all',
    staff: { id: staffId, name: 'Ben', role: 'staff' },
    name: `staff:${staffId}`,
    limits: { perMinute: 600, perDay: 50_000 },
  })
  const again = await signIn(' BEN@shelter.EXAMPLE')
  assert.equal(again.status, 303)
  assert.equal((await me(tokenOf(again))).staff.id, staffId)
  assert.equal((await get('/caller/')).body.kind, 'visitor')
})

test('GET /v1/pets/{id}/history after a change by a person shows their key, which has their name until they are removed', async (t) => {
  const started = await startStaffed(t)
  const { context, clock, key } = started
  const { staffId } = await started.join(BEN)
  const { keyId } = (await staff.find(context.db, staffId)) as staff.Staff
  await started.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  await context.write(changes.updatePet, { name: 'Max' }, { id: 1, by: { keyId }, now: clock.now })
  const history = (await started.get('/v1/pets/1/history', { authorization: `Bearer ${key}` })).body
  const changed = history.filter((entry: { keyId: number }) => entry.keyId === keyId)
  assert.equal(changed.length, 1)
  const keyIds = [1, keyId, keyId]
  assert.deepEqual(
    await listChangeAuthors(context.db, keyIds),
    new Map([
      [1, { kind: 'key', name: 'test' }],
      [keyId, { kind: 'staff', name: 'Ben' }],
    ]),
  )

  await context.write(changes.removeStaff, staffId, undefined, clock.now)

  assert.deepEqual((await listChangeAuthors(context.db, keyIds)).get(keyId), { kind: 'formerStaff' })
  assert.deepEqual(await staff.list(context.db), [])
  const again = (await started.get('/v1/pets/1/history', { authorization: `Bearer ${key}` })).body
  assert.deepEqual(again, history)
})

test('POST /console/sign-in with an unknown address, wrong password or no password yet gets the same 400', async (t) => {
  const { context, join, signIn } = await startStaffed(t)
  await join(BEN)
  await invite(context, ANA, undefined)

  const answers = [
    await signIn('nobody@shelter.example'),
    await signIn(BEN.email, 'wrong horse battery'),
    await signIn(ANA.email),
    await signIn('', ''),
    await signIn(BEN.email, PASSWORD.repeat(100)),
  ]
  const [first = ''] = answers.map(({ text }) => withoutValues(text))
  assert.match(first, /href="#field-password"/)
  for (const { status, text, headers } of answers) {
    assert.deepEqual([status, withoutValues(text)], [400, first])
    assert.equal(headers['set-cookie'], undefined)
  }
})

test('POST /console/sign-in after ten wrong passwords gets 429, even for unknown accounts', async (t) => {
  for (const email of [BEN.email, 'nobody@shelter.example']) {
    const { clock, join, signIn } = await startStaffed(t)
    await join(BEN)
    for (let tried = 0; tried < 10; tried += 1)
      assert.equal((await signIn(email, `wrong ${tried} battery`)).status, 400)
    const { status, headers } = await signIn(email)
    assert.deepEqual([status, headers['retry-after']], [429, '60'])
    clock.now += 60_000
    assert.equal((await signIn(email)).status, email === BEN.email ? 303 : 400)
  }
})

test('the correct password resets the counter of the account, but not the counter of the address', async (t) => {
  const { join, signIn } = await startStaffed(t)
  await join(BEN)
  const wrong = () => signIn(BEN.email, 'wrong horse battery')
  for (let tried = 0; tried < 9; tried += 1) await wrong()
  assert.equal((await signIn(BEN.email)).status, 303)
  for (let tried = 0; tried < 20; tried += 1) {
    // A correct password does not give the address more tries at other accounts.
    const { status } = await signIn(`other-${tried}@shelter.example`)
    assert.equal(status, tried === 0 ? 400 : 429, `${tried}`)
  }
  const { status, headers } = await signIn(BEN.email)
  assert.equal(status, 429, 'the same address')
  assert.ok(Number(headers['retry-after']) > 0)
})

test('POST /console/sign-in 12 times with the correct password always gets 303', async (t) => {
  const { join, signIn } = await startStaffed(t)
  await join(BEN)
  for (let tried = 0; tried < 12; tried += 1) assert.equal((await signIn(BEN.email)).status, 303)
})

test('POST /console/sign-in 20 times at once with wrong passwords: ten get 400, ten get 429', async (t) => {
  const { join, signIn } = await startStaffed(t)
  await join(BEN)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => signIn(BEN.email, `wrong ${index} battery`)),
  )
  const statuses = Object.groupBy(answers, ({ status }) => status)
  const counts = Object.entries(statuses).map(([status, all]) => [status, all?.length])
  assert.deepEqual(Object.fromEntries(counts), { 400: 10, 429: 10 })
})

test('a session ends after 12 hours without use, and after 30 days in any case', async (t) => {
  const { clock, context, join, me, signIn } = await startStaffed(t)
  const { token } = await join(BEN)
  clock.now += 11 * HOUR_MS
  assert.equal((await me(token)).kind, 'staff')
  clock.now += 11 * HOUR_MS
  assert.equal((await me(token)).kind, 'staff')
  clock.now += 12 * HOUR_MS
  assert.equal((await me(token)).kind, 'visitor')

  const next = tokenOf(await signIn(BEN.email))
  const end = clock.now + 30 * 24 * HOUR_MS
  for (; clock.now < end; clock.now += 6 * HOUR_MS) assert.equal((await me(next)).kind, 'staff')
  assert.equal((await me(next)).kind, 'visitor')
  await doJobs(context)
  assert.deepEqual(await context.db.selectFrom('staff_session').select('hash').execute(), [])
})

test('the last use of a session is stored at most every five minutes', async (t) => {
  const { clock, context, join, me } = await startStaffed(t)
  const { token } = await join(BEN)
  const seenAt = async () =>
    (await context.db.selectFrom('staff_session').select('seen_at').executeTakeFirstOrThrow()).seen_at
  const since = await seenAt()
  clock.now += 5 * 60_000 - 1
  await me(token)
  assert.equal(await seenAt(), since)
  clock.now += 1
  await me(token)
  assert.equal(await seenAt(), clock.now)
})

test('POST /console/sign-out ends this session and no other session', async (t) => {
  const { join, me, send, signIn } = await startStaffed(t)
  const { token } = await join(BEN)
  const other = tokenOf(await signIn(BEN.email))
  for (const one of [token, other]) assert.equal((await me(one)).kind, 'staff')

  const answer = await send('/console/sign-out', {}, cookieOf(token))

  assert.match(String(answer.headers['set-cookie']), /^__Host-session=; Max-Age=0; /)
  assert.equal((await me(token)).kind, 'visitor')
  assert.equal((await me(other)).kind, 'staff')
})

test('POST /console/account/password ends all sessions and begins a new one', async (t) => {
  const { join, me, send, signIn } = await startStaffed(t)
  const { token } = await join(BEN)
  const other = tokenOf(await signIn(BEN.email))
  await me(other)
  const change = (current: string, password: string) =>
    send('/console/account/password', { current, password }, cookieOf(token))
  for (const [current, password, field] of [
    ['wrong horse battery', 'staple horse battery', 'current'],
    [PASSWORD, 'password2026', 'password'],
    [PASSWORD, PASSWORD, 'password'],
  ] as const) {
    const { status, headers, text } = await change(current, password)
    assert.deepEqual([status, headers['set-cookie'], wrongFields(text)], [400, undefined, [field]])
  }
  const changed = await change(PASSWORD, 'staple horse battery')

  assert.equal(changed.status, 303)
  assert.equal((await me(tokenOf(changed))).kind, 'staff')
  for (const one of [token, other]) assert.equal((await me(one)).kind, 'visitor')
  assert.equal((await signIn(BEN.email)).status, 400)
  assert.equal((await signIn(BEN.email, 'staple horse battery')).status, 303)
})

test('a command changes or removes an account: its next request has the new rights or is refused', async (t) => {
  const started = await startStaffed(t)
  const { clock, me } = started
  const { staffId, token } = await started.join(BEN)
  assert.equal((await me(token)).access, 'write')
  await writeAsCommand(started, (write) =>
    write(changes.updateStaff, staffId, { role: 'viewer', name: 'Benno' }, undefined),
  )
  const { access, view, staff: person } = await me(token)
  assert.deepEqual([access, view, person], ['read', 'all', { id: staffId, name: 'Benno', role: 'viewer' }])
  await writeAsCommand(started, (write) => write(changes.removeStaff, staffId, undefined, clock.now))
  assert.equal((await me(token)).kind, 'visitor')
})

test('the 21st session of a person ends the least recently used one', async (t) => {
  const { clock, join, me, signIn } = await startStaffed(t)
  const { token: first } = await join(BEN)
  clock.now += 1
  const second = tokenOf(await signIn(BEN.email))
  for (let more = 0; more < 18; more += 1) {
    clock.now += 1
    await signIn(BEN.email)
  }
  assert.equal((await me(first)).kind, 'staff')
  clock.now += 1
  await signIn(BEN.email)
  assert.equal((await me(first)).kind, 'visitor')
  assert.equal((await me(second)).kind, 'staff')
})

test('POST /console/join/{token} works once within 72 hours; a used, old or replaced link gets 410', async (t) => {
  const { clock, context, send } = await startStaffed(t)
  const { staffId, token } = await invite(context, BEN, undefined)
  const join = async (link: string) =>
    (await send(`/console/join/${link}`, { name: BEN.name, password: PASSWORD })).status
  assert.deepEqual(await readLink(context, token), {
    kind: 'invitation',
    staff: { id: staffId, email: BEN.email, name: 'Ben' },
  })
  const weak = await send(`/console/join/${token}`, { name: BEN.name, password: 'password2026' })
  assert.deepEqual([weak.status, wrongFields(weak.text)], [400, ['password']])
  assert.equal(await refusalOf(followLink(context, token, { password: 'password2026' })), '/password')
  const newer = await issueResetLink(context, staffId, undefined)
  assert.equal(await join(token), 410)
  clock.now += 72 * HOUR_MS
  assert.equal(await join(newer?.token ?? ''), 410)
  assert.equal(await readLink(context, newer?.token ?? ''), undefined)

  const last = (await issueResetLink(context, staffId, undefined))?.token ?? ''
  clock.now += 72 * HOUR_MS - 1
  const both = await Promise.all([join(last), join(last)])
  assert.deepEqual(both.toSorted(), [303, 410])
  for (const wrong of ['x', newToken().token, 'x'.repeat(43)]) assert.equal(await join(wrong), 410)
  assert.equal(await issueResetLink(context, 99, undefined), undefined)
})

test('a reset link ends sessions and the old password only when it is used', async (t) => {
  const { context, join, me, send, signIn } = await startStaffed(t)
  const { staffId, token } = await join(BEN)
  const made = await issueResetLink(context, staffId, undefined)
  assert.equal((await readLink(context, made?.token ?? ''))?.kind, 'reset')
  assert.equal((await me(token)).kind, 'staff')
  assert.equal((await signIn(BEN.email)).status, 303)

  const joined = await send(`/console/join/${made?.token}`, { password: 'staple horse battery' })

  assert.equal((await me(tokenOf(joined))).kind, 'staff')
  assert.equal((await me(token)).kind, 'visitor')
  assert.equal((await signIn(BEN.email)).status, 400)
})

test('the first-account link creates an admin if the store has no accounts', async (t) => {
  const { clock, context, me, send } = await startStaffed(t)
  const first = newToken()
  assert.equal(await context.write(changes.insertFirstLink, first.hash, clock.now), true)
  assert.deepEqual(await readLink(context, first.token), { kind: 'first' })
  const empty = await send(`/console/join/${first.token}`, { password: PASSWORD })
  assert.deepEqual([empty.status, wrongFields(empty.text)], [400, ['name', 'email']])
  assert.equal(await refusalOf(followLink(context, first.token, { password: PASSWORD })), '/email /name')

  const joined = await send(`/console/join/${first.token}`, {
    email: ANA.email,
    name: 'Ana',
    password: PASSWORD,
  })

  const { access, view, staff: person } = await me(tokenOf(joined))
  assert.deepEqual([access, view, person.role, person.name], ['admin', 'all', 'admin', 'Ana'])
  assert.equal(await context.write(changes.insertFirstLink, newToken().hash, clock.now), false)
})

test('the link of the first account ends with 410 when an account is created by other means', async (t) => {
  const { clock, context, join, send } = await startStaffed(t)
  const first = newToken()
  await context.write(changes.insertFirstLink, first.hash, clock.now)
  await join(BEN)
  const joined = await send(`/console/join/${first.token}`, {
    email: ANA.email,
    name: 'Ana',
    password: PASSWORD,
  })
  assert.equal(joined.status, 410)
})

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    return error.details?.map(({ pointer }) => pointer).join(' ') ?? error.code
  }
}

test('invite with an invalid member throws validation_failed that names the member, and nothing is stored', async (t) => {
  const { context, join } = await startStaffed(t)
  await join(BEN)
  const organizationId = (await context.write(changes.insertOrganization, { code: 'CO1', name: 'Hill' }, 0))
    .id
  const refused = (person: Partial<NewPerson>) => refusalOf(invite(context, { ...ANA, ...person }, undefined))
  for (const email of ['', 'ana', 'ana@', 'ana@x', 'a b@x.example', 'ana@x.example\r\nBcc: b@x.example'])
    assert.equal(await refused({ email }), '/email', email)
  assert.equal(await refused({ email: `${'a'.repeat(250)}@x.example` }), '/email')
  assert.equal(await refused({ email: 'BEN@shelter.example' }), '/email')
  for (const name of ['', ' ', 'Ana\nBcc: b@x.example', 'a\u2028b\u0000', 'x'.repeat(201)])
    assert.equal(await refused({ name }), '/name', name)
  assert.equal(await refused({ role: 'root' as 'admin' }), '/role')
  assert.equal(await refused({ organizationId }), '/role', 'an admin has no organization')
  assert.equal(await refused({ role: 'staff', organizationId: 99 }), '/organizationId')
  assert.equal((await staff.list(context.db)).length, 1)
  assert.equal((await context.db.selectFrom('api_key').select('id').execute()).length, 2)
})

test('a manager manages people of their organization up to the manager’s role, but not their own role', async (t) => {
  const { clock, context, join, me } = await startStaffed(t)
  const { write, db } = context
  const [own, other] = [
    (await write(changes.insertOrganization, { code: 'CO1', name: 'Hill' }, 0)).id,
    (await write(changes.insertOrganization, { code: 'CO2', name: 'Dale' }, 0)).id,
  ]
  const { staffId, token } = await join({ ...BEN, role: 'manager', organizationId: own })
  const { view, organizationId, access } = await me(token)
  assert.deepEqual([view, organizationId, access], [`organization:${own}`, own, 'write'])
  const by = { id: staffId, role: 'manager', organizationId: own } as const
  const person = (email: string, role: NewPerson['role'], organizationId?: number): NewPerson => {
    return { email: `${email}@shelter.example`, name: email, role, organizationId }
  }
  const foreign = await invite(context, person('foreign', 'viewer', other), undefined)
  const admin = await invite(context, person('admin', 'admin'), undefined)
  const helper = await invite(context, person('helper', 'staff', own), by)
  const denied = 'insufficient_access'
  for (const [work, expected] of [
    [() => invite(context, person('a', 'manager', own), by), 'none'],
    [() => invite(context, person('b', 'admin'), by), denied],
    [() => invite(context, person('c', 'viewer', other), by), denied],
    [() => invite(context, person('d', 'viewer'), by), denied],
    [() => invite(context, person('e', 'viewer', own), { ...by, role: 'staff' }), denied],
    [() => issueResetLink(context, foreign.staffId, by), denied],
    [() => issueResetLink(context, admin.staffId, by), denied],
    [() => issueResetLink(context, helper.staffId, by), 'none'],
    [() => write(changes.updateStaff, helper.staffId, { role: 'manager' }, by), 'none'],
    [() => write(changes.updateStaff, helper.staffId, { role: 'admin' }, by), denied],
    [() => write(changes.updateStaff, foreign.staffId, { name: 'X' }, by), denied],
    [() => write(changes.updateStaff, staffId, { name: 'Benno' }, by), 'none'],
    [() => write(changes.updateStaff, staffId, { role: 'viewer' }, by), denied],
    [() => write(changes.removeStaff, staffId, by, clock.now), denied],
    [() => write(changes.removeStaff, foreign.staffId, by, clock.now), denied],
    [() => write(changes.removeStaff, helper.staffId, by, clock.now), 'none'],
  ] as const) {
    assert.equal(await refusalOf(work()), expected)
  }
  assert.equal((await staff.find(db, staffId))?.name, 'Benno')
  assert.deepEqual(
    (await staff.list(db, { organizationId: own, limit: 10 })).map(({ name, organization }) => [
      name,
      organization,
    ]),
    [
      ['Benno', 'CO1'],
      ['a', 'CO1'],
    ],
  )
  assert.deepEqual(await staff.list(db, { organizationId: own, after: staffId, limit: 0 }), [])
  assert.equal(await write(changes.removeStaff, 99, undefined, clock.now), false)
})

test('POST /console/people/new without a session gets 403; authorityOf for a visitor throws insufficient_access', async (t) => {
  const { join, send } = await startStaffed(t)
  const { token } = await join(ANA)
  const person = { email: 'cleo@shelter.example', name: 'Cleo', role: 'staff', organizationId: '' }
  const path = '/console/people/new'
  assert.equal((await send(path, person)).status, 403)
  assert.equal((await send(path, person, cookieOf(token))).status, 200)
  const visitor = visitorOf('192.0.2.1', { perMinute: 1, perDay: 1 })
  assert.throws(() => authorityOf(visitor), { code: 'insufficient_access' })
})

test('the keys of staff are not listed, revoked or rotated like API keys', async (t) => {
  const { clock, context, databaseUrl, join } = await startStaffed(t)
  const { staffId } = await join(ANA)
  const { db, write } = context
  const { keyId } = (await staff.find(db, staffId)) as staff.Staff
  assert.deepEqual(
    (await keys.list(db)).map(({ name }) => name),
    ['test'],
  )
  assert.equal(await write(changes.revokeKey, keyId, clock.now), false)
  assert.equal(await write(changes.rotateKey, keyId, 'a'.repeat(64), clock.now, 0), false)
  const other = await openForCommand(databaseUrl)
  await other.db.deleteFrom('secret').where('name', '=', keys.FIRST_KEY).execute()
  await other.close()
  const first = { name: 'first', plan: 'business', access: 'admin' } as const
  assert.equal(await write(changes.insertFirstKey, first, 'b'.repeat(64), clock.now), true)
})

test('the log and the tables of sessions, links and tries contain no token, password or address', async (t) => {
  const started = await startStaffed(t, { settings: { LOG_LEVEL: 'trace' } })
  const { context, log, me, send, signIn } = started
  const { token } = await invite(context, BEN, undefined)
  await started.get(`/console/join/${token}`)
  await started.get(`/console/%6aoin/${token}?a=b`)
  await started.get(`/applications/${token}`)
  const session = tokenOf(await send(`/console/join/${token}`, { name: BEN.name, password: PASSWORD }))
  assert.equal((await me(session)).kind, 'staff')
  await signIn(BEN.email, 'wrong horse battery')
  await send('/console/sign-out', {}, cookieOf(session))
  const text = log.join('')
  for (const secret of [token, session, PASSWORD, 'horse', BEN.email, 'shelter.example'])
    assert.ok(!text.includes(secret), secret)
  for (const path of ['/console/join/…', '/applications/…'])
    assert.ok(text.includes(`"path":"${path}"`), path)
  for (const table of ['staff_session', 'staff_link', 'sign_in_try'] as const) {
    const rows = JSON.stringify(await context.db.selectFrom(table).selectAll().execute())
    for (const secret of [token, session, 'shelter.example']) assert.ok(!rows.includes(secret), table)
  }
})
