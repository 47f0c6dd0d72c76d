import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { standardError } from './log.ts'
import { scratchFolder } from './testing/start-app.ts'

const LINE = `{"msg":"${'a'.repeat(1_000)}"}\n`
const MOST_BYTES = 300_000

test('a log that nobody reads takes a bounded memory, and tells what was dropped when it is read again', async (t) => {
  const pipe = join(scratchFolder(t), 'pipe')
  execFileSync('mkfifo', [pipe])
  const fd = openSync(pipe, constants.O_RDWR)
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const log = standardError(fd, MOST_BYTES)
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  for (let count = 0; count < 2_000; count += 1) {
    log.write(LINE)
    if (count % 10 === 9) await turn()
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
  while (text.length < MOST_BYTES - LINE.length * 20) await take()
  while (!text.includes('dropped')) {
    log.write(LINE)
    await take()
  }
  let written = false
  log.flush(() => {
    written = true
  })
  while (!written) await take()
  // The other end stays open for what is written as the process ends.
  closeSync(reader)

  const [, dropped] = /^\{"level":40,"msg":"(\d+) lines of the log were dropped/m.exec(text) ?? []
  const kept = text.split('\n').filter((line) => line.startsWith('{"msg":"a')).length
  assert.ok(Number(dropped) > 1_000, `${dropped} dropped`)
  assert.ok(text.length < 2 * MOST_BYTES + 65_536, `${kept} lines came through`)
})
