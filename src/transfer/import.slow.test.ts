import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { sampleAnimals } from '../cli/sample.ts'
import { importText, openStore, type Store } from '../testing/import-lines.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { scratchStore } from '../testing/start-app.ts'
import { exportAnimals } from './export.ts'

const exported = (store: Store, format: 'csv' | 'ndjson' = 'csv') =>
  text(Readable.from(exportAnimals(store.db, format)))

test('an export from SQLite imported to PostgreSQL gives the same export again, and a copy keeps the sources', async (t) => {
  const [file, database] = [await openStore(t, scratchStore(t)), await openStore(t, await scratchDatabase(t))]
  const sample = [...sampleAnimals(2_500)].join('')
  const clock = () => Date.UTC(2026, 10, 1)
  assert.equal(sample, [...sampleAnimals(2_500)].join(''))
  assert.deepEqual([(await importText(file, sample, { clock })).added], [2_500])

  const all = await exported(file, 'ndjson')
  assert.equal((await importText(database, all, { clock })).added, 2_500)
  assert.equal(await exported(database, 'ndjson'), all)
  const csv = await exported(database)
  const other = await openStore(t, scratchStore(t))
  assert.equal((await importText(other, csv, { format: 'csv', idColumn: 'id', clock })).added, 2_500)
  assert.equal(await exported(other), csv)
})
