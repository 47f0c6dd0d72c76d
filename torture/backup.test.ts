import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../src/testing/cleanup.ts'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { randomOf, reached, rounds } from './given.ts'
import { waitFor } from './syscalls-wait.ts'

const ROUNDS = rounds(20)
const LONGEST_LIFE_MS = 800
/** Some backups are killed, at any moment of theirs. */
const LONGEST_BACKUP_MS = 600
/** Fewer clients than elsewhere: what is copied is to grow, and not to fill the disk. */
const CLIENTS = 8
const PAUSE_MS = 5

test('a backup beside creates and kill -9 is a store with every animal answered before it began, or is not there', {}, async (t) => {
  const random = randomOf()
  const folder = scratchFolder(t)
  const settings = {
    DATABASE_URL: `sqlite:${join(folder, 'pets.db')}`,
    PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
  }
  const address = `http://127.0.0.1:${settings.PORT}`
  const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
  const creators = startCreators({
    signal: t.signal,
    address: () => address,
    key,
    clients: CLIENTS,
    pauseMs: PAUSE_MS,
  })
  let [kills, stopping] = [0, false]
  cleanup(t).defer(() => {
    stopping = true
  })

  async function keepKilling(): Promise<void> {
    const lives = randomOf(1)
    for (; !stopping; kills += 1) {
      const { child, serving, exited } = spawnCli(t, ['serve'], settings)
      await serving
      await pause(lives.whole(0, LONGEST_LIFE_MS))
      child.kill('SIGKILL')
      await exited
    }
  }

  /** @returns the name of the copy; there is none if the backup was killed in time */
  async function backUp(file: string): Promise<string | undefined> {
    const { child, exited } = spawnCli(t, ['backup', file], settings)
    if (random.often(0.25)) {
      await pause(random.whole(0, LONGEST_BACKUP_MS))
      child.kill('SIGKILL')
      await exited
      return existsSync(file) ? file : undefined
    }
    const { code, stderr } = await exited
    assert.deepEqual([code, stderr], [0, ''])
    return file
  }

  /** An animal, and its id, of any copy. */
  const copied = new Map<string, string>()
  function assertHolds(file: string, before: Map<string, string>): void {
    const store = new DatabaseSync(file)
    assert.deepEqual(store.prepare('pragma integrity_check').all().map(Object.values), [['ok']], file)
    const rows = store.prepare('select id, name from pet').all()
    store.close()
    const pets = new Map(rows.map(({ id, name }) => [String(name), String(id)]))
    assert.equal(pets.size, rows.length, `${file} has an animal twice`)
    const missing = [...before].filter(([name, id]) => pets.get(name) !== id)
    assert.deepEqual(missing, [], `${file} lacks what was answered before it was begun`)
    for (const [name, id] of pets) {
      assert.equal(copied.get(name) ?? id, id, `${file} has ${name} under another id than the copies before`)
      copied.set(name, id)
    }
  }

  const killing = keepKilling()
  killing.catch(() => undefined)
  await waitFor(t, () => creators.ledger.size > 0)
  let restored = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = new Map(creators.ledger)
    const file = await backUp(join(folder, `copy-${round}.db`))
    if (!file) continue
    restored += 1
    assertHolds(file, before)
    if (round % 10 > 0) continue
    const { serving, child, exited } = spawnCli(t, ['serve'], {
      ...settings,
      PORT: '0',
      DATABASE_URL: `sqlite:${file}`,
    })
    const { lost, wrong, duplicate } = await audit(await serving, key, before)
    assert.deepEqual({ lost, wrong, duplicate }, { lost: [], wrong: [], duplicate: [] })
    child.kill('SIGTERM')
    await exited
  }
  stopping = true
  await killing
  await spawnCli(t, ['serve'], settings).serving
  const ledger = await creators.stop()

  assertNothingLost(await audit(address, key, ledger))
  const never = [...copied].filter(([name, id]) => ledger.get(name) !== id)
  assert.deepEqual(never, [], 'a copy has an animal that nobody was told of')
  const named = readdirSync(folder).filter((name) => name.startsWith('copy-') && name.endsWith('.db'))
  assert.equal(named.length, restored)
  reached(
    t,
    `${restored} of ${ROUNDS} backups beside ${kills} kills and ${ledger.size} creates: all whole, 0 missing`,
  )
})
