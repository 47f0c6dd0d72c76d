import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { invite, issueResetLink } from '../../../../staff/join.ts'
import * as staff from '../../../../staff/store.ts'
import { browseAs, formIn, type Person, signIn, tokenOf, unescaped } from '../../../../testing/console.ts'
import { startSmtp } from '../../../../testing/smtp-server.ts'
import { BEN, PASSWORD, startConsole } from '../../../../testing/staffed.ts'
import { startApp, type TestApp, UNLIMITED } from '../../../../testing/start-app.ts'

const KIM = { name: 'Kim Doe', email: 'kim@shelter.example', role: 'staff' }

/** Two shelters and an admin. */
async function startShelters(t: TestContext, settings: Record<string, string> = {}) {
  const desk = await startConsole(t, { settings, key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['CO12', 'NL1'])
    await desk.app.post('/v1/organizations', { name: `Shelter ${code}`, code })
  return { ...desk, admin: await signIn(desk.app, { role: 'admin', name: 'Ana' }) }
}

const lastPerson = async (app: TestApp) => (await staff.list(app.service.context.db)).at(-1)

/** The link in a page. */
function linkIn(text: string): URL {
  const [, link = ''] = /<textarea id="secret"[^>]*>([^<]*)</.exec(text) ?? []
  return new URL(unescaped(link))
}

test('a manager invites a person to their shelter: the link is shown once, and the person joins with it', async (t) => {
  const { app, send, isIn } = await startShelters(t)
  const manager = await signIn(app, { role: 'manager', organizationId: 1 })
  const form = await manager.get('/console/people/new')
  assert.doesNotMatch(form.text, /value="admin"|organizationId/)

  const invited = await manager.send('/console/people/new', { ...KIM, organizationId: '2' })
  assert.equal(invited.status, 200)
  const link = linkIn(invited.text)
  assert.equal(link.origin, 'http://pets.example')
  const kim = await lastPerson(app)
  assert.deepEqual([kim?.name, kim?.role, kim?.organization], [KIM.name, 'staff', 'CO12'])
  const [list, page] = [await manager.get('/console/people'), await manager.get(`/console/people/${kim?.id}`)]
  for (const { text } of [list, page]) {
    assert.match(text, /has not joined yet/)
    assert.doesNotMatch(text, new RegExp(link.pathname))
  }
  const joined = await send(link.pathname, { name: KIM.name, password: PASSWORD })
  assert.ok(await isIn(tokenOf(joined)))
  assert.doesNotMatch((await manager.get('/console/people')).text, /has not joined yet/)
})

test('POST /console/people/new with invalid fields shows problems at the fields, which keep their text', async (t) => {
  const { app, admin } = await startShelters(t)
  const path = '/console/people/new'
  const wrong = await admin.send(path, { name: 'a\nb', email: 'kim', role: 'queen', organizationId: 'x' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /href="#field-organizationId"/)
  const again = await admin.send(path, { name: ' ', email: 'kim', role: 'queen', organizationId: '' })
  for (const name of ['name', 'email', 'role'])
    assert.match(again.text, new RegExp(`href="#field-${name}"`), name)
  assert.equal(formIn(again.text, path).email, 'kim')
  for (const bad of [
    { role: 'admin', organizationId: '1' },
    { organizationId: '99' },
    { email: 'Kim@shelter.example\r\nBcc: a@b.example' },
  ])
    assert.equal((await admin.send(path, { ...KIM, ...bad })).status, 400, JSON.stringify(bad))
  await admin.send(path, KIM)
  const taken = await admin.send(path, { ...KIM, email: 'KIM@shelter.example' }, { 'accept-language': 'es' })
  assert.match(taken.text, /Ya existe una cuenta con este correo/)
  assert.equal((await staff.list(app.service.context.db)).length, 2)
})

test('several people invite the same address at once: one account is created, the others get a problem', async (t) => {
  const { app, admin } = await startShelters(t)
  const before = (await staff.list(app.service.context.db)).length
  const emails = [KIM.email, ' KIM@shelter.example', KIM.email, 'Kim@Shelter.example']
  const answers = await Promise.all(
    emails.map((email) => admin.send('/console/people/new', { ...KIM, email })),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400, 400])
  for (const { status, text } of answers) if (status === 400) assert.match(text, /href="#field-email"/)
  assert.equal((await staff.list(app.service.context.db)).length, before + 1)

  // The same invitation, sent by six concurrent commands.
  const byCommand = await Promise.allSettled(
    Array.from({ length: 6 }, () => invite(app.service.context, BEN, undefined)),
  )
  const refused = byCommand.filter((one) => one.status === 'rejected')
  assert.deepEqual(
    refused.map(({ reason }) => reason.code),
    Array(5).fill('validation_failed'),
  )
})

for (const hasMail of [false, true])
  test(`an invitation ${hasMail ? 'by e-mail ' : ''}gets the same answer whether or not the address has an account at another shelter`, async (t) => {
    const { port, emails } = await startSmtp(t)
    const mail = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'pets@shelter.example' }
    const { app, admin, send, get, join } = await startShelters(t, hasMail ? mail : {})
    const { staffId } = await join({ ...BEN, email: KIM.email, organizationId: 2 })
    await admin.send('/console/people/new', { ...KIM, email: 'lee@shelter.example', organizationId: '2' })
    const manager = await signIn(app, { role: 'manager', organizationId: 1 })
    emails.length = 0
    const pages = new Map<string, string[]>()
    const links: string[] = []
    for (const email of [KIM.email, 'lee@shelter.example', 'pat@shelter.example']) {
      const invited = await manager.send('/console/people/new', { ...KIM, email })
      const { id } = (await lastPerson(app)) ?? { id: 0 }
      const again = await manager.send(`/console/people/${id}/link`, {})
      const message = hasMail ? emails.at(-1)?.data.replace(/=\r\n/g, '') : again.text
      const link = /\/console\/join\/[\w-]{43}/.exec(message ?? '')?.[0] ?? ''
      links.push(link)
      if (hasMail) assert.doesNotMatch(invited.text + again.text, /\/console\/join\//)
      const answers = {
        ...{ invited, again, list: await manager.get('/console/people'), followed: await get(link) },
        ...{
          page: await manager.get(`/console/people/${id}`),
          letter: { status: emails.length, text: message ?? '' },
        },
        twice: await manager.send('/console/people/new', { ...KIM, email }),
      }
      for (const [name, { status, text }] of Object.entries(answers)) {
        const count = name === 'letter' ? 'sent' : status
        const alike = text.replaceAll(email, '…').replace(/\/join\/[\w-]{43}/g, '/join/…')
        const own = name === 'list' ? alike.slice(alike.lastIndexOf('<li>')) : alike
        const withoutId = own.replaceAll(`people/${id}`, 'people/…')
        const isMessage = name === 'letter' && hasMail
        pages.set(name, [...(pages.get(name) ?? []), isMessage ? '' : `${count} ${withoutId}`])
      }
    }
    for (const [name, texts] of pages) assert.equal(new Set(texts).size, 1, `${name}: ${texts.join('\n')}`)
    assert.equal(emails.length, hasMail ? 6 : 0)

    const follow = (link = '') => send(link, { name: KIM.name, password: PASSWORD })
    const taken = await follow(links[0])
    assert.deepEqual([taken.status, taken.headers['set-cookie']], [400, undefined])
    assert.match(taken.text, /An account with this e-mail address already exists/)
    for (const link of [links[1], links[2]]) assert.equal((await follow(link)).status, 303)
    // The link works once the address is free.
    await admin.send(`/console/people/${staffId}/remove`, {})
    assert.equal((await follow(links[0])).status, 303)
    assert.equal((await admin.send('/console/people/new', KIM)).status, 400, 'an admin sees all of them')
  })

test('the mail server refuses an invitation: the manager does not see its link', async (t) => {
  const { port } = await startSmtp(t, [KIM.email])
  const mail = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'pets@shelter.example' }
  const { app } = await startShelters(t, mail)
  const manager = await signIn(app, { role: 'manager', organizationId: 1 })

  const { text } = await manager.send('/console/people/new', KIM)

  assert.match(text, /The link could not be sent to/)
  assert.doesNotMatch(text, /\/console\/join\//)
})

test('staff cannot change people of a higher role or another shelter, or give a role above their own', async (t) => {
  const { app, admin } = await startShelters(t)
  const manager = await signIn(app, { role: 'manager', organizationId: 1 })
  const everywhere = await signIn(app, { role: 'manager' })
  const [adminId, ownId] = [1, 2]
  await signIn(app, { role: 'staff', organizationId: 2, name: 'Of another' })
  const other = (await lastPerson(app))?.id ?? 0
  await signIn(app, { role: 'staff', organizationId: 1, name: 'Own' })
  const own = (await lastPerson(app))?.id ?? 0

  const actions = (id: number): [string, Record<string, string>][] => [
    [`/console/people/${id}`, { name: 'X', role: 'viewer' }],
    [`/console/people/${id}/link`, {}],
    [`/console/people/${id}/remove`, {}],
  ]
  const before = JSON.stringify(await staff.list(app.service.context.db))
  for (const id of [adminId, other])
    for (const [path, fields] of actions(id)) {
      assert.equal((await manager.send(path, fields)).status, 404, path)
      assert.equal((await manager.get(`/console/people/${id}`)).status, 404)
    }
  for (const [path, fields] of actions(adminId))
    assert.equal((await everywhere.send(path, fields)).status, 403)
  const raises: [Person, string, Record<string, string>, number][] = [
    [manager, `/console/people/${own}`, { name: 'Own', role: 'admin' }, 403],
    [everywhere, '/console/people/new', { ...KIM, role: 'admin' }, 403],
    [manager, '/console/people/new', { ...KIM, role: 'admin' }, 400],
    [manager, `/console/people/${ownId}`, { name: 'Me', role: 'viewer' }, 403],
    [admin, `/console/people/${adminId}`, { name: 'Ana', role: 'viewer' }, 403],
    [admin, `/console/people/${adminId}/remove`, {}, 403],
  ]
  for (const [person, path, fields, expected] of raises) {
    const { status } = await person.send(path, fields)
    assert.equal(status, expected, `${path} ${JSON.stringify(fields)}`)
  }
  assert.equal(JSON.stringify(await staff.list(app.service.context.db)), before)
  assert.doesNotMatch((await manager.get('/console/people')).text, /Of another|>Ana</)
  const { status, headers } = await manager.send(`/console/people/${own}`, {
    name: 'Own too',
    role: 'manager',
  })
  assert.deepEqual([status, headers.location], [303, `/console/people/${own}?done=saved`])
})

test('two admins remove each other at once: one admin remains', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const { app, admin } = await startShelters(t)
    const other = await signIn(app, { role: 'admin' })
    const answers = await Promise.all([
      admin.send('/console/people/2/remove', {}),
      other.send('/console/people/1/remove', {}),
    ])
    assert.equal(
      (await staff.list(app.service.context.db)).length,
      1,
      answers.map(({ status }) => status).join(),
    )
  }
})

