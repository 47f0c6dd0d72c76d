import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invite } from '../../../../staff/join.ts'
import { browseAs, browserOf, cookieOf, formIn, tokenOf } from '../../../../testing/console.ts'
import { BEN, PASSWORD, SIGN_IN, startConsole } from '../../../../testing/staffed.ts'

test('the sign-in form keeps the e-mail address but not the password, and leads back to the requested page', async (t) => {
  const { join, send, get, signIn, isIn } = await startConsole(t)
  await join()
  const to = '/console/animals?q=a%26b'
  const sent = await get(to)
  assert.equal(sent.headers.location, `${SIGN_IN}?to=${encodeURIComponent(to)}`)
  const page = await get(String(sent.headers.location))
  assert.equal(page.status, 200)
  assert.deepEqual(formIn(page.text, SIGN_IN), { to, email: '', password: '' })
  assert.match(page.text, /autocomplete="username"/)
  assert.match(page.text, /autocomplete="current-password"/)

  const wrong = await signIn(BEN.email, 'wrong horse battery', { to })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /class="summary"/)
  assert.deepEqual(formIn(wrong.text, SIGN_IN), { to, email: BEN.email, password: '' })
  assert.doesNotMatch(wrong.text, /wrong horse/)
  assert.equal(wrong.headers['set-cookie'], undefined)

  const right = await send(SIGN_IN, { ...formIn(wrong.text, SIGN_IN), password: PASSWORD })
  assert.deepEqual([right.status, right.headers.location], [303, to])
  const [cookie = ''] = right.headers['set-cookie'] ?? []
  assert.match(cookie, /^__Host-session=[\w-]{43}; Max-Age=2592000; Path=\/; Secure; HttpOnly; SameSite=Lax$/)
  const token = tokenOf(right)
  assert.ok(await isIn(token))
  const again = await get(`${SIGN_IN}?to=/console/import`, cookieOf(token))
  assert.deepEqual([again.status, again.headers.location], [303, '/console/import'])
})

test('the sign-in never redirects to another site', async (t) => {
  const { join, get, signIn } = await startConsole(t)
  await join()
  const elsewhere = [
    ...[
      '//evil.example',
      '/\\evil.example',
      '/\\/evil.example',
      'https:',
      'https:evil.example',
      '\\\\evil.example',
    ],
    ...[
      'https://evil.example/console/',
      '//evil.example/console/',
      '/console/..//evil.example',
      '/console//../..//evil.example',
    ],
    ...[
      '/console/\\evil.example',
      '/console/\r\nLocation: https://evil.example',
      '/%2fevil.example',
      '%2f%2fevil.example',
    ],
    ...[
      '/console/%2e%2e/%2e%2e//evil.example',
      'javascript:alert(1)',
      '/v1/pets',
      ' //evil.example',
      '/console@evil.example',
    ],
  ]
  for (const to of elsewhere) {
    const page = await get(`${SIGN_IN}?to=${encodeURIComponent(to)}`)
    assert.equal(formIn(page.text, SIGN_IN).to, '/console/', to)
    const { status, headers } = await signIn(BEN.email, PASSWORD, { to })
    assert.deepEqual([status, headers.location], [303, '/console/'], to)
  }
})

test('each sign-in starts a new session and ends the previous session of the browser', async (t) => {
  const { join, signIn, isIn, send } = await startConsole(t)
  const { token: first } = await join()
  assert.ok(await isIn(first))
  const chosen = 'a'.repeat(43)
  for (const before of [first, chosen]) {
    const token = tokenOf(await signIn(BEN.email, PASSWORD, {}, cookieOf(before)))
    assert.notEqual(token, before)
    assert.ok(await isIn(token))
    assert.equal(await isIn(before), false)
  }
  // Another browser of the same person stays signed in.
  const [one, other] = [tokenOf(await signIn()), tokenOf(await signIn())]
  assert.equal(await isIn(one), true)
  const out = await send('/console/sign-out', {}, cookieOf(one))
  assert.deepEqual([out.status, out.headers.location], [303, `${SIGN_IN}?done=signedOut`])
  assert.match(String(out.headers['set-cookie']), /^__Host-session=; Max-Age=0; Path=\/; Secure/)
  assert.deepEqual([await isIn(one), await isIn(other)], [false, true])
})

