import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { spawnCli } from '../../src/testing/process.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from '../lab/creators.ts'
import { repeat, waitFor } from '../lab/parallel.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { newService, startService } from '../lab/service.ts'
import { assertIntact } from '../lab/stores.ts'

const ROUNDS = rounds(20)
const MAX_LIFE_MS = 800
/** Some backups are killed within this time. */
const MAX_BACKUP_MS = 600
/** Few clients, so the copies do not fill the disk. */
const SLOW_CREATES = { clients: 8, pauseMs: 5 }

test('a backup during creates and kill -9 is absent, or has every animal that was answered before it began', async (t) => {
  const random = randomOf()
  const folder = scratchFolder(t)
  const service = await newService(t)
  const creators = startCreators(t, service, SLOW_CREATES)

  /** @returns the file of the copy; undefined if the backup was killed before it was complete */
  async function backUp(file: string): Promise<string | undefined> {
    const { child, exited } = spawnCli(t, ['backup', file], service.settings)
    if (random.chance(0.25)) {
      await pause(random.integer(0, MAX_BACKUP_MS))
      child.kill('SIGKILL')
      await exited
      return existsSync(file) ? file : undefined
    }
    const { code, stderr } = await exited
    assert.deepEqual([code, stderr], [0, ''])
    return file
  }

  /** Names and ids of the animals in all copies. */
  const copied = new Map<string, string>()
  function assertComplete(file: string, before: Map<string, string>): void {
    assertIntact(`sqlite:${file}`)
    const store = new DatabaseSync(file)
    const rows = store.prepare('select id, name from pet').all()
    store.close()
    const pets = new Map(rows.map(({ id, name }) => [String(name), String(id)]))
    assert.equal(pets.size, rows.length, `${file} has an animal more than once`)
    const missing = [...before].filter(([name, id]) => pets.get(name) !== id)
    assert.deepEqual(missing, [], `${file} misses animals answered before the backup began`)
    for (const [name, id] of pets) {
      assert.equal(
        copied.get(name) ?? id,
        id,
        `${file} has ${name} with an id that differs from earlier copies`,
      )
      copied.set(name, id)
    }
  }

  let kills = 0
  const lives = randomOf(1)
  const killLoop = repeat(1, async () => {
    t.signal.throwIfAborted()
    await service.start()
    await pause(lives.integer(0, MAX_LIFE_MS))
    await service.end()
    kills += 1
  })
  await waitFor(t, () => creators.ledger.size > 0)
  let restored = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = new Map(creators.ledger)
    const file = await backUp(join(folder, `copy-${round}.db`))
    if (!file) continue
    restored += 1
    assertComplete(file, before)
    if (round % 10 > 0) continue
    const copy = await startService(t, { settings: { DATABASE_URL: `sqlite:${file}` }, key: false })
    const { unknown, ...found } = await audit({ address: copy.address, key: service.key }, before)
    assert.deepEqual(found, { lost: [], wrong: [], duplicate: [] })
    await copy.end('SIGTERM')
  }
  await killLoop.stop()
  await service.start()
  const ledger = await creators.stop()

  await assertNothingLost(service, ledger)
  const unanswered = [...copied].filter(([name, id]) => ledger.get(name) !== id)
  assert.deepEqual(unanswered, [], 'a copy has an animal that was never answered')
  const named = readdirSync(folder).filter((name) => name.startsWith('copy-') && name.endsWith('.db'))
  assert.equal(named.length, restored)
  const load = `${kills} kills and ${ledger.size} creates`
  reportFigure(t, `${restored} of ${ROUNDS} backups during ${load}: all complete, 0 missing`)
})