test('removal, role change and sign-out take effect from the next request, in every process', async (t) => {
  const { TEST_REDIS_URL } = process.env
  const settings: Record<string, string> = TEST_REDIS_URL ? { REDIS_URL: TEST_REDIS_URL } : {}
  const { app, admin } = await startShelters(t, settings)
  // Two processes can serve one database only if their rate limits are in one Redis.
  const second = TEST_REDIS_URL ? await startApp(t, { settings, databaseUrl: app.databaseUrl }) : app
  const kim = await signIn(app, { role: 'manager', name: 'Kim' })
  const { id } = (await lastPerson(app)) as staff.Staff
  const there = browseAs(second, kim.token)
  assert.equal((await there.get('/console/people')).status, 200)

  await admin.send(`/console/people/${id}`, { name: 'Kim', role: 'viewer' })
  assert.deepEqual(
    [(await kim.get('/console/people')).status, (await there.get('/console/people')).status],
    [403, 403],
  )
  await admin.send(`/console/people/${id}/remove`, {})
  for (const person of [kim, there]) assert.equal((await person.get('/console/')).status, 303)

  const lee = await signIn(app, { name: 'Lee' })
  const elsewhere = browseAs(second, lee.token)
  assert.equal((await elsewhere.get('/console/')).status, 200)
  await lee.send('/console/sign-out', {})
  assert.equal((await elsewhere.get('/console/')).status, 303)
})

