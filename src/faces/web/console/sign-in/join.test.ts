import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../../../../db/change.ts'
import { hashToken, newToken } from '../../../../http/token.ts'
import { invite, issueResetLink } from '../../../../staff/join.ts'
import { LINK_LIFETIME_MS } from '../../../../staff/links.ts'
import * as staff from '../../../../staff/store.ts'
import { cookieOf, tokenOf } from '../../../../testing/console.ts'
import { BEN, PASSWORD, startConsole } from '../../../../testing/staffed.ts'

const pathOf = (token: string): string => `/console/join/${token}`

test('the first link creates an admin account, once', async (t) => {
  const { context, app, get, send, isIn } = await startConsole(t)
  const { token, hash } = newToken()
  await context.write(changes.insertFirstLink, hash, app.clock.now)
  const path = pathOf(token)
  const page = await get(path)
  assert.equal(page.status, 200)
  assert.match(page.text, /Create the first account/)

  const person = { name: ' Ana Ruiz ', email: ' Ana@shelter.example ' }
  const refused = await send(path, { name: '', email: 'ana', password: 'short' })
  assert.equal(refused.status, 400)
  for (const field of ['name', 'email', 'password'])
    assert.match(refused.text, new RegExp(`<a href="#field-${field}">`), field)
  const common = await send(path, { ...person, password: 'password1234' })
  assert.match(common.text, /too easy to guess/)
  assert.match(common.text, /value="Ana Ruiz"/)
  assert.doesNotMatch(common.text, /password1234/)

  const made = await send(path, { ...person, password: PASSWORD })
  assert.deepEqual([made.status, made.headers.location], [303, '/console/?done=welcome'])
  assert.ok(await isIn(tokenOf(made)))
  const [ana] = await staff.list(context.db)
  assert.deepEqual([ana?.name, ana?.email, ana?.role], ['Ana Ruiz', 'Ana@shelter.example', 'admin'])
  const again = await send(path, { name: 'Eve', email: 'eve@evil.example', password: PASSWORD })
  assert.deepEqual([again.status, again.headers['set-cookie']], [410, undefined])
  assert.equal((await staff.list(context.db)).length, 1)
})

test('an invitation shows its e-mail address, changes nothing before the form is sent, and saves the chosen name', async (t) => {
  const { context, app, get, send, signIn } = await startConsole(t)
  const { token, staffId } = await invite(context, BEN, undefined)
  for (const method of ['GET', 'HEAD', 'GET']) {
    const { status } = await app.request(pathOf(token), { method, headers: { authorization: undefined } })
    assert.equal(status, 200, method)
  }
  const page = await get(pathOf(token))
  assert.match(page.text, /value="Ben Lim"/)
  assert.match(page.text, /value="ben@shelter.example" autocomplete="username" readonly/)
  assert.equal((await staff.find(context.db, staffId))?.password, null)

  const sent = { name: 'Benjamin Lim', email: 'eve@evil.example', password: PASSWORD }
  assert.equal((await send(pathOf(token), sent)).status, 303)
  const ben = await staff.find(context.db, staffId)
  assert.deepEqual([ben?.name, ben?.email, ben?.role], ['Benjamin Lim', BEN.email, BEN.role])
  assert.equal((await signIn()).status, 303)
})

test('a used, expired, replaced or unknown link gets 410 with advice', async (t) => {
  const { context, app, get, send, join } = await startConsole(t)
  const used = await invite(context, BEN, undefined)
  await send(pathOf(used.token), { name: 'Ben', password: PASSWORD })
  const replaced = await invite(context, { ...BEN, email: 'kim@shelter.example' }, undefined)
  const latest = await issueResetLink(context, replaced.staffId, undefined)
  const { staffId } = await join({ ...BEN, email: 'removed@shelter.example' })
  const removed = await issueResetLink(context, staffId, undefined)
  await context.write(changes.removeStaff, staffId, undefined, app.clock.now)
  const late = await invite(context, { ...BEN, email: 'late@shelter.example' }, undefined)
  const texts = new Set<string>()
  async function assertInvalidLink(token: string): Promise<void> {
    for (const answer of [
      await get(pathOf(token)),
      await send(pathOf(token), { name: 'Eve', password: PASSWORD }),
    ]) {
      assert.deepEqual([answer.status, answer.headers['set-cookie']], [410, undefined], token)
      texts.add(answer.text)
    }
  }

  for (const { token = '' } of [used, replaced, removed ?? {}]) await assertInvalidLink(token)
  for (const token of ['x', 'a'.repeat(43), '%00', '..%2f']) await assertInvalidLink(token)
  app.clock.now += LINK_LIFETIME_MS - 1
  for (const { token = '' } of [latest ?? {}, late])
    assert.equal((await get(pathOf(token))).status, 200, 'in time')
  app.clock.now += 1
  for (const { token = '' } of [latest ?? {}, late]) await assertInvalidLink(token)
  assert.equal(texts.size, 1, 'the same page for all of them')
  assert.match([...texts][0] ?? '', /This link is no longer valid.*ask the person who invited you/s)
})

