import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { needs, randomOf, reached, rounds } from './given.ts'

const ROUNDS = rounds(30)
/** From when it serves, in milliseconds. */
const LONGEST_LIFE_MS = 500
const START_MS = 20_000

/** Too little memory of two kinds, in MiB: for what V8 keeps for long, and for all data of the process. */
const KINDS = [
  { name: 'V8', least: 8, most: 48 },
  { name: 'the system', least: 40, most: 200 },
] as const

for (const [part, { name, least, most }] of KINDS.entries()) {
  test(`${least} to ${most} MiB from ${name} under 32 creating clients: it serves or ends, and loses nothing`, {
    ...needs('prlimit'),
  }, async (t: TestContext) => {
    const random = randomOf(part)
    const file = join(scratchFolder(t), 'adoptable.db')
    const settings = { DATABASE_URL: `sqlite:${file}`, PORT: String(await freePort()), LOG_LEVEL: 'silent' }
    const address = `http://127.0.0.1:${settings.PORT}`
    const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
    const creators = startCreators({ address: () => address, key })
    let ended = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const megabytes = random.whole(least, most)
      const flags = name === 'V8' ? { NODE_OPTIONS: `--max-old-space-size=${megabytes}` } : {}
      const { child, serving, exited } = spawnCli(t, ['serve'], { ...settings, ...flags })
      const started = serving.then(
        () => true,
        () => false,
      )
      const hung = setTimeout(() => child.kill('SIGKILL'), START_MS)
      if (await started) {
        if (name === 'the system') {
          execFileSync('prlimit', ['--pid', String(child.pid), `--data=${megabytes * 2 ** 20}`])
        }
        await new Promise((resolve) => setTimeout(resolve, random.whole(0, LONGEST_LIFE_MS)))
      }
      clearTimeout(hung)
      if (child.exitCode !== null || child.signalCode !== null) ended += 1
      child.kill('SIGKILL')
      await exited
    }
    await spawnCli(t, ['serve'], settings).serving
    const ledger = await creators.stop()

    assertNothingLost(await audit(address, key, ledger))
    reached(t, `${ROUNDS} lives, ${ended} ended by it, ${ledger.size} creates: 0 lost, 0 twice`)
  })
}