test('GET /console/people/:id/remove asks for confirmation and removes no account', async (t) => {
  const { app, admin } = await startShelters(t)
  await signIn(app, { name: 'Kim <b>' })
  const page = await admin.get('/console/people/2/remove')
  assert.match(page.text, /Remove the account of Kim &lt;b&gt;\?/)
  assert.equal((await staff.list(app.service.context.db)).length, 2)
  const removed = await admin.send('/console/people/2/remove', {})
  assert.equal(removed.headers.location, '/console/people?done=personRemoved')
  assert.equal((await admin.send('/console/people/2/remove', {})).status, 404)
})

test('a new link replaces the earlier link; the password works until the new link is used', async (t) => {
  const { context, app, get, join, signIn: enter } = await startConsole(t)
  const admin = await signIn(app, { role: 'admin' })
  const { staffId } = await join()
  const [first, second] = [
    linkIn((await admin.send(`/console/people/${staffId}/link`, {})).text),
    linkIn((await admin.send(`/console/people/${staffId}/link`, {})).text),
  ]
  assert.deepEqual([(await get(first.pathname)).status, (await get(second.pathname)).status], [410, 200])
  assert.equal((await enter()).status, 303)
  const invited = await invite(context, { ...BEN, email: 'new@shelter.example' }, undefined)
  const { text } = await admin.send(`/console/people/${invited.staffId}/link`, {})
  assert.match((await get(linkIn(text).pathname)).text, /Welcome/)
})

