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
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { newService } from '../lab/service.ts'
import { assertIntact } from '../lab/stores.ts'

const CUTS = rounds(20)
/** The store is replaced after this many cuts, so reading all animals stays quick. */
const CUTS_PER_STORE = 25
/** Longest time from the first requests to the cut. */
const MAX_LIFE_MS = 300

/** Called after each start of the service, for example to disable syncs. */
type StartHook = (running: RunningProcess) => Promise<unknown>

/** A service on a disk whose power can be cut while clients create animals. */
async function startMachine(t: TestContext, random: Random, onStart: StartHook = async () => undefined) {
  const disk = powerCutDisk(t)
  const DATABASE_URL = `sqlite:${join(disk.folder, 'adoptable.db')}`
  const service = await newService(t, { settings: { DATABASE_URL }, key: false })
  let target = { address: service.address, key: '' }
  let ledger: Ledger = new Map()

  async function replaceStore(): Promise<void> {
    disk.format()
    ledger = new Map()
    target = { ...target, key: await makeKey(DATABASE_URL, UNLIMITED) }
  }

  /**
   * @param minAnswered minimum number of answered creates before the cut
   * @returns the lost animals, and the number of answered creates
   */
  async function cutOnce(prefix: string, minAnswered = 0): Promise<{ lost: string[]; answered: number }> {
    const first = service.launch()
    await onStart(first)
    // One cut in four may happen while the service starts.
    if (random.chance(0.75)) await first.serving
    const creators = startCreators(t, target, { prefix })
    await waitFor(t, () => creators.ledger.size >= minAnswered)
    await pause(random.integer(0, MAX_LIFE_MS))
    const answered = new Map(creators.ledger)
    disk.cut()
    await service.end()
    disk.restore()
    // Removes answers that came after the cut, which a machine without power could not have sent.
    for (const name of creators.ledger.keys()) if (!answered.has(name)) creators.ledger.delete(name)

    await service.start()
    // The clients now repeat the other requests with the same Idempotency-Key.
    for (const [name, id] of await creators.stop()) ledger.set(name, id)
    const { lost, duplicate, wrong } = await audit(target, ledger)
    await service.end()
    assert.deepEqual([duplicate, wrong], [[], []])
    assertIntact(DATABASE_URL)
    return { lost, answered: answered.size }
  }

  await replaceStore()
  return { replaceStore, cutOnce }
}

const TITLE = 'power cut: every animal answered with 201 before it exists afterwards, once, with its id'
test(TITLE, NEEDS_POWER_CUTS, async (t) => {
  const machine = await startMachine(t, randomOf())
  let answered = 0
  for (let cut = 0; cut < CUTS; cut += 1) {
    if (cut > 0 && cut % CUTS_PER_STORE === 0) await machine.replaceStore()
    // The first cut waits for answers, because otherwise every cut might come before the first one.
    const result = await machine.cutOnce(`cut${cut}`, cut === 0 ? CUTS : 0)
    assert.deepEqual(result.lost, [], `cut ${cut}`)
    answered += result.answered
  }
  assert.ok(answered >= CUTS, `only ${answered} creates were answered before ${CUTS} cuts`)
  reportFigure(t, `${CUTS} cuts, ${answered} creates answered before one: 0 lost, 0 twice`)
})

test('control: a store without syncs loses animals at a power cut', NEEDS_POWER_CUTS, async (t) => {
  const machine = await startMachine(t, randomOf(1), neverSync)
  const losses: number[] = []
  while (losses.length < 5 && !losses.some((lost) => lost > 0)) {
    losses.push((await machine.cutOnce(`cut${losses.length}`)).lost.length)
  }
  assert.ok(losses.some((lost) => lost > 0))
  reportFigure(t, `caught: ${losses.at(-1)} lost`)
})

/** Makes every sync of a process report success without doing anything. */
async function neverSync({ child, serving }: RunningProcess): Promise<void> {
  await serving
  const args = ['-f', '-o', '/dev/null', '-e', 'inject=fsync,fdatasync:retval=0', '-p', String(child.pid)]
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  await once(strace.stderr, 'data')
}
