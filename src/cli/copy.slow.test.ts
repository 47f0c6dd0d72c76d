import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { compareStores, copyStore } from '../db/copy.ts'
import { fileOf } from '../db/store-url.ts'
import { cleanup } from '../testing/cleanup.ts'
import { copy, copyArguments, isLine, largeStore, otherStore, scratchFile } from '../testing/copies.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { spawnCli } from '../testing/process.ts'
import { startApp } from '../testing/start-app.ts'

test('copy killed repeatedly: resumes each time, and the copy equals the source', async (t) => {
  // Enough rows that the copy is killed before it finishes, even on a fast machine.
  const from = await largeStore(t, 20_000)
  const through = await scratchDatabase(t)
  const to = scratchFile(t)
  const watcher = new pg.Client({ connectionString: through })
  await watcher.connect()
  cleanup(t).defer(() => watcher.end())
  const animals = async () => Number((await watcher.query('select count(*) from pet')).rows[0].count)

  for (const least of [1, 3_000]) {
    const { child, exited } = spawnCli(t, copyArguments({ from, to: through }), {})
    while (child.exitCode === null && (await animals()) < least);
    child.kill('SIGKILL')
    assert.equal((await exited).code, null)
    const there = await animals()
    assert.ok(there >= least && there < 18_000 && there % 1_000 === 0, `${there} animals`)
  }
  await assert.rejects(copy({ from: through, to }), /is an unfinished copy itself/)
  await assert.rejects(
    copy({ from: await otherStore(t), to: through }),
    /contains an unfinished copy of another store/,
  )
  const steps: [string, number, number][] = []
  const { equal } = await copyStore({ from, to: through }, (...step) => steps.push(step))
  assert.equal(equal, true)
  const [[, resumedAt = 0, total] = []] = steps
  assert.ok(resumedAt > 3_000, `it resumed after ${resumedAt} rows`)
  assert.deepEqual(
    steps.findLast(([step]) => step === 'copying'),
    ['copying', total, total],
  )

  for (const killedAfterMs of [350, 800]) {
    const { child, exited } = spawnCli(t, copyArguments({ from: through, to }), {})
    setTimeout(() => child.kill('SIGKILL'), killedAfterMs)
    await exited
  }
  assert.equal((await copy({ from: through, to })).equal, true)
  assert.ok((await compareStores({ from, to })).every((table) => table.equal))
})

test('copy from or to a store with a running service: is refused', async (t) => {
  const stores = [scratchFile(t), await scratchDatabase(t)]
  for (const databaseUrl of stores) await startApp(t, { databaseUrl })
  const [file = '', database = ''] = stores
  const [idle, idleDatabase] = [await largeStore(t, 10), await scratchDatabase(t)]

  const refused = [
    { from: database, to: scratchFile(t) },
    { from: await largeStore(t, 10), to: database },
  ].map((stores) => assert.rejects(copy(stores), isLine(/another adoptable uses it; stop that first/)))
  // In a separate process: closing any handle of the file in this process would release SQLite's locks.
  for (const stores of [
    { from: file, to: idleDatabase },
    { from: idle, to: file },
  ]) {
    const { code, stdout, stderr } = await spawnCli(t, copyArguments(stores), {}).exited
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^adoptable: [^\n]*test\.db: another adoptable serves it; stop that first\n$/)
  }
  await Promise.all(refused)

  // Another program, not a service, that could also change rows.
  using other = new DatabaseSync(fileOf(idle))
  other.exec('select count(*) from pet')
  await assert.rejects(
    copy({ from: idle, to: idleDatabase }),
    /test\.db: another process uses it; stop that first/,
  )
})