test('changing one’s own password ends all other sessions and links; everyone can change their own name', async (t) => {
  const { context, app, get, join, isIn, signIn: enter } = await startConsole(t)
  const { token, staffId } = await join()
  const link = `/console/join/${(await issueResetLink(context, staffId, undefined))?.token}`
  const elsewhere = tokenOf(await enter())
  const ben = browseAs(app, token)
  const path = '/console/account/password'
  const next = 'another horse battery'
  const refused: [Record<string, string>, RegExp][] = [
    [{ current: 'wrong horse battery', password: next }, /This is not your current password/],
    [{ current: PASSWORD, password: 'short' }, /at least 12 characters/],
    [{ current: PASSWORD, password: PASSWORD }, /This is your current password/],
    [{ current: PASSWORD, password: 'benbenbenben' }, /too easy to guess/],
  ]
  for (const [fields, expected] of refused) {
    const { status, text } = await ben.send(path, fields)
    assert.equal(status, 400)
    assert.match(text, expected)
    for (const typed of Object.values(fields)) assert.doesNotMatch(text, new RegExp(`value="${typed}`))
  }
  assert.equal((await ben.send('/console/account', { name: 'a\r\nb' })).status, 400)
  assert.equal((await ben.send('/console/account', { name: 'Benjamin', role: 'admin' })).status, 303)
  const now = await lastPerson(app)
  assert.deepEqual([now?.name, now?.role], ['Benjamin', 'staff'])

  assert.equal((await get(link)).status, 200)
  const changed = await ben.send(path, { current: PASSWORD, password: next })
  assert.equal((await get(link)).status, 410)
  assert.deepEqual([changed.status, changed.headers.location], [303, '/console/account?done=passwordChanged'])
  const fresh = tokenOf(changed)
  assert.deepEqual([await isIn(token), await isIn(elsewhere), await isIn(fresh)], [false, false, true])

  const other = tokenOf(await enter(BEN.email, next))
  const out = await browseAs(app, fresh).send('/console/account/sign-out', {})
  assert.equal(out.headers.location, '/console/sign-in?done=signedOutAll')
  assert.deepEqual([await isIn(fresh), await isIn(other)], [false, false])
})

test('guessing the current password in an open browser is limited to as many tries as signing in', async (t) => {
  const { app, join } = await startConsole(t)
  const { token } = await join()
  const ben = browseAs(app, token)
  const guess = () =>
    ben.send('/console/account/password', {
      current: 'wrong horse battery',
      password: 'another horse battery',
    })
  for (let tried = 0; tried < 10; tried += 1) assert.equal((await guess()).status, 400)
  const { status, headers } = await guess()
  assert.deepEqual([status, headers['retry-after']], [429, '60'])
})
