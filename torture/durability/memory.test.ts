import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertNothingLost, startCreators } from '../lab/creators.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { newService } from '../lab/service.ts'

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
  const title = `${least} to ${most} MiB from ${name} under 32 creating clients: it serves or ends, and loses nothing`
  test(title, needs('prlimit'), async (t) => {
    const random = randomOf(part)
    const service = await newService(t)
    const creators = startCreators(t, service)
    let ended = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const megabytes = random.whole(least, most)
      const settings = name === 'V8' ? { NODE_OPTIONS: `--max-old-space-size=${megabytes}` } : {}
      const { child, serving } = service.launch({ settings })
      const hung = setTimeout(() => child.kill('SIGKILL'), START_MS)
      if (await serving.catch(() => undefined)) {
        if (name === 'the system')
          execFileSync('prlimit', ['--pid', String(child.pid), `--data=${megabytes * 2 ** 20}`])
        await pause(random.whole(0, LONGEST_LIFE_MS))
      }
      clearTimeout(hung)
      if (!service.alive()) ended += 1
      await service.end()
    }
    await service.start()
    const ledger = await creators.stop()

    await assertNothingLost(service, ledger)
    reached(t, `${ROUNDS} lives, ${ended} ended by it, ${ledger.size} creates: 0 lost, 0 twice`)
  })
}
