import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { cleanup } from '../../src/testing/cleanup.ts'
import { megabytesOf, NEEDS_PROC, openSockets } from '../lab/proc.ts'
import { reached, rounds } from '../lab/rounds.ts'
import { ANYBODY, type Service, startService } from '../lab/service.ts'

const ATTACKERS = rounds(200)
const SHORT = ATTACKERS < 100
/** A picture that a phone sends: long enough for several looks at how it goes. */
const BYTES = SHORT ? 1_300_000 : 5_000_000
const PHONE_BYTES_A_SECOND = 100_000
const STEP_MS = 50
/** Ten seconds that everybody gets, and the looks of every second. */
const GONE_MS = 14_000
const MOST_GROWTH_MEGABYTES = 30

/** A picture of noise of at least so many bytes. */
async function photograph(bytes: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const create = { width: 2_600, height: 2_000, channels: 3, background: 'gray', noise } as const
  for (let quality = 40; ; quality += 5) {
    const made = await sharp({ create }).jpeg({ quality }).toBuffer()
    if (made.length >= bytes) return made
    assert.ok(quality < 100, 'noise makes large pictures')
  }
}

/** Sends a picture as fast as a phone far from its mast. @returns the status */
function phone({ address, key }: Service, picture: Buffer): Promise<number | undefined> {
  return new Promise((done, fail) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'image/jpeg',
      'content-length': picture.length,
    }
    const request = http.request(`${address}/v1/pets/1/photos`, { method: 'POST', headers }, (answer) => {
      answer.resume().once('end', () => done(answer.statusCode))
    })
    request.on('error', fail)
    const step = (PHONE_BYTES_A_SECOND * STEP_MS) / 1_000
    let sent = 0
    const sending = setInterval(() => {
      request.write(picture.subarray(sent, sent + step))
      sent += step
      if (sent < picture.length) return
      clearInterval(sending)
      request.end()
    }, STEP_MS)
  })
}

function attack(t: TestContext, { port, key }: Service): void {
  const head = [
    'POST /v1/pets/1/photos HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: image/jpeg',
    'Content-Length: 9000000',
  ]
  for (let count = 0; count < ATTACKERS; count += 1) {
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n`),
    )
    const sending = setInterval(() => socket.write('x'), 1_000)
    socket.on('error', () => undefined)
    socket.on('close', () => clearInterval(sending))
    socket.resume()
    cleanup(t).defer(() => void socket.destroy())
  }
}

test(
  'a slow phone gets its photo through; who sends a byte a second is gone in time',
  NEEDS_PROC,
  async (t) => {
    const picture = await photograph(BYTES)
    const service = await startService(t, { settings: ANYBODY })
    await service.ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
    const { pid } = service.process.child
    const before = { memory: megabytesOf(pid, 'now'), sockets: openSockets(pid).length }
    const began = performance.now()
    const honest = phone(service, picture)
    // Of more uploads than 64 the next is refused: it is among the first.
    await pause(500)
    attack(t, service)
    let [come, most] = [0, 0]
    for (;;) {
      await pause(250)
      come = Math.max(come, openSockets(pid).length - before.sockets)
      most = Math.max(most, megabytesOf(pid, 'now'))
      // What is left is the phone, and the process that reads photos: its channel and its standard error.
      if (come > Math.min(ATTACKERS, 64) / 2 && openSockets(pid).length - before.sockets <= 3) break
      assert.ok(
        performance.now() - began < GONE_MS,
        `${openSockets(pid).length} are there after ${GONE_MS} ms`,
      )
    }
    const goneAfter = Math.round(performance.now() - began)

    assert.equal(await honest, 201)
    const took = Math.round((performance.now() - began) / 1_000)
    assert.ok(most - before.memory <= MOST_GROWTH_MEGABYTES, `the service grew by ${most - before.memory} MB`)
    const met = `${ATTACKERS} gone after ${goneAfter} ms, ${most - before.memory} MB more`
    reached(t, `${picture.length} bytes in ${took} s; ${met}`)
  },
)
