import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../config.ts'
import { freePort } from '../testing/port.ts'
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

async function start(t: TestContext, refused: string[] = []) {
  const server = await startSmtp(t, refused)
  return { ...server, ...open(`smtp://127.0.0.1:${server.port}`) }
}

/** The lines before the first empty one, those that go on joined. */
function headersOf(data: string): string[] {
  return (data.split('\r\n\r\n')[0] ?? '').replace(/\r\n[ \t]+/g, ' ').split('\r\n')
}

test('a letter goes to one address, as plain text', async (t) => {
  const { letters, mail, told } = await start(t)
  const text = 'Hello Ana,\n\nhttps://pets.example/console/join/abc\n.\nyours\n'

  assert.equal(await mail.send({ to: ANA, subject: 'Your account', text }), true)

  assert.equal(letters.length, 1)
  const [{ from, to, data } = { from: '', to: [], data: '' }] = letters
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
  assert.deepEqual(told, [])
})

test('no subject and no address makes a further header or a further recipient', async (t) => {
  const { letters, commands, mail } = await start(t)
  for (const end of ['\r\n', '\n', '\r', '\u2028', '\0'])
    await mail.send({ to: ANA, subject: `Hello${end}Bcc: eve@evil.example${end}${end}text`, text: 'x' })
  for (const to of [
    `${ANA}, eve@evil.example`,
    `${ANA}\r\nRCPT TO:<eve@evil.example>`,
    `${ANA}>,<eve@evil.example`,
  ])
    await mail.send({ to, subject: 'x', text: 'x' })

  assert.ok(letters.length >= 5)
  for (const { data } of letters)
    assert.ok(!headersOf(data).some((header) => /^(?:bcc|cc)/i.test(header)), data)
  for (const line of commands) assert.ok(!/^RCPT TO:<eve@/i.test(line), line)
})

test('a letter that the server does not take is told of without its address', async (t) => {
  const { letters, mail, told } = await start(t, [ANA])
  assert.equal(await mail.send({ to: ANA, subject: 'x', text: 'secret' }), false)
  const gone = open(`smtp://127.0.0.1:${await freePort()}`)
  assert.equal(await gone.mail.send({ to: ANA, subject: 'x', text: 'secret' }), false)

  assert.deepEqual(letters, [])
  assert.match(told[0] ?? '', /^the mail server did not take a letter \(EENVELOPE 550 RCPT TO\)$/)
  assert.match(
    gone.told[0] ?? '',
    /^the mail server did not take a letter \((?:ESOCKET|ECONNECTION|ECONNREFUSED).*\)$/,
  )
})

test('without a mail server nothing is sent, and settings that make no sense stop the start', () => {
  assert.equal(
    openMail(readConfig({}), () => undefined),
    undefined,
  )
  for (const [settings, told] of [
    [{ SMTP_URL: 'http://mail.example', MAIL_FROM: ANA }, /^Error: SMTP_URL must be smtp:/],
    [{ SMTP_URL: 'smtp://', MAIL_FROM: ANA }, /^Error: SMTP_URL must be/],
    [{ SMTP_URL: 'smtp://mail.example/path', MAIL_FROM: ANA }, /^Error: SMTP_URL must be/],
    [{ SMTP_URL: 'smtp://a%zz:b@mail.example', MAIL_FROM: ANA }, /^Error: SMTP_URL must/],
    [{ SMTP_URL: 'smtp://mail.example' }, /^Error: SMTP_URL needs MAIL_FROM/],
    [{ MAIL_FROM: 'pets' }, /^Error: MAIL_FROM must/],
    [{ MAIL_FROM: 'Pets <pets@shelter.example>\r\nBcc: eve@evil.example' }, /^Error: MAIL_FROM must/],
    [{ MAIL_FROM: 'a@shelter.example, b@shelter.example' }, /^Error: MAIL_FROM must/],
  ] as const) {
    assert.throws(() => readConfig(settings), told, JSON.stringify(settings))
  }
})
