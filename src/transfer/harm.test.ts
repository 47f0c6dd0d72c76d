import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { BY_ID, importText, lines, openStore } from '../testing/import-lines.ts'
import { makeKey, scratchFolder } from '../testing/start-app.ts'
import { createTableMapping } from './mappings/chosen.ts'

const CSV = { format: 'csv', keyId: 1, clock: () => Date.UTC(2026, 10, 23) } as const

async function start(t: TestContext) {
  const url = `sqlite:${join(scratchFolder(t), 'test.db')}`
  await makeKey(url)
  return openStore(t, url)
}

const statusesOf = async ({ db }: Awaited<ReturnType<typeof start>>): Promise<unknown[]> =>
  (await db.selectFrom('pet').select(['name', 'status']).orderBy('id').execute()).map(({ status }) => status)

test('a dead animal that only its number identifies is no longer published', async (t) => {
  const store = await start(t)
  const file = 'name,externalId,category,status\nRex,A1,Dog,available\nMax,A2,Dog,available\n'
  await importText(store, file, CSV)
  const headings = ['name', 'externalId', 'category', 'status']
  const mapping = createTableMapping(headings, { columns: new Map(), id: 1 })
  const byNumber = { mapping, idColumn: mapping.idColumn, update: true, source: 'animals' }
  await importText(store, file.replace('A1,Dog,available', 'A1,Dog,Deceased'), { ...CSV, ...byNumber })
  assert.deepEqual(await statusesOf(store), [null, 'available'])
})

test('an animal on hold is no longer published, although its line is refused for its kind', async (t) => {
  const store = await start(t)
  const file = 'no,name,category,status\n1,Rex,Dog,available\n'
  const options = { ...CSV, guessesColumns: true, idColumn: 'no', update: true }
  await importText(store, file, options)
  const { refused } = await importText(store, file.replace('Dog,available', 'Dogg,Rabies hold'), options)
  assert.equal(refused, 1)
  assert.deepEqual(await statusesOf(store), [null])
})

test('null for a member with several answers withdraws all of them', async (t) => {
  const store = await start(t)
  const rex = { id: 1, name: 'Rex', category: 'Dog', goodWith: { children: true, dogs: true, cats: true } }
  await importText(store, lines(rex), BY_ID)
  const { withdrawn } = await importText(store, lines({ ...rex, goodWith: null }), BY_ID)
  assert.equal(Object.keys(withdrawn ?? {}).length, 3)
})
