import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../src/testing/port.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { until } from '../../src/testing/redis.ts'
import { type Measure, measure, PROBED } from '../lab/probed.ts'
import { reached, rounds } from '../lab/rounds.ts'
import { ANYBODY, startService } from '../lab/service.ts'
import { exchange, headOf } from '../lab/wire.ts'
import { BOMBS, type Bomb, ORDINARY, WORST_FOR_NODE } from './bombs-requests.ts'

/** How often each bomb is thrown. */
const TIMES = rounds(50)
/** How much longer a turn may be than the longest of Node's server alone, which has to read the costliest of them. */
const MOST_TIMES_BARE = 2
const MIB = 1_048_576
/** With what is garbage, and not collected yet. */
const MOST_MORE_BYTES = 150 * MIB
/** With connections that are left open for another second. */
const MOST_KEPT_BYTES = 40 * MIB

/** What a bomb does beyond what ordinary requests do. */
interface Harm extends Measure {
  name: string
  /** The longest turn of Node's server alone. */
  bareMs: number
}

function isHarmful({ longestMs, bareMs, mostBytes, keptBytes }: Harm): boolean {
  return longestMs > MOST_TIMES_BARE * bareMs || mostBytes > MOST_MORE_BYTES || keptBytes > MOST_KEPT_BYTES
}

const TITLE = `bombs of ${BOMBS.length} kinds, each ${TIMES} times`
test(`${TITLE}, are refused or read without a stall or a swelling`, async (t) => {
  const settings = { ...ANYBODY, ...PROBED, LOG_LEVEL: 'error' }
  const service = await startService(t, { settings })
  const bare = await startBare(t)
  const wrong = new Set<string>()
  const throwAll = async (bomb: Bomb): Promise<void> => {
    for (let left = TIMES; left > 0; left -= 1) {
      const status = await statusOf(service.port, service.key, bomb)
      if (status !== bomb.status) wrong.add(`${bomb.name}: ${status}, not ${bomb.status}`)
    }
  }
  /** Of Node's server alone, under the bomb that is worst for it: the speed of this machine, at this moment. */
  const bareMs = async (): Promise<number> => {
    for (let left = TIMES; left > 0; left -= 1) await statusOf(bare.port, service.key, WORST_FOR_NODE)
    return (await measure(bare)).longestMs
  }

  // What is compiled and allocated at first is no measure.
  for (const bomb of [...ORDINARY, ...ORDINARY]) await throwAll(bomb)
  await measure(service.process)
  for (const bomb of ORDINARY) await throwAll(bomb)
  const ordinary = await measure(service.process)
  // Its first turns are not compiled yet.
  await bareMs()
  const quietMs = await bareMs()

  const harmOf = async (bomb: Bomb, bareMs: number): Promise<Harm> => {
    await throwAll(bomb)
    const found = await measure(service.process)
    return {
      name: bomb.name,
      bareMs,
      longestMs: found.longestMs - ordinary.longestMs,
      mostBytes: found.mostBytes - ordinary.mostBytes,
      keptBytes: found.keptBytes - ordinary.keptBytes,
    }
  }
  const found: Harm[] = []
  for (const bomb of BOMBS) {
    let harm = await harmOf(bomb, quietMs)
    // Other programs make every turn longer, and none shorter: the bomb's own doing is there each time.
    for (let again = 0; isHarmful(harm) && again < 2; again += 1) harm = await harmOf(bomb, await bareMs())
    found.push(harm)
  }
  assert.deepEqual([...wrong], [])
  assert.deepEqual(found.filter(isHarmful), [], `ordinary requests: ${JSON.stringify(ordinary)}`)
  const worst = found.reduce((one, other) => (other.longestMs > one.longestMs ? other : one))
  const kept = Math.max(...found.map(({ keptBytes }) => keptBytes))
  const most = Math.max(...found.map(({ mostBytes }) => mostBytes))
  const alone = `${worst.name}; ${worst.bareMs.toFixed(1)} in Node alone`
  const memory = `${(kept / MIB).toFixed(1)} MiB kept, ${(most / MIB).toFixed()} MiB more for a while`
  reached(
    t,
    `${BOMBS.length} × ${TIMES}: turns at most ${worst.longestMs.toFixed(1)} ms longer (${alone}), ${memory}`,
  )
})

/** Node's server alone, probed in the same way. */
async function startBare(t: TestContext) {
  const port = await freePort()
  const program = join(import.meta.dirname, 'bombs-bare.ts')
  const running = spawnCli(t, [], { ...PROBED, PORT: String(port) }, undefined, { program })
  await until(() => running.output.stdout !== '')
  return { ...running, port }
}

/** The status of the answer to a bomb, each thrown over a connection of its own. */
async function statusOf(port: number, key: string, bomb: Bomb): Promise<number> {
  const { method = 'POST', path = '/v1/pets', headers = {}, body = '', declared, endless, name } = bomb
  const content = Buffer.from(body)
  const length = method === 'GET' ? [] : [declared ?? `Content-Length: ${content.length}`]
  const authorization = `Bearer ${key}`
  const given = { host: 'pets.example', authorization, 'content-type': 'application/json', ...headers }
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`)
  const head = `${[`${method} ${path} HTTP/1.1`, ...lines, ...length].join('\r\n')}\r\n\r\n`
  const bytes = Buffer.concat([Buffer.from(head), content])
  const answer = await exchange(port, bytes, {
    endless,
    endAfterMs: Infinity,
    until: (came) => headOf(came) !== '',
  })
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer.toString('latin1', 0, 20))?.[1])
  assert.ok(status, `${name}: the connection was closed without an answer`)
  return status
}
