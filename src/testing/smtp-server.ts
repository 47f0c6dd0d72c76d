import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** An e-mail as the mail server receives it. */
export interface ReceivedEmail {
  from: string
  to: string[]
  /** The raw headers and text. */
  data: string
}

export interface SmtpServer {
  port: number
  emails: ReceivedEmail[]
  /** All commands of clients, without the content of e-mails. */
  commands: string[]
  /**
   * `down` closes each connection. The others receive the content, and then close the connection or say
   * nothing.
   */
  fault?: 'down' | 'closes' | 'silent' | undefined
}

const ANSWERS: Record<string, string> = {
  EHLO: '250-test\r\n250 AUTH PLAIN',
  AUTH: '235 welcome',
  DATA: '354 go on',
  QUIT: '221 bye',
}

/**
 * Starts a mail server with the parts of RFC 5321 that a client needs.
 *
 * @param refused addresses it refuses
 */
export async function startSmtp(t: TestContext, refused: string[] = []): Promise<SmtpServer> {
  const emails: ReceivedEmail[] = []
  const commands: string[] = []
  const smtp: SmtpServer = { port: 0, emails, commands }
  const server = net.createServer((socket) => {
    if (smtp.fault === 'down') return void socket.destroy()
    let email: ReceivedEmail = { from: '', to: [], data: '' }
    let unread = ''
    let inData = false
    socket.on('error', () => undefined)
    const answer = (line: string): void => void socket.write(`${line}\r\n`)
    const handle = (line: string): string => {
      commands.push(line)
      const [, address = ''] = /<(.*)>/.exec(line) ?? []
      const verb = line.split(/[ :]/, 1)[0]?.toUpperCase() ?? ''
      if (verb === 'MAIL') email = { from: address, to: [], data: '' }
      if (verb === 'RCPT' && refused.includes(address)) return `550 5.1.1 <${address}> is unknown here`
      if (verb === 'RCPT') email.to.push(address)
      if (verb === 'DATA') inData = true
      return ANSWERS[verb] ?? '250 ok'
    }
    socket.setEncoding('utf8').on('data', (chunk) => {
      unread += chunk
      for (let end = unread.indexOf('\r\n'); end >= 0; end = unread.indexOf('\r\n')) {
        const line = unread.slice(0, end)
        unread = unread.slice(end + 2)
        if (!inData) answer(handle(line))
        else if (line !== '.') email.data += `${line}\r\n`
        else {
          inData = false
          emails.push(email)
          if (smtp.fault === 'closes') socket.destroy()
          else if (smtp.fault !== 'silent') answer('250 taken')
        }
      }
    })
    answer('220 test ESMTP')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  smtp.port = (server.address() as AddressInfo).port
  return smtp
}

/** Decodes quoted-printable text (RFC 2045, section 6.7), and Q words of headers if they use it. */
function decodeQuoted(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** The decoded subject of a received e-mail. */
export function subjectOf(data: string): string {
  const [, subject = ''] = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(data) ?? []
  return subject
    .replace(/\?=\r\n[ \t]=\?UTF-8\?Q\?/g, '')
    .replace(/\r\n[ \t]/g, ' ')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, word: string) => decodeQuoted(word.replaceAll('_', ' ')))
}

/** The decoded lines of a received plain-text e-mail. */
export function linesOf(data: string): string[] {
  const at = data.indexOf('\r\n\r\n')
  const text = data.slice(at + 4)
  const isQuoted = /^Content-Transfer-Encoding: quoted-printable/im.test(data.slice(0, at))
  return (isQuoted ? decodeQuoted(text) : text).split('\r\n')
}
