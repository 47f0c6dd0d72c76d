import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { standardError } from './log.ts'
import { scratchFolder } from './testing/start-app.ts'

const LINE = `{"msg":"${'a'.repeat(1_000)}"}\n`
const MAX_BYTES = 300_000

test('a log that is not read uses bounded memory, then gets a line with the number of dropped lines', {
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
  const read = () => text.split('\n').filter((line) => line.startsWith('{"msg":"a')).length
  const dropped = () => {
    const notices = text.matchAll(/^\{"level":40,"msg":"(\d+) log lines were dropped/gm)
    return [...notices].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  // The number of dropped lines comes with the next line that fits.
  while (read() + dropped() !== lines) {
    for (let turns = 0; turns < 100; turns += 1) await take()
    log.flush(() => undefined)
    if (read() + dropped() !== lines) write()
  }
  // The write end stays open for lines that are written while the process ends.
  closeSync(reader)

  // The pipe itself buffers some lines.
  assert.ok(dropped() > 1_000, `${dropped()} dropped`)
})
