import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../config.ts'
import { startSmtp } from '../testing/smtp-server.ts'
import { type Mail, openMail } from './mail.ts'

const ANA = 'ana@shelter.example'
const FROM = 'Hill Shelter <pets@shelter.example>'

/** What sends by a server, and what it told of letters that it could not send. */
function open(SMTP_URL: string): { mail: Mail; told: string[] } {
  const told: string[] = []
  const mail = openMail(readConfig({ SMTP_URL, MAIL_FROM: FROM }), ({ message }) => told.push(message))
  return { mail: mail as Mail, told }
}

test('a user and a password are sent, but over no line that others may read', async (t) => {
  const { port, commands } = await startSmtp(t)
  const here = open(`smtp://pets:a%2Fb@127.0.0.1:${port}`)
  assert.equal(await here.mail.send({ to: ANA, subject: 'x', text: 'x' }), true)
  const expected = Buffer.from('\0pets\0a/b').toString('base64')
  assert.ok(commands.includes(`AUTH PLAIN ${expected}`))

  commands.length = 0
  // The same machine, by an address that does not say so.
  const elsewhere = open(`smtp://pets:a%2Fb@0.0.0.0:${port}`)
  assert.equal(await elsewhere.mail.send({ to: ANA, subject: 'x', text: 'x' }), false)
  assert.ok(!commands.some((line) => line.startsWith('AUTH')))
})
