import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCli } from '../testing/process.ts'
import { startSmtp } from '../testing/smtp-server.ts'
import { makeKey, scratchFolder, startApp } from '../testing/start-app.ts'
import { invite, reset, sendLink } from './join.ts'

const ANA = { email: 'ana@shelter.example', name: 'Ana', role: 'staff' } as const
const ORIGIN = { origin: 'https://pets.example' }

async function start(t: TestContext, refused: string[] = []) {
  const { port, letters } = await startSmtp(t, refused)
  const settings = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'pets@shelter.example' }
  return { settings, letters }
}

/** Lines that were folded for the way are whole again. */
const textOf = (data = ''): string => data.replace(/=\r\n/g, '').replace(/=C3=B1/g, 'ñ')

test('an invitation and a reset go to the person by e-mail, in their language', async (t) => {
  const { settings, letters } = await start(t)
  const { service } = await startApp(t, { settings })
  const { context } = service
  const { staffId, token } = await invite(context, ANA, undefined)
  assert.equal(await sendLink(context, token, ORIGIN), true)
  const again = (await reset(context, staffId, undefined))?.token ?? ''
  assert.equal(await sendLink(context, again, { ...ORIGIN, language: 'es' }), true)

  assert.deepEqual(
    letters.map(({ to }) => to),
    [[ANA.email], [ANA.email]],
  )
  assert.match(textOf(letters[0]?.data), /^Subject: Your account\r\n/m)
  assert.ok(textOf(letters[0]?.data).includes(`https://pets.example/console/join/${token}`))
  assert.match(textOf(letters[1]?.data), /contraseña en esta dirección|contraseña/)
  assert.ok(textOf(letters[1]?.data).includes(`/console/join/${again}`))
  assert.equal(await sendLink(context, token, ORIGIN), false, 'that one is over')
})

test('a letter that was not sent is a line of the log without the address, and the link stays good', async (t) => {
  const { settings, letters } = await start(t, [ANA.email])
  const { log, service } = await startApp(t, { settings })
  const { token } = await invite(service.context, ANA, undefined)
  assert.equal(await sendLink(service.context, token, ORIGIN), false)
  assert.deepEqual(letters, [])
  const line = log.find((one) => one.includes('a letter was not sent')) ?? ''
  assert.match(line, /"level":40.*"reason":"the mail server did not take a letter \(EENVELOPE 550 RCPT TO\)"/)
  assert.ok(!log.join('').includes('shelter.example'))
})

test('without a mail server no letter is sent', async (t) => {
  const { service } = await startApp(t)
  const { token } = await invite(service.context, ANA, undefined)
  assert.equal(await sendLink(service.context, token, ORIGIN), false)
})

test('staff add and reset print the link, and send it too', async (t) => {
  const { settings, letters } = await start(t)
  const DATABASE_URL = `sqlite:${join(scratchFolder(t), 'test.db')}`
  await makeKey(DATABASE_URL)
  const run = (...args: string[]) => runCli(t, ['staff', ...args], { DATABASE_URL, ...settings })
  const added = await run('add', '--email', ANA.email, '--name', ANA.name, '--role', ANA.role)
  assert.match(added.stderr, /\nthe link was sent by e-mail\n$/)
  const again = await run('reset', ANA.email)
  assert.equal(letters.length, 2)
  for (const [index, { code, stdout }] of [added, again].entries()) {
    assert.equal(code, 0)
    assert.ok(textOf(letters[index]?.data).includes(stdout.trim()))
  }
})
