import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { standardError } from './log.ts'
import { scratchFolder } from './testing/start-app.ts'

const LINE = `{"msg":"${'a'.repeat(1_000)}"}\n`
const MAX_BYTES = 300_000

test('a log that nobody reads takes a bounded memory, and tells what was dropped when it is read again', {
  timeout: 20_000,
}, async (t) => {
  const pipe = join(scratchFolder(t), 'pipe')
  execFileSync('mkfifo', [pipe])
  const fd = openSync(pipe, constants.O_RDWR)
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const log = standardError(fd, MAX_BYTES)
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  let lines = 0
  const write = (): void => {
    log.write(LINE)
    lines += 1
  }
  while (lines < 2_000) {
    write()
    if (lines % 10 === 0) await turn()
  }
  let text = ''
  const buffer = Buffer.alloc(65_536)
  const take = async (): Promise<void> => {
    await turn()
    try {
      text += buffer.toString('latin1', 0, readSync(reader, buffer))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
  const kept = () => text.split('\n').filter((line) => line.startsWith('{"msg":"a')).length
  const dropped = () => {
    const told = text.matchAll(/^\{"level":40,"msg":"(\d+) lines of the log were dropped/gm)
    return [...told].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  // It is told with the next line for which there is room.
  while (kept() + dropped() !== lines) {
    for (let turns = 0; turns < 100; turns += 1) await take()
    log.flush(() => undefined)
    if (kept() + dropped() !== lines) write()
  }
  // The other end stays open for what is written as the process ends.
  closeSync(reader)

  // The pipe holds some more.
  assert.ok(dropped() > 1_000, `${dropped()} dropped`)
})
