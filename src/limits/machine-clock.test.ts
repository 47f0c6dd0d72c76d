import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMachineClock } from '../open-limiter.ts'

const HOUR_MS = 3_600_000
const START = 1_800_000_000_000

/** A machine with clocks that the test controls. */
function openMachine() {
  const times = { timeOfDay: START, steady: 5_000, sinceStart: 900_000 }
  const pass = (...names: (keyof typeof times)[]) => {
    return (byMs: number) => {
      for (const name of names) times[name] += byMs
    }
  }
  return {
    ...createMachineClock({
      timeOfDay: () => times.timeOfDay,
      steady: () => times.steady,
      sinceStart: () => times.sinceStart,
    }),
    run: pass('timeOfDay', 'steady', 'sinceStart'),
    sleep: pass('timeOfDay', 'sinceStart'),
    set: pass('timeOfDay'),
  }
}

test('passing time and slewing by less than half a second are not reported as a clock change', () => {
  const machine = openMachine()
  machine.run(HOUR_MS)
  machine.set(-499)

  assert.equal(machine.applyClockChange(), 0)
  assert.equal(machine.clock(), START + HOUR_MS)
})

test('setting the clock is reported once, with the difference, and the clock shows the new time', () => {
  const machine = openMachine()
  for (const byMs of [HOUR_MS, -HOUR_MS, 400 * 24 * HOUR_MS, -800 * 24 * HOUR_MS, 1_000]) {
    const before = machine.clock()
    machine.set(byMs)
    assert.equal(machine.clock(), before)
    assert.equal(machine.applyClockChange(), byMs)
    assert.equal(machine.clock(), before + byMs)
    assert.equal(machine.applyClockChange(), 0)
  }
})

test('time passes while the machine sleeps, and only a setting of the clock during the sleep is reported', () => {
  const machine = openMachine()
  machine.sleep(8 * HOUR_MS)
  assert.equal(machine.applyClockChange(), 0)
  assert.equal(machine.clock(), START + 8 * HOUR_MS)
  machine.sleep(8 * HOUR_MS)
  machine.set(-HOUR_MS)
  assert.equal(machine.applyClockChange(), -HOUR_MS)
})
