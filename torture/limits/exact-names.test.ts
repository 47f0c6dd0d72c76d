import assert from 'node:assert/strict'
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { spawnCli } from '../../src/testing/process.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { client, startService } from '../lab/service.ts'

/** Two processes start in each; src/db/served-file.slow.test.ts has each kind of name once. */
const ROUNDS = Math.min(Math.ceil(rounds(160) / 4), 200)
const LIMIT = 30
/** Fewer refusals than end in a ban. */
const ASKED = 3 * LIMIT
const NOTICED_MS = 1_000

/** Another name of the same file: made by links of any kind, one after the other, or by moving it. */
function otherName(random: Random, folder: string, file: string): string {
  let name = file
  for (let links = random.whole(1, 3); links > 0; links -= 1) {
    const next = join(folder, `link-${links}`)
    const kind = random.pick(['symbolic', 'relative', 'hard', 'folder', 'moved'] as const)
    if (kind === 'moved' && name === file) {
      mkdirSync(next)
      for (const end of ['', '-wal', '-shm']) renameSync(file + end, join(next, `pets.db${end}`))
      return join(next, 'pets.db')
    }
    if (kind === 'hard' && name === file) linkSync(file, next)
    else if (kind === 'folder' && name === file) symlinkSync(join(folder, 'data'), next)
    else symlinkSync(kind === 'relative' ? relative(folder, name) : name, next)
    name = kind === 'folder' && name === file ? join(next, 'pets.db') : next
  }
  return name
}

test('a window serves exactly its limit, under however many names the file is served', async (t) => {
  const random = randomOf(20)
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = scratchFolder(t)
    const file = join(folder, 'data', 'pets.db')
    const limits = { perMinute: LIMIT, perDay: 1_000 }
    const settings = { DATABASE_URL: `sqlite:${file}` }
    const first = await startService(t, { settings, key: { plan: 'enterprise', limits } })
    const name = otherName(random, folder, file)
    // A file that was moved is noticed within a second: it may be served elsewhere then.
    await pause(NOTICED_MS)
    const second = spawnCli(t, ['serve'], { DATABASE_URL: `sqlite:${name}`, PORT: '0' })
    const address = await second.serving.catch(() => undefined)
    if (address === undefined) refused += 1

    let served = 0
    for (const service of [first.address, ...(address ? [address] : [])]) {
      const ask = client(t, service, first.key)
      for (let asked = 0; asked < ASKED; asked += 1)
        if ((await ask('/v1/pets?limit=1')).status === 200) served += 1
    }
    assert.equal(served, LIMIT, `${name}: ${served} of ${LIMIT}`)
    second.child.kill('SIGKILL')
    await Promise.all([first.end(), second.exited])
    rmSync(folder, { recursive: true })
  }
  reached(t, `${ROUNDS} files under two names, ${refused} refused: ${LIMIT} of ${LIMIT} served of each`)
})
