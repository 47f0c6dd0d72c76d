import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A letter as a mail server gets it. */
export interface Received {
  from: string
  to: string[]
  /** Its headers and its text, as they came. */
  data: string
}

export interface SmtpServer {
  port: number
  letters: Received[]
  /** Every line of a client that is no part of a letter. */
  commands: string[]
}

const ANSWERS: Record<string, string> = {
  EHLO: '250-test\r\n250 AUTH PLAIN',
  AUTH: '235 welcome',
  DATA: '354 go on',
  QUIT: '221 bye',
}

/** As little of RFC 5321 as a client needs. @param refused addresses that it takes no letter for */
export async function startSmtp(t: TestContext, refused: string[] = []): Promise<SmtpServer> {
  const letters: Received[] = []
  const commands: string[] = []
  const server = net.createServer((socket) => {
    let letter: Received = { from: '', to: [], data: '' }
    let unread = ''
    let inData = false
    socket.on('error', () => undefined)
    const answer = (line: string): void => void socket.write(`${line}\r\n`)
    const hear = (line: string): string => {
      commands.push(line)
      const [, address = ''] = /<(.*)>/.exec(line) ?? []
      const verb = line.split(/[ :]/, 1)[0]?.toUpperCase() ?? ''
      if (verb === 'MAIL') letter = { from: address, to: [], data: '' }
      if (verb === 'RCPT' && refused.includes(address)) return `550 5.1.1 <${address}> is unknown here`
      if (verb === 'RCPT') letter.to.push(address)
      if (verb === 'DATA') inData = true
      return ANSWERS[verb] ?? '250 ok'
    }
    socket.setEncoding('utf8').on('data', (chunk) => {
      unread += chunk
      for (let end = unread.indexOf('\r\n'); end >= 0; end = unread.indexOf('\r\n')) {
        const line = unread.slice(0, end)
        unread = unread.slice(end + 2)
        if (!inData) answer(hear(line))
        else if (line !== '.') letter.data += `${line}\r\n`
        else {
          inData = false
          letters.push(letter)
          answer('250 taken')
        }
      }
    })
    answer('220 test ESMTP')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, letters, commands }
}