test('two people use the same link at once: only one of them is signed in', async (t) => {
  const { context, send, app } = await startConsole(t)
  const { token } = await invite(context, BEN, undefined)
  const both = ['Ben', 'Eve'].map((name) => send(pathOf(token), { name, password: `${PASSWORD} ${name}` }))
  const statuses = (await Promise.all(both)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [303, 410])

  // Password hashing delays each request above differently. `followLink` skips it, so all arrive together.
  const { token: other } = await invite(context, { ...BEN, email: 'kim@shelter.example' }, undefined)
  const link = hashToken(other) ?? ''
  const uses = Array.from({ length: 8 }, (_, number) => ({ password: `${number}`, session: newToken().hash }))
  const followed = await Promise.all(
    uses.map((use) => context.write(changes.followLink, link, use, app.clock.now)),
  )
  assert.equal(followed.filter(Boolean).length, 1)
})

test('a password reset ends all sessions of the person and starts a new one', async (t) => {
  const { context, send, join, isIn, signIn } = await startConsole(t)
  const { staffId, token: before } = await join()
  const elsewhere = tokenOf(await signIn())
  const link = await issueResetLink(context, staffId, undefined)
  assert.deepEqual([await isIn(before), await isIn(elsewhere)], [true, true])
  const password = 'another horse battery'
  const sent = { name: 'Nobody looks at this', password }
  const answer = await send(pathOf(link?.token ?? ''), sent, cookieOf(before))
  assert.equal(answer.status, 303)
  for (const ended of [before, elsewhere]) assert.equal(await isIn(ended), false)
  assert.ok(await isIn(tokenOf(answer)))
  assert.deepEqual([(await signIn()).status, (await signIn(BEN.email, password)).status], [400, 303])
  assert.equal((await staff.find(context.db, staffId))?.name, BEN.name)
})

test('the address of a link appears in no log, cache or Referer', async (t) => {
  const { context, get, send, app } = await startConsole(t)
  const { token } = await invite(context, BEN, undefined)
  const answers = [
    await get(pathOf(token)),
    await send(pathOf(token), { name: '', password: '' }),
    await send(pathOf(token), { name: 'Ben', password: PASSWORD }),
    await get(pathOf(token)),
  ]
  for (const { headers, text } of answers) {
    assert.equal(headers['referrer-policy'], 'strict-origin')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.doesNotMatch(text, new RegExp(token), 'the page itself does not repeat it')
  }
  assert.doesNotMatch(app.log.join(''), new RegExp(`${token}|${PASSWORD}|ben@shelter`))
  assert.match(app.log.join(''), /"path":"\/console\/join\/…"/)
})

test('a name with tags or line breaks is shown as text and adds no header', async (t) => {
  const { context, send, get } = await startConsole(t)
  const { token } = await invite(context, BEN, undefined)
  const twoLines = await send(pathOf(token), { name: 'Ben\r\nSet-Cookie: a=b', password: PASSWORD })
  assert.equal(twoLines.status, 400)
  const name = '"><img src=x onerror=alert(1)>'
  const refused = await send(pathOf(token), { name, password: 'short' })
  assert.match(refused.text, /value="&quot;&gt;&lt;img/)
  const joined = await send(pathOf(token), { name, password: PASSWORD })
  const { text } = await get('/console/', cookieOf(tokenOf(joined)))
  assert.match(text, /&lt;img src=x/)
  assert.doesNotMatch(text, /<img src=x/)
})
