import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../src/testing/cleanup.ts'
import { ATTACKERS, startService, withstand } from './slow-clients-honest.ts'
import { NEEDS_PROC } from './slow-clients-process.ts'

/** What each kind sends at first, and then once a second. */
const KINDS = [
  { first: '', later: '', reads: true },
  { first: 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n', later: 'a: b\r\n', reads: true },
  {
    first: 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n',
    later: ' ',
    reads: true,
  },
]
const PAGE = 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n'
/** These fill buffers of the machine's own, too: one in ten. */
const UNREAD = { first: PAGE.repeat(100), later: '', reads: false }

/** Opens connections of every kind, by turns. */
function attack(t: TestContext, { address, key }: { address: string; key: string }): void {
  const port = Number(new URL(address).port)
  for (let count = 0; count < ATTACKERS; count += 1) {
    const kind = count % 10 === 9 ? UNREAD : KINDS[count % KINDS.length]
    const { first, later, reads } = kind ?? UNREAD
    // Half open: what the service closes, the attacker does not.
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.write(first.replace('\r\n', `\r\nAuthorization: Bearer ${key}\r\n`)),
    )
    const sending = setInterval(() => socket.write(later), 1_000)
    socket.on('error', () => undefined)
    socket.on('close', () => clearInterval(sending))
    if (reads) socket.resume()
    cleanup(t).defer(() => void socket.destroy())
  }
}

test(`${ATTACKERS} clients that are slow to ask or to read are sent away; others are served meanwhile`, {
  ...NEEDS_PROC,
}, async (t) => {
  const service = await startService(t)
  await withstand(t, service, ATTACKERS, () => attack(t, service))
})
