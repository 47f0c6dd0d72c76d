import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../../../../db/change.ts'
import { hashToken, newToken } from '../../../../http/token.ts'
import { invite, reset } from '../../../../staff/join.ts'
import { LINK_MS } from '../../../../staff/links.ts'
import * as staff from '../../../../staff/store.ts'
import { cookieOf, tokenOf } from '../../../../testing/console.ts'
import { BEN, PASSWORD, startConsole } from '../../../../testing/staffed.ts'

const pathOf = (token: string): string => `/console/join/${token}`

test('the first link makes an account that may do everything, and is good for that once', async (t) => {
  const { context, app, get, send, isIn } = await startConsole(t)
  const { token, hash } = newToken()
  await context.write(changes.insertFirstLink, hash, app.clock.now)
  const path = pathOf(token)
  const page = await get(path)
  assert.equal(page.status, 200)
  assert.match(page.text, /Make the first account/)

  const person = { name: ' Ana Ruiz ', email: ' Ana@shelter.example ' }
  const refused = await send(path, { name: '', email: 'ana', password: 'short' })
  assert.equal(refused.status, 400)
  for (const field of ['name', 'email', 'password'])
    assert.match(refused.text, new RegExp(`<a href="#field-${field}">`), field)
  const common = await send(path, { ...person, password: 'password1234' })
  assert.match(common.text, /Many people would think/)
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

test('an invitation says who is invited, changes nothing until it is followed, and takes the name they choose', async (t) => {
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

test('a link that was used, is over, was replaced or never was opens nothing, and the page says what to do', async (t) => {
  const { context, app, get, send, join } = await startConsole(t)
  const used = await invite(context, BEN, undefined)
  await send(pathOf(used.token), { name: 'Ben', password: PASSWORD })
  const replaced = await invite(context, { ...BEN, email: 'kim@shelter.example' }, undefined)
  const latest = await reset(context, replaced.staffId, undefined)
  const { staffId } = await join({ ...BEN, email: 'removed@shelter.example' })
  const removed = await reset(context, staffId, undefined)
  await context.write(changes.removeStaff, staffId, undefined, app.clock.now)
  const late = await invite(context, { ...BEN, email: 'late@shelter.example' }, undefined)
  const texts = new Set<string>()
  async function opensNothing(token: string): Promise<void> {
    for (const answer of [
      await get(pathOf(token)),
      await send(pathOf(token), { name: 'Eve', password: PASSWORD }),
    ]) {
      assert.deepEqual([answer.status, answer.headers['set-cookie']], [410, undefined], token)
      texts.add(answer.text)
    }
  }

  for (const { token = '' } of [used, replaced, removed ?? {}]) await opensNothing(token)
  for (const token of ['x', 'a'.repeat(43), '%00', '..%2f']) await opensNothing(token)
  app.clock.now += LINK_MS - 1
  for (const { token = '' } of [latest ?? {}, late])
    assert.equal((await get(pathOf(token))).status, 200, 'in time')
  app.clock.now += 1
  for (const { token = '' } of [latest ?? {}, late]) await opensNothing(token)
  assert.equal(texts.size, 1, 'the same words for all of them')
  assert.match([...texts][0] ?? '', /This link is not good any more.*ask whoever invited you/s)
})

test('of two who follow a link at once one is in', async (t) => {
  const { context, send, app } = await startConsole(t)
  const { token } = await invite(context, BEN, undefined)
  const both = ['Ben', 'Eve'].map((name) => send(pathOf(token), { name, password: `${PASSWORD} ${name}` }))
  const statuses = (await Promise.all(both)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [303, 410])

  // The time that a password takes spreads them; without that they meet in the store.
  const { token: other } = await invite(context, { ...BEN, email: 'kim@shelter.example' }, undefined)
  const link = hashToken(other) ?? ''
  const uses = Array.from({ length: 8 }, (_, number) => ({ password: `${number}`, session: newToken().hash }))
  const followed = await Promise.all(
    uses.map((use) => context.write(changes.followLink, link, use, app.clock.now)),
  )
  assert.equal(followed.filter(Boolean).length, 1)
})

test('a reset ends every session of the person, and the browser that follows it has a new one', async (t) => {
  const { context, send, join, isIn, signIn } = await startConsole(t)
  const { staffId, token: before } = await join()
  const elsewhere = tokenOf(await signIn())
  const link = await reset(context, staffId, undefined)
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

test('the address of a link is in no log, no cache and no Referer', async (t) => {
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

test('a name is text wherever it stands: no tag, no header', async (t) => {
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