test('ten failed sign-ins for an account or from an address: the next one gets 429 with the time to wait', async (t) => {
  const { join, signIn, app } = await startConsole(t)
  await join()
  for (const email of [BEN.email, 'nobody@shelter.example']) {
    app.clock.now += 2 * 24 * 3_600_000
    for (let tried = 0; tried < 10; tried += 1)
      assert.equal((await signIn(email, `wrong ${tried} battery`)).status, 400)
    const { status, headers, text } = await signIn(email)
    assert.deepEqual([status, headers['retry-after'], headers['set-cookie']], [429, '60', undefined])
    assert.match(text, /Wait a minute, then try again\./)
    assert.match((await signIn(email, PASSWORD, {}, { 'accept-language': 'es' })).text, /Espere un minuto/)
    app.clock.now += 60_000
    assert.equal((await signIn(email)).status, email === BEN.email ? 303 : 400)
  }
  app.clock.now += 2 * 24 * 3_600_000
  for (let tried = 0; tried < 10; tried += 1)
    assert.equal((await signIn(`person${tried}@shelter.example`)).status, 400)
  assert.equal((await signIn()).status, 429, 'the same address, another account')
})

test('an account allows ten failed sign-ins, from however many addresses', async (t) => {
  const { join, signIn } = await startConsole(t, { settings: { TRUST_PROXY: '127.0.0.1' } })
  await join()
  const from = (number: number) => ({ 'x-forwarded-for': `192.0.2.${number}` })
  for (let tried = 0; tried < 10; tried += 1)
    assert.equal((await signIn(BEN.email, `wrong ${tried} battery`, {}, from(tried))).status, 400)
  assert.equal((await signIn(BEN.email, PASSWORD, {}, from(10))).status, 429)
  assert.equal((await signIn('nobody@shelter.example', PASSWORD, {}, from(10))).status, 400)
})

test('a browser that has signed in before can sign in after strangers used up all tries', async (t) => {
  const { join, signIn, app } = await startConsole(t, { settings: { TRUST_PROXY: '127.0.0.1' } })
  const { token } = await join()
  const from = (number: number) => ({ 'x-forwarded-for': `192.0.2.${number}` })
  const browser = browserOf(await signIn(BEN.email, PASSWORD, {}, from(100)))
  for (let tried = 0; tried < 9; tried += 1)
    assert.equal((await signIn(BEN.email, `wrong ${tried} battery`, {}, from(tried))).status, 400)
  for (let round = 0; round < 6; round += 1) {
    assert.equal((await signIn(BEN.email, 'wrong horse battery', {}, from(round))).status, 400)
    const { status, headers } = await signIn(BEN.email, PASSWORD, {}, from(round))
    assert.equal(status, 429, 'a stranger waits, with the right password too')
    for (const address of [from(100), from(round)])
      assert.equal((await signIn(BEN.email, PASSWORD, {}, { ...browser, ...address })).status, 303)
    assert.equal((await signIn(BEN.email, PASSWORD, {}, from(101))).status, 429, 'and nothing is forgiven')
    app.clock.now += 1_000 * Number(headers['retry-after'])
  }
  await signIn(BEN.email, 'wrong horse battery', {}, from(50))
  const password = 'another horse battery'
  const changed = await browseAs(app, token).send('/console/account/password', {
    current: PASSWORD,
    password,
  })
  assert.equal(changed.status, 303, 'a change of the password does not wait either')
  assert.equal((await signIn(BEN.email, password, {}, browserOf(changed))).status, 303)
})

test('browsers that have signed in to an account have ten tries together, for that account only', async (t) => {
  const { join, signIn } = await startConsole(t, { settings: { TRUST_PROXY: '127.0.0.1' } })
  const kim = { ...BEN, email: 'kim@shelter.example' }
  await join()
  await join(kim)
  const from = (number: number) => ({ 'x-forwarded-for': `192.0.2.${number}` })
  const first = browserOf(await signIn())
  const both = browserOf(await signIn(kim.email, PASSWORD, {}, first))
  const others = { [BEN.email]: browserOf(await signIn()), [kim.email]: browserOf(await signIn(kim.email)) }
  for (const email of [BEN.email, kim.email]) {
    for (let tried = 0; tried < 10; tried += 1)
      assert.equal((await signIn(email, 'wrong horse battery', {}, { ...both, ...from(1) })).status, 400)
    assert.equal((await signIn(email, PASSWORD, {}, { ...both, ...from(1) })).status, 429)
    assert.equal((await signIn(email, PASSWORD, {}, { ...others[email], ...from(2) })).status, 429)
    assert.equal((await signIn(email, PASSWORD, {}, from(1))).status, 303, 'which costs strangers nothing')
  }
  for (let tried = 0; tried < 10; tried += 1) await signIn(kim.email, 'wrong horse battery', {}, from(tried))
  for (const cookie of [
    first.cookie,
    first.cookie.replace(/.$/, 'A'),
    first.cookie.replace(/.{22}$/, ''),
    `${first.cookie}; ${both.cookie}`,
    `${both.cookie.replace('=', '=x')}`,
    `__Host-browser=.${'A'.repeat(38)}`,
  ])
    assert.equal((await signIn(kim.email, PASSWORD, {}, { cookie, ...from(20) })).status, 429, cookie)
})

