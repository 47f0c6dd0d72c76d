import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { formatLeftOut } from '../cli/import-report.ts'
import { changes } from '../db/change.ts'
import { BY_ID, importText, lines, openStore } from '../testing/import-lines.ts'
import { makeKey, scratchStore } from '../testing/start-app.ts'
import { createTableMapping } from './mappings/chosen.ts'
import { rescueGroups } from './mappings/rescuegroups.ts'
import { shelterManager } from './mappings/shelter-manager.ts'

const CSV = { format: 'csv', keyId: 1, clock: () => Date.UTC(2026, 10, 23) } as const

async function start(t: TestContext) {
  const url = scratchStore(t)
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

test('an animal on hold is no longer published, although its line is refused because of an unknown type', async (t) => {
  const store = await start(t)
  const file = 'no,name,category,status\n1,Rex,Dog,available\n'
  const options = { ...CSV, guessesColumns: true, idColumn: 'no', update: true }
  await importText(store, file, options)
  const { refused } = await importText(store, file.replace('Dog,available', 'Dogg,Rabies hold'), options)
  assert.equal(refused, 1)
  assert.deepEqual(await statusesOf(store), [null])
})

test('an animal that staff have put on hold stays off the pages when a file says that it is available', async (t) => {
  const store = await start(t)
  const rex = { id: 1, name: 'Rex', category: 'Dog', status: 'available' }
  await importText(store, lines(rex), BY_ID)
  const by = { keyId: 1, organizationId: undefined }
  const hold = { staff: { holdReason: 'Bite quarantine' } }
  await store.write(changes.updatePet, hold, { id: 1, by, now: CSV.clock() })
  assert.deepEqual(await statusesOf(store), [null])

  const { leftOut } = await importText(store, lines(rex), BY_ID)

  assert.deepEqual(await statusesOf(store), [null])
  assert.equal(
    formatLeftOut({ leftOut }),
    'not published, because staff have put the animal on hold or recorded its outcome (1)',
  )
  await store.write(changes.updatePet, { status: 'available' }, { id: 1, by, now: CSV.clock() })
  await importText(store, lines(rex), BY_ID)
  assert.deepEqual(await statusesOf(store), ['available'])
})

test('a number that another animal has is left out, and the report says why', async (t) => {
  const store = await start(t)
  const rex = { id: 1, name: 'Rex', species: 'Dog', status: 'Available', rescueId: 'A1' }
  const options = { mapping: rescueGroups, idColumn: 'id' }
  const done = await importText(store, lines(rex, { ...rex, id: 2, name: 'Max' }), options)
  assert.equal(done.added, 2)
  assert.equal(formatLeftOut(done), 'not imported, because another animal has the number: externalId (1)')
})

test('a hold in a file takes an animal off the pages, although its status says that it is available', async (t) => {
  const store = await start(t)
  const rex = { id: 1, name: 'Rex', category: 'Dog', status: 'available' }
  await importText(store, lines(rex), BY_ID)
  const held = { ...rex, staff: { holdReason: 'Bite quarantine' } }
  await importText(store, lines(held, { ...held, id: 2, name: 'Max' }), BY_ID)
  assert.deepEqual(await statusesOf(store), [null, null])
})

test('null for a member with several answers removes all the answers', async (t) => {
  const store = await start(t)
  const rex = { id: 1, name: 'Rex', category: 'Dog', goodWith: { children: true, dogs: true, cats: true } }
  await importText(store, lines(rex), BY_ID)
  const { withdrawn } = await importText(store, lines({ ...rex, goodWith: null }), BY_ID)
  assert.equal(Object.keys(withdrawn ?? {}).length, 3)
})

/** The animals in the store by id. */
const animalsOf = async ({ db }: Awaited<ReturnType<typeof start>>): Promise<string[]> =>
  (await db.selectFrom('pet').select(['name', 'status']).orderBy('id').execute()).map(
    ({ name, status }) => `${name} ${status}`,
  )

const NUMBERED = { ...CSV, guessesColumns: true, idColumn: 'no', update: true }
const tableOf = (...rows: string[]): string => ['no,name,category,status', ...rows, ''].join('\n')

for (const held of ['Rabies hold', 'Deceased'])
  test(`two animals share a number: the one that is "${held}" is no longer published, and the other is added`, async (t) => {
    const store = await start(t)
    await importText(store, tableOf('1,Rex,Dog,Available'), NUMBERED)
    await importText(store, tableOf(`1,REX,Dog,${held}`, '1,Max,Dog,Available'), NUMBERED)
    const [rex = '', max] = await animalsOf(store)
    assert.match(rex, /^rex null$/i)
    assert.equal(max, 'Max available')

    // The numbers of a litter: each animal is recognized by its name, even if it is the only one left.
    const hold = await importText(store, tableOf('1,Max,Dog,Medical hold', '1,Ada,Dog,Available'), NUMBERED)
    assert.deepEqual([hold.added, hold.takenOff], [1, 1])
    await importText(store, tableOf('1,Ada,Dog,Medical hold'), NUMBERED)
    assert.deepEqual(await animalsOf(store), [rex, 'Max null', 'Ada null'])
  })

test('two animals with the same id of another program: the stored animal is never overwritten with the other one', async (t) => {
  const store = await start(t)
  const asm = { ...CSV, mapping: shelterManager, idColumn: 'ANIMALCODE', update: true }
  const file = (...rows: string[]): string =>
    ['ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE,ANIMALHOLD', ...rows].join('\n')
  await importText(store, file('D1,Rex,Dog,,'), asm)
  const { reasons } = await importText(store, file('D1,Rex,Dog,,1', 'D1,Max,Dog,,'), asm)
  assert.deepEqual(await animalsOf(store), ['Rex null'])
  assert.match(reasons.join(), /^3: This id belongs to another animal here, animal 1,/)
})

test('two lines for one animal, without dates: the line that keeps the animal unpublished counts', async (t) => {
  const store = await start(t)
  const available = tableOf('1,Rex,Dog,Available')
  for (const [first, second] of [
    ['Medical hold', 'Available'],
    ['Available', 'Medical hold'],
    ['Deceased', 'Available'],
  ]) {
    await importText(store, available, NUMBERED)
    assert.deepEqual(await animalsOf(store), ['Rex available'])
    await importText(store, tableOf(`1,Rex,Dog,${first}`, `1,Rex,Dog,${second}`), NUMBERED)
    assert.deepEqual(await animalsOf(store), ['Rex null'], `${first}, then ${second}`)
  }
  const dated = (...rows: string[]) => ['no,name,category,status,Intake date', ...rows].join('\n')
  await importText(store, dated('1,Rex,Dog,Available,2026-02-01', '1,Rex,Dog,Hold,2026-01-01'), NUMBERED)
  assert.deepEqual(await animalsOf(store), ['Rex available'], 'the later stay counts')
  await importText(store, dated('1,Rex,Dog,Hold,', '1,Rex,Dog,Available,2026-01-01'), NUMBERED)
  assert.deepEqual(await animalsOf(store), ['Rex null'], 'a line without a date may be the later one')
})

test('a status that is removed from the file takes the animal off the public pages', async (t) => {
  const store = await start(t)
  const file = 'id,name,category,status\n1,Rex,Dog,available\n2,Ada,Cat,sold\n'
  const options = { ...CSV, ...BY_ID, keyId: 1 }
  await importText(store, file, options)
  const without = await importText(store, file.replaceAll(/,status|,available|,sold/g, ''), options)
  assert.equal(without.unchanged, 2, 'a file without this column keeps the status')
  const emptied = await importText(store, file.replaceAll(/available|sold/g, ''), options)
  assert.equal(emptied.takenOff, 1)
  assert.deepEqual(await animalsOf(store), ['Rex null', 'Ada sold'])

  const rex = { id: 3, name: 'Max', category: 'Dog', status: 'available' }
  await importText(store, lines(rex), BY_ID)
  assert.equal((await importText(store, lines({ ...rex, status: null }), BY_ID)).takenOff, 1)
})

test('a line is recognized if columns are moved, or if it comes back from the file of skipped rows', async (t) => {
  const store = await start(t)
  await importText(store, 'name,category,sex\nRex,Dog,male\n', CSV)
  for (const file of [
    'category,sex,name\nDog,male,Rex\n',
    'name,category,sex,Why it was skipped\nRex,Dog,male,It is too old.\n',
    'Por qué se omitió,name,category,sex\nEs demasiado viejo.,Rex,Dog,male\n',
  ])
    assert.equal((await importText(store, file, CSV)).unchanged, 1, file)
})

test('a refused line without an id in a file with ids is reported without an id', async (t) => {
  const store = await start(t)
  const { refusals } = await importText(store, tableOf(',Rex,Dog,Deceased'), NUMBERED)
  assert.deepEqual(
    refusals.map(({ line, id }) => [line, id]),
    [[2, undefined]],
  )
})
