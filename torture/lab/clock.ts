import assert from 'node:assert/strict'
import { globSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { scratchFolder } from '../../src/testing/start-app.ts'

/** The clock of one process, which the test sets as somebody sets that of a machine. */
export interface FakeClock {
  /** For the environment of the process. */
  settings: Record<string, string>
  /** Seconds that it is ahead of the real one, from now on. */
  set(ahead: number): void
  readonly ahead: number
}

const [LIBRARY = ''] = globSync('/usr/lib/{*/,}faketime/libfaketimeMT.so.1')

/** Needs the program faketime. The time since the start of the machine goes on as it is. */
export function fakeClock(t: TestContext, ahead = 0): FakeClock {
  assert.ok(LIBRARY, 'faketime is there, and its library is not')
  const file = join(scratchFolder(t), 'ahead')
  const clock = {
    settings: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    ahead,
    set(seconds: number) {
      clock.ahead = seconds
      // Never half written.
      writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}`)
      renameSync(`${file}.new`, file)
    },
  }
  clock.set(ahead)
  return clock
}