test('the cookie of a browser has no effect after a change of the password, or after 90 days', async (t) => {
  const { join, signIn, app } = await startConsole(t, { settings: { TRUST_PROXY: '127.0.0.1' } })
  const { token } = await join()
  const from = (number: number) => ({ 'x-forwarded-for': `192.0.2.${number}` })
  const stolen = browserOf(await signIn())
  const password = 'another horse battery'
  const fields = { current: PASSWORD, password }
  const own = browserOf(await browseAs(app, token).send('/console/account/password', fields))
  const useUp = async (): Promise<void> => {
    for (let tried = 0; tried < 10; tried += 1)
      assert.equal((await signIn(BEN.email, `wrong ${tried} battery`, {}, from(tried))).status, 400)
  }
  await useUp()
  assert.equal((await signIn(BEN.email, password, {}, { ...stolen, ...from(20) })).status, 429)
  assert.equal((await signIn(BEN.email, password, {}, { ...own, ...from(20) })).status, 303)
  app.clock.now += 90 * 24 * 3_600_000
  await useUp()
  assert.equal((await signIn(BEN.email, password, {}, { ...own, ...from(20) })).status, 429)
})

test('sign-in with and without an account gets the same answer after the same amount of work', async (t) => {
  const { join, signIn, context, app } = await startConsole(t, { ownProcesses: true })
  await join()
  await invite(context, { ...BEN, email: 'invited@shelter.example' }, undefined)
  const answers: string[] = []
  const work: number[] = []
  for (const email of [BEN.email, 'nobody@shelter.example', 'invited@shelter.example']) {
    const each: number[] = []
    for (let tried = 0; tried < 5; tried += 1) {
      app.clock.now += 20 * 60_000
      const before = process.cpuUsage()
      const { status, text } = await signIn(email, 'wrong horse battery')
      const { user, system } = process.cpuUsage(before)
      each.push(user + system)
      answers.push(`${status} ${text.replaceAll(email, '…')}`)
    }
    work.push(each.toSorted((one, other) => one - other)[2] as number)
  }
  assert.equal(new Set(answers).size, 1)
  assert.equal((await signIn('\0ben@shelter.example', 'wrong horse battery')).status, 400)
  // Without hashing, a sign-in takes a tenth of this.
  assert.ok(Math.min(...work) > Math.max(...work) / 2, `µs of work: ${work}`)
})

test('sign-in over plain http from another machine: 403 that explains how to set up https', async (t) => {
  const { context, send, get, signIn } = await startConsole(t)
  const { token } = await invite(context, BEN, undefined)
  const host = { host: 'pets.example' }
  const answers = [
    await get(SIGN_IN, host),
    await signIn(BEN.email, PASSWORD, {}, host),
    await get(`/console/join/${token}`, host),
    await send(`/console/join/${token}`, { name: 'Ben', password: PASSWORD }, host),
  ]
  for (const { status, headers, text } of answers) {
    assert.deepEqual([status, headers['set-cookie']], [403, undefined])
    assert.match(text, /TRUST_PROXY/)
    assert.doesNotMatch(text, /<form/)
  }
  assert.equal((await get(`/console/join/${token}`)).status, 200, 'the link is as good as before')
})

test('a form of another site cannot sign anyone in or out', async (t) => {
  const { join, signIn, send, app, context, isIn } = await startConsole(t)
  const { token } = await join()
  const invited = await invite(context, { ...BEN, email: 'other@shelter.example' }, undefined)
  const own = `127.0.0.1:${app.port}`
  const others: Record<string, string | undefined>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: `http://${own}` },
    { 'sec-fetch-site': undefined },
    { 'sec-fetch-site': undefined, origin: 'null' },
    { 'sec-fetch-site': undefined, origin: `http://127.0.0.1:${app.port + 1}` },
  ]
  for (const headers of others) {
    assert.equal((await signIn(BEN.email, PASSWORD, {}, headers)).status, 403)
    const join = await send(`/console/join/${invited.token}`, { name: 'Eve', password: PASSWORD }, headers)
    assert.equal(join.status, 403)
    const out = await send('/console/sign-out', {}, { ...headers, ...cookieOf(token) })
    assert.equal(out.status, 403)
    for (const answer of [join, out]) assert.equal(answer.headers['set-cookie'], undefined)
  }
  assert.ok(await isIn(token))
  assert.equal(
    (await signIn(BEN.email, PASSWORD, {}, { 'sec-fetch-site': undefined, origin: `http://${own}` })).status,
    303,
  )
})
