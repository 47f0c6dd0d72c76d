import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../config.ts'
import { freePort } from '../testing/port.ts'
import { startSmtp } from '../testing/smtp-server.ts'
import { type Mail, openMail } from './mail.ts'

const ANA = 'ana@shelter.example'
const FROM = 'Hill Shelter <pets@shelter.example>'

/** Opens a mail server, and collects the reasons of e-mails that were not sent. */
function open(SMTP_URL: string, timeoutMs?: number): { mail: Mail; failures: string[] } {
  const failures: string[] = []
  const config = readConfig({ SMTP_URL, MAIL_FROM: FROM })
  const mail = openMail(config, ({ message }) => failures.push(message), timeoutMs)
  return { mail: mail as Mail, failures }
}

async function start(t: TestContext, refused: string[] = []) {
  const server = await startSmtp(t, refused)
  return { ...server, ...open(`smtp://127.0.0.1:${server.port}`) }
}

/** The header lines, unfolded. */
function headersOf(data: string): string[] {
  return (data.split('\r\n\r\n')[0] ?? '').replace(/\r\n[ \t]+/g, ' ').split('\r\n')
}

test('an e-mail is sent to one address as plain text', async (t) => {
  const { emails, mail, failures } = await start(t)
  const text = 'Hello Ana,\n\nhttps://pets.example/console/join/abc\n.\nyours\n'

  assert.equal(await mail.send({ to: ANA, subject: 'Your account', text }), true)

  assert.equal(emails.length, 1)
  const [{ from, to, data } = { from: '', to: [], data: '' }] = emails
  assert.deepEqual([from, to], ['pets@shelter.example', [ANA]])
  const headers = headersOf(data)
  for (const header of [
    `From: ${FROM}`,
    `To: ${ANA}`,
    'Subject: Your account',
    'Auto-Submitted: auto-generated',
  ])
    assert.ok(headers.includes(header), header)
  assert.ok(headers.some((header) => /^Content-Type: text\/plain/.test(header)))
  assert.match(data, /\r\nhttps:\/\/pets\.example\/console\/join\/abc\r\n\.\.\r\nyours/)
  assert.deepEqual(failures, [])
})

test('line breaks and commas in subject and address add no further header and no further recipient', async (t) => {
  const { emails, commands, mail } = await start(t)
  for (const end of ['\r\n', '\n', '\r', '\u2028', '\0'])
    await mail.send({ to: ANA, subject: `Hello${end}Bcc: eve@evil.example${end}${end}text`, text: 'x' })
  for (const to of [
    `${ANA}, eve@evil.example`,
    `${ANA}\r\nRCPT TO:<eve@evil.example>`,
    `${ANA}>,<eve@evil.example`,
  ])
    await mail.send({ to, subject: 'x', text: 'x' })

  assert.ok(emails.length >= 5)
  for (const { data } of emails)
    assert.ok(!headersOf(data).some((header) => /^(?:bcc|cc)/i.test(header)), data)
  for (const line of commands) assert.ok(!/^RCPT TO:<eve@/i.test(line), line)
})

test('an e-mail that the server refuses is reported without its address', async (t) => {
  const { emails, mail, failures } = await start(t, [ANA])
  assert.equal(await mail.send({ to: ANA, subject: 'x', text: 'secret' }), false)
  const gone = open(`smtp://127.0.0.1:${await freePort()}`)
  assert.equal(await gone.mail.send({ to: ANA, subject: 'x', text: 'secret' }), false)

  assert.deepEqual(emails, [])
  assert.match(failures[0] ?? '', /^the mail server did not accept an e-mail \(EENVELOPE 550 RCPT TO\)$/)
  assert.match(
    gone.failures[0] ?? '',
    /^the mail server did not accept an e-mail \((?:ESOCKET|ECONNECTION|ECONNREFUSED).*\)$/,
  )
})

test('a server that receives the content and says nothing: the e-mail counts as tried, so it is not sent forever', async (t) => {
  const smtp = await startSmtp(t)
  const { mail, failures } = open(`smtp://127.0.0.1:${smtp.port}`, 1_000)
  const email = { to: ANA, subject: 'x', text: 'x', id: 'one' }
  smtp.fault = 'silent'
  assert.equal(await mail.deliver(email), false)
  assert.equal(failures.length, 1)
  assert.equal(smtp.emails.length, 1)
  assert.ok(headersOf(smtp.emails[0]?.data ?? '').includes('Message-ID: <one@shelter.example>'))
  smtp.fault = 'down'
  await assert.rejects(mail.deliver(email), /the mail server did not accept an e-mail/)
})

test('openMail without SMTP_URL returns undefined; an invalid mail setting throws an error that names the setting', () => {
  assert.equal(
    openMail(readConfig({}), () => undefined),
    undefined,
  )
  for (const [settings, message] of [
    [{ SMTP_URL: 'http://mail.example', MAIL_FROM: ANA }, /^Error: SMTP_URL must be smtp:/],
    [{ SMTP_URL: 'smtp://', MAIL_FROM: ANA }, /^Error: SMTP_URL must be/],
    [{ SMTP_URL: 'smtp://mail.example/path', MAIL_FROM: ANA }, /^Error: SMTP_URL must be/],
    [{ SMTP_URL: 'smtp://a%zz:b@mail.example', MAIL_FROM: ANA }, /^Error: SMTP_URL must/],
    [{ SMTP_URL: 'smtp://mail.example' }, /^Error: SMTP_URL needs MAIL_FROM/],
    [{ MAIL_FROM: 'pets' }, /^Error: MAIL_FROM must/],
    [{ MAIL_FROM: 'Pets <pets@shelter.example>\r\nBcc: eve@evil.example' }, /^Error: MAIL_FROM must/],
    [{ MAIL_FROM: 'a@shelter.example, b@shelter.example' }, /^Error: MAIL_FROM must/],
  ] as const) {
    assert.throws(() => readConfig(settings), message, JSON.stringify(settings))
  }
})
