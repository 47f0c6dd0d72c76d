import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileOf } from '../../src/db/store-url.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from '../lab/creators.ts'
import { repeat, waitFor } from '../lab/parallel.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { newService, type Service, startService } from '../lab/service.ts'
import { assertSound, SHARED_FILE } from '../lab/stores.ts'

const ROUNDS = rounds(20)
const LONGEST_LIFE_MS = 800
/** Some backups are killed, at any moment of theirs. */
const LONGEST_BACKUP_MS = 600
/** Fewer clients than elsewhere: what is copied is to grow, and not to fill the disk. */
const CALM = { clients: 8, pauseMs: 5 }
/** Requests a minute of a free key. */
const FREE = 60

test('a backup beside creates and kill -9 is a store with every animal answered before it began, or is not there', async (t) => {
  const random = randomOf()
  const folder = scratchFolder(t)
  const service = await newService(t)
  const creators = startCreators(t, service, CALM)

  /** @returns the name of the copy; there is none if the backup was killed in time */
  async function backUp(file: string): Promise<string | undefined> {
    const { child, exited } = spawnCli(t, ['backup', file], service.settings)
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
    assertSound(`sqlite:${file}`)
    const store = new DatabaseSync(file)
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

  let kills = 0
  const lives = randomOf(1)
  const killing = repeat(1, async () => {
    t.signal.throwIfAborted()
    await service.start()
    await pause(lives.whole(0, LONGEST_LIFE_MS))
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
    assertHolds(file, before)
    if (round % 10 > 0) continue
    const copy = await startService(t, { settings: { DATABASE_URL: `sqlite:${file}` }, key: false })
    const { unknown, ...found } = await audit({ address: copy.address, key: service.key }, before)
    assert.deepEqual(found, { lost: [], wrong: [], duplicate: [] })
    await copy.end('SIGTERM')
  }
  await killing.stop()
  await service.start()
  const ledger = await creators.stop()

  await assertNothingLost(service, ledger)
  const never = [...copied].filter(([name, id]) => ledger.get(name) !== id)
  assert.deepEqual(never, [], 'a copy has an animal that nobody was told of')
  const named = readdirSync(folder).filter((name) => name.startsWith('copy-') && name.endsWith('.db'))
  assert.equal(named.length, restored)
  const beside = `${kills} kills and ${ledger.size} creates`
  reached(t, `${restored} of ${ROUNDS} backups beside ${beside}: all whole, 0 missing`)
})

test('a store and what is restored from its backups in the same Redis count apart', {
  skip: SHARED_FILE.skip,
}, async (t) => {
  const random = randomOf(2)
  const folder = scratchFolder(t)
  const settings = { ...(await SHARED_FILE.open(t)), BAN_AFTER_REFUSALS: '3' }
  const store = await newService(t, { settings, key: { plan: 'free' } })
  const spend = async ({ address }: Service): Promise<number> => {
    let served = 0
    for (let sent = 0; sent < FREE + 10; sent += 1) {
      const headers = { authorization: `Bearer ${store.key}` }
      if ((await fetch(`${address}/v1/pets`, { headers })).status === 200) served += 1
    }
    return served
  }
  let restored = 0
  for (; restored < Math.ceil(ROUNDS / 10); restored += 1) {
    const backup = join(folder, `restored-${restored}.db`)
    await store.start()
    assert.equal((await spawnCli(t, ['backup', backup], store.settings).exited).code, 0)
    if (random.often(0.5)) {
      const DATABASE_URL = `sqlite:${backup}`
      const copy = await startService(t, { settings: { ...settings, DATABASE_URL }, key: false })
      assert.equal(await spend(copy), FREE)
      await copy.end('SIGTERM')
    }
    assert.equal(await spend(store), FREE, 'a copy has used up what its store may serve')
    await store.end('SIGTERM')
    // For the next round: in the place of the store, where the key would be banned.
    copyFileSync(backup, fileOf(settings.DATABASE_URL))
  }
  reached(t, `${restored} restored: each counts on its own`)
})
