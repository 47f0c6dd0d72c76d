import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { until } from '../src/testing/redis.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { BOMBS, type Bomb, ORDINARY, WORST_FOR_NODE } from './bombs-requests.ts'
import { reached, rounds } from './given.ts'

/** How often each bomb is thrown. */
const TIMES = rounds(50)
/** How much longer a turn may be than the longest of Node's server alone, which has to read the costliest of them. */
const MOST_TIMES_BARE = 2
const MIB = 1_048_576
/** With what is garbage, and not collected yet. */
const MOST_MORE_BYTES = 150 * MIB
/** With connections that are left open for another second. */
const MOST_KEPT_BYTES = 40 * MIB
const PATIENCE_MS = 30_000

test(`bombs of ${BOMBS.length} kinds, each ${TIMES} times, are refused or read without a stall or a swelling`, async (t) => {
  const { port, key, measure } = await startProbed(t)
  const bare = await startBare(t)
  const wrong = new Set<string>()
  const throwAll = async (bomb: Bomb): Promise<void> => {
    for (let left = TIMES; left > 0; left -= 1) {
      const status = await statusOf(port, key, bomb)
      if (status !== bomb.status) wrong.add(`${bomb.name}: ${status}, not ${bomb.status}`)
    }
  }
  /** Of Node's server alone, under the bomb that is worst for it: the speed of this machine, at this moment. */
  const bareMs = async (): Promise<number> => {
    for (let left = TIMES; left > 0; left -= 1) await statusOf(bare.port, key, WORST_FOR_NODE)
    return (await bare.measure()).longestMs
  }

  // What is compiled and allocated at first is no measure.
  for (const bomb of [...ORDINARY, ...ORDINARY]) await throwAll(bomb)
  await measure()
  for (const bomb of ORDINARY) await throwAll(bomb)
  const ordinary = await measure()
  // Its first turns are not compiled yet.
  await bareMs()
  const quietMs = await bareMs()

  const harmOf = async (bomb: Bomb, bareMs: number) => {
    await throwAll(bomb)
    const { longestMs, mostBytes, keptBytes } = await measure()
    return {
      name: bomb.name,
      moreMs: longestMs - ordinary.longestMs,
      bareMs,
      moreBytes: mostBytes - ordinary.mostBytes,
      keptBytes: keptBytes - ordinary.keptBytes,
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
  const harmful = found.filter(isHarmful)
  assert.deepEqual(harmful, [], `ordinary requests: ${JSON.stringify(ordinary)}`)
  const longest = found.reduce((one, other) => (other.moreMs > one.moreMs ? other : one))
  const kept = Math.max(...found.map(({ keptBytes }) => keptBytes))
  const most = Math.max(...found.map(({ moreBytes }) => moreBytes))
  const turns = `turns at most ${longest.moreMs.toFixed(1)} ms longer (${longest.name}; ${longest.bareMs.toFixed(1)} in Node alone)`
  const memory = `${(kept / MIB).toFixed(1)} MiB kept, ${(most / MIB).toFixed()} MiB more for a while`
  reached(t, `${BOMBS.length} × ${TIMES} bombs: ${turns}, ${memory}`)
})

/** Beyond what ordinary requests do. */
interface Harm {
  name: string
  moreMs: number
  /** The longest turn of Node's server alone. */
  bareMs: number
  moreBytes: number
  keptBytes: number
}

function isHarmful({ moreMs, bareMs, moreBytes, keptBytes }: Harm): boolean {
  return moreMs > MOST_TIMES_BARE * bareMs || moreBytes > MOST_MORE_BYTES || keptBytes > MOST_KEPT_BYTES
}

interface Measure {
  /** Longest turn of the event loop, in processor time. */
  longestMs: number
  mostBytes: number
  /** After the garbage was collected. */
  keptBytes: number
}

/** A service in a process of its own that tells how its main thread fares. */
async function startProbed(t: TestContext) {
  const folder = scratchFolder(t)
  const file = join(folder, 'probe.json')
  const settings = {
    DATABASE_URL: `sqlite:${join(folder, 'adoptable.db')}`,
    PORT: String(await freePort()),
    LOG_LEVEL: 'error',
    ANONYMOUS_PER_MINUTE: '1000000',
    ANONYMOUS_PER_DAY: '1000000',
    ...probing(file),
  }
  const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
  const { child, serving } = spawnCli(t, ['serve'], settings)
  await serving
  return { port: Number(settings.PORT), key, measure: measurerOf(child, file) }
}

/** Node's server alone, probed in the same way. */
async function startBare(t: TestContext) {
  const file = join(scratchFolder(t), 'probe.json')
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: String(port), ...probing(file) }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bombs-bare.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return { port, measure: measurerOf(child, file) }
}

function probing(file: string) {
  const probe = import.meta.resolve('./bombs-probe.ts')
  return { BOMBS_PROBE: file, NODE_OPTIONS: `--import=${probe} --max-semi-space-size=4` }
}

/** Asks a probed process for what its main thread did since it was asked last. */
function measurerOf(child: ChildProcess, file: string): () => Promise<Measure> {
  let asked = 0
  return async () => {
    asked += 1
    child.kill('SIGWINCH')
    let told: Measure & { reports: number } = { reports: 0, longestMs: 0, mostBytes: 0, keptBytes: 0 }
    await until(() => {
      assert.equal(child.exitCode, null, 'the service ended')
      try {
        told = JSON.parse(readFileSync(file, 'utf8'))
      } catch {}
      return told.reports === asked
    })
    return told
  }
}

/** The status of the answer to a bomb, each thrown over a connection of its own. */
function statusOf(port: number, key: string, bomb: Bomb): Promise<number> {
  const { method = 'POST', path = '/v1/pets', headers = {}, body = '', declared, endless } = bomb
  const content = Buffer.from(body)
  const length = method === 'GET' ? [] : [declared ?? `Content-Length: ${content.length}`]
  const given = {
    host: 'pets.example',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...headers,
  }
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`)
  const head = `${[`${method} ${path} HTTP/1.1`, ...lines, ...length].join('\r\n')}\r\n\r\n`
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    let answer = ''
    const finish = (error?: Error): void => {
      socket.removeAllListeners().on('error', () => undefined)
      socket.destroy()
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])
      if (status) resolve(status)
      else
        reject(new Error(`${bomb.name}: ${error?.message ?? 'the connection was closed without an answer'}`))
    }
    socket.setTimeout(PATIENCE_MS, () => finish(new Error(`no answer after ${PATIENCE_MS} ms`)))
    socket.on('error', finish)
    socket.on('close', () => finish())
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (answer.includes('\r\n\r\n')) finish()
    })
    socket.write(Buffer.concat([Buffer.from(head), content]))
    const goOn = (): void => {
      while (endless && socket.writable && socket.write(endless)) {}
    }
    socket.on('drain', goOn)
    goOn()
  })
}
