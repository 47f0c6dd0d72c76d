import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../config.ts'
import { startSmtp } from '../testing/smtp-server.ts'
import { type Mail, openMail } from './mail.ts'

const ANA = 'ana@shelter.example'
const FROM = 'Hill Shelter <pets@shelter.example>'

const open = (SMTP_URL: string): Mail =>
  openMail(readConfig({ SMTP_URL, MAIL_FROM: FROM }), () => undefined) as Mail

test('SMTP_URL with a password: the password is sent within this machine, but never unencrypted to another machine', async (t) => {
  const { port, commands } = await startSmtp(t)
  const here = open(`smtp://pets:a%2Fb@127.0.0.1:${port}`)
  assert.equal(await here.send({ to: ANA, subject: 'x', text: 'x' }), true)
  const expected = Buffer.from('\0pets\0a/b').toString('base64')
  assert.ok(commands.includes(`AUTH PLAIN ${expected}`))

  commands.length = 0
  // The same machine, by an address that the code treats as another one.
  const elsewhere = open(`smtp://pets:a%2Fb@0.0.0.0:${port}`)
  assert.equal(await elsewhere.send({ to: ANA, subject: 'x', text: 'x' }), false)
  assert.ok(!commands.some((line) => line.startsWith('AUTH')))
})
