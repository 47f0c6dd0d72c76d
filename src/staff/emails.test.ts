import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { runCli } from '../testing/process.ts'
import { startSmtp } from '../testing/smtp-server.ts'
import { makeKey, scratchStore, startApp } from '../testing/start-app.ts'
import { emailWithLink, invite, issueResetLink, sendLink } from './join.ts'

const ANA = { email: 'ana@shelter.example', name: 'Ana', role: 'staff' } as const
const ORIGIN = { origin: 'https://pets.example' }

async function start(t: TestContext, refused: string[] = []) {
  const { port, emails } = await startSmtp(t, refused)
  const settings = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'pets@shelter.example' }
  return { settings, emails }
}

/** Decodes the quoted-printable parts that the tests look for. */
const textOf = (data = ''): string => data.replace(/=\r\n/g, '').replace(/=C3=B1/g, 'ñ')

test('sendLink sends a link by e-mail in the requested language, but not a link that a newer one has replaced', async (t) => {
  const { settings, emails } = await start(t)
  const { service } = await startApp(t, { settings })
  const { context } = service
  const { staffId, token } = await invite(context, ANA, undefined)
  assert.equal(await sendLink(context, token, ORIGIN), true)
  const again = (await issueResetLink(context, staffId, undefined))?.token ?? ''
  assert.equal(await sendLink(context, again, { ...ORIGIN, language: 'es' }), true)

  assert.deepEqual(
    emails.map(({ to }) => to),
    [[ANA.email], [ANA.email]],
  )
  assert.match(textOf(emails[0]?.data), /^Subject: Set up your account\r\n/m)
  assert.ok(textOf(emails[0]?.data).includes(`https://pets.example/console/join/${token}`))
  assert.match(textOf(emails[1]?.data), /contraseña, abra este enlace/)
  assert.ok(textOf(emails[1]?.data).includes(`/console/join/${again}`))
  assert.equal(await sendLink(context, token, ORIGIN), false, 'the second link has ended the first')
})

test('sendLink with a refused address returns false and logs the reason without the address', async (t) => {
  const { settings, emails } = await start(t, [ANA.email])
  const { log, service } = await startApp(t, { settings })
  const { token } = await invite(service.context, ANA, undefined)
  assert.equal(await sendLink(service.context, token, ORIGIN), false)
  assert.deepEqual(emails, [])
  const line = log.find((one) => one.includes('an e-mail was not sent')) ?? ''
  assert.match(
    line,
    /"level":40.*"reason":"the mail server did not accept an e-mail \(EENVELOPE 550 RCPT TO\)"/,
  )
  assert.ok(!log.join('').includes('shelter.example'))
})

test('sendLink without a mail server returns false', async (t) => {
  const { service } = await startApp(t)
  const { token } = await invite(service.context, ANA, undefined)
  assert.equal(await sendLink(service.context, token, ORIGIN), false)
})

test('staff add and staff reset print the link and send it by e-mail', async (t) => {
  const { settings, emails } = await start(t)
  const DATABASE_URL = scratchStore(t)
  await makeKey(DATABASE_URL)
  const run = (...args: string[]) => runCli(t, ['staff', ...args], { DATABASE_URL, ...settings })
  const added = await run('add', '--email', ANA.email, '--name', ANA.name, '--role', ANA.role)
  assert.match(added.stderr, /\nsent the link by e-mail\n$/)
  const again = await run('reset', ANA.email)
  assert.equal(emails.length, 2)
  for (const [index, { code, stdout }] of [added, again].entries()) {
    assert.equal(code, 0)
    assert.ok(textOf(emails[index]?.data).includes(stdout.trim()))
  }
})

test('emailWithLink shows a name that reverses the text after it without these controls', () => {
  const { text } = emailWithLink('reset', {
    email: ANA.email,
    name: 'Ana\u202e \u2067evil',
    link: 'https://a.example',
  })
  assert.match(text, /^Hello Ana evil,\n/)
})
