import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { RunningProcess } from '../../src/testing/process.ts'
import { makeKey, UNLIMITED } from '../../src/testing/start-app.ts'
import { audit, type Ledger, startCreators } from '../lab/creators.ts'
import { NEEDS_POWER_CUTS, powerCutDisk } from '../lab/disks.ts'
import { waitFor } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { newService } from '../lab/service.ts'
import { assertSound } from '../lab/stores.ts'

const CUTS = rounds(20)
/** Cuts on the same store, before a new one keeps the reading of every animal short. */
const CUTS_A_STORE = 25
/** From the first request, or else from the start of the process, to the cut. */
const LONGEST_LIFE_MS = 300

/** What may go on around a service from its start, such as a disk that is never told to sync. */
type Around = (running: RunningProcess) => Promise<unknown>

/** A machine: a service on a disk, under clients that create animals, whose power is cut again and again. */
async function startMachine(t: TestContext, random: Random, around: Around = async () => undefined) {
  const disk = powerCutDisk(t)
  const DATABASE_URL = `sqlite:${join(disk.folder, 'adoptable.db')}`
  const service = await newService(t, { settings: { DATABASE_URL }, key: false })
  let target = { address: service.address, key: '' }
  let ledger: Ledger = new Map()

  async function renew(): Promise<void> {
    disk.format()
    ledger = new Map()
    target = { ...target, key: await makeKey(DATABASE_URL, UNLIMITED) }
  }

  /**
   * @param least so many creates are answered before the cut
   * @returns what the next life has to find, and did not
   */
  async function cutOnce(prefix: string, least = 0): Promise<{ lost: string[]; answered: number }> {
    const first = service.launch()
    await around(first)
    // One in four is cut while it still starts.
    if (random.often(0.75)) await first.serving
    const creators = startCreators(t, target, { prefix })
    await waitFor(t, () => creators.ledger.size >= least)
    await pause(random.whole(0, LONGEST_LIFE_MS))
    const answered = new Map(creators.ledger)
    disk.cut()
    await service.end()
    disk.restore()
    // What was answered after the cut never was: no client can have it from a machine without power.
    for (const name of creators.ledger.keys()) if (!answered.has(name)) creators.ledger.delete(name)

    await service.start()
    // The others are sent again under the same Idempotency-Key, now that somebody answers.
    for (const [name, id] of await creators.stop()) ledger.set(name, id)
    const { lost, duplicate, wrong } = await audit(target, ledger)
    await service.end()
    assert.deepEqual([duplicate, wrong], [[], []])
    assertSound(DATABASE_URL)
    return { lost, answered: answered.size }
  }

  await renew()
  return { renew, cutOnce }
}

const TITLE = 'what was answered 201 before a power cut is there after it, once, with its id'
test(TITLE, NEEDS_POWER_CUTS, async (t) => {
  const machine = await startMachine(t, randomOf())
  let answered = 0
  for (let cut = 0; cut < CUTS; cut += 1) {
    if (cut > 0 && cut % CUTS_A_STORE === 0) await machine.renew()
    // Chance may let each of a few cuts come before the first answer, and then nothing could be lost.
    const found = await machine.cutOnce(`cut${cut}`, cut === 0 ? CUTS : 0)
    assert.deepEqual(found.lost, [], `cut ${cut}`)
    answered += found.answered
  }
  assert.ok(answered >= CUTS, `only ${answered} creates were answered before ${CUTS} cuts`)
  reached(t, `${CUTS} cuts, ${answered} creates answered before one: 0 lost, 0 twice`)
})

test('control: a store that is never synced loses animals at a power cut', NEEDS_POWER_CUTS, async (t) => {
  const machine = await startMachine(t, randomOf(1), neverSync)
  const losses: number[] = []
  while (losses.length < 5 && !losses.some((lost) => lost > 0)) {
    losses.push((await machine.cutOnce(`cut${losses.length}`)).lost.length)
  }
  assert.ok(losses.some((lost) => lost > 0))
  reached(t, `caught: ${losses.at(-1)} lost`)
})

/** Lets every sync of a process succeed without doing it. */
async function neverSync({ child, serving }: RunningProcess): Promise<void> {
  await serving
  const args = ['-f', '-o', '/dev/null', '-e', 'inject=fsync,fdatasync:retval=0', '-p', String(child.pid)]
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  await once(strace.stderr, 'data')
}
