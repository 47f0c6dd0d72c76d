import assert from 'node:assert/strict'
import { test } from 'node:test'
import { machineClock } from './machine-clock.ts'

const HOUR_MS = 3_600_000
const START = 1_800_000_000_000

/** A machine whose clocks are told what happens to it. */
function openMachine() {
  const told = { timeOfDay: START, steady: 5_000, sinceStart: 900_000 }
  const pass = (...names: (keyof typeof told)[]) => {
    return (byMs: number) => {
      for (const name of names) told[name] += byMs
    }
  }
  return {
    ...machineClock({
      timeOfDay: () => told.timeOfDay,
      steady: () => told.steady,
      sinceStart: () => told.sinceStart,
    }),
    run: pass('timeOfDay', 'steady', 'sinceStart'),
    sleep: pass('timeOfDay', 'sinceStart'),
    set: pass('timeOfDay'),
  }
}

test('time that passes moves nothing, and neither does a clock that is slewed by less than half a second', () => {
  const machine = openMachine()
  machine.run(HOUR_MS)
  machine.set(-499)

  assert.equal(machine.moved(), 0)
  assert.equal(machine.clock(), START + HOUR_MS)
})

test('a clock that is set is told once, by how much, and shows the new time from then on', () => {
  const machine = openMachine()
  for (const byMs of [HOUR_MS, -HOUR_MS, 400 * 24 * HOUR_MS, -800 * 24 * HOUR_MS, 1_000]) {
    const before = machine.clock()
    machine.set(byMs)
    assert.equal(machine.clock(), before)
    assert.equal(machine.moved(), byMs)
    assert.equal(machine.clock(), before + byMs)
    assert.equal(machine.moved(), 0)
  }
})

test('while the machine sleeps time passes, and what was set meanwhile is told apart from it', () => {
  const machine = openMachine()
  machine.sleep(8 * HOUR_MS)
  assert.equal(machine.moved(), 0)
  assert.equal(machine.clock(), START + 8 * HOUR_MS)
  machine.sleep(8 * HOUR_MS)
  machine.set(-HOUR_MS)
  assert.equal(machine.moved(), -HOUR_MS)
})
