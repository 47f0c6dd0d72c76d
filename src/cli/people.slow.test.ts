import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { addPeople, erase } from '../testing/people.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'
import { storedBytes } from '../testing/stored-bytes.ts'

test('people erase on SQLite while a service runs: waits until it has rewritten the file', async (t) => {
  const databaseUrl = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const app = await startApp(t, {
    databaseUrl,
    key: UNLIMITED,
    now: Date.now(),
    steady: () => performance.now(),
  })
  await addPeople(app)

  const { code, stdout } = await erase(t, databaseUrl)

  assert.deepEqual([code, stdout.split(';')[0]], [0, 'erased 1 order and 3 applications'])
  assert.doesNotMatch(await storedBytes(databaseUrl), /Ada[ .]Asker/i)
})
