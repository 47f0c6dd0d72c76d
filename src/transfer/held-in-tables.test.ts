import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { BY_ID, importText, lines, openStore } from '../testing/import-lines.ts'
import { makeKey, scratchStore } from '../testing/start-app.ts'

// Shelters mark animals that are not for adoption in many ways. None of these animals may be published.

const TABLE = { format: 'csv', guessesColumns: true, keyId: 1, clock: () => Date.UTC(2026, 10, 23) } as const

async function start(t: TestContext) {
  const url = scratchStore(t)
  await makeKey(url)
  return openStore(t, url)
}

/** The status of each animal in the store; null for one that is not published. */
async function statusesOf({ db }: Awaited<ReturnType<typeof start>>) {
  const pets = await db.selectFrom('pet').select(['name', 'status']).orderBy('id').execute()
  return Object.fromEntries(pets.map(({ name, status }) => [name, status]))
}

const FIRST = 'Name,Species,Status'

/** Tables with further columns, each with a line of an animal and the status that it must get. */
const TABLES: [headings: string, ...rows: [cells: string, status: string | null][]][] = [
  [
    `${FIRST},On Hold,Quarantine,Date of death`,
    ['Ada,Dog,Available,Yes,,', null],
    ['Ben,Dog,Available,,2026-11-01,', null],
    ['Cleo,Dog,Available,No,no,2026-11-20', null],
    ['Dora,Dog,Available,No,0,N/A', 'available'],
    ['Emil,Dog,Available,,,0000-00-00', 'available'],
    ['Fred,Dog,Adopted,Yes,,', 'sold'],
    ['Gina,Dog,Adoption pending,maybe,,', null],
  ],
  [
    `${FIRST},Available for adoption`,
    ['Ada,Dog,Available,No', null],
    ['Ben,Dog,Available,Yes', 'available'],
    ['Cleo,Dog,Available,', 'available'],
    ['Dora,Dog,Medical hold,Yes', null],
    ['Emil,Dog,Available,after spay', null],
    ['Gina,Dog,Available,0', null],
    ['Fred,Dog,Adopted,No', 'sold'],
  ],
  ['Name,Species,Adoptable', ['Ada,Dog,yes', null], ['Ben,Dog,0', null]],
  // Without a status, animals of any outcome are imported, but none is published.
  ['Name,Species,outcome_type', ['Ada,Dog,Adoption', null], ['Ben,Dog,Died', null]],
  [
    'Nombre,Especie,Estado,En cuarentena,Fecha de fallecimiento',
    ['Ada,Perro,Disponible,sí,', null],
    ['Ben,Perro,Disponible,no,', 'available'],
    ['Cleo,Perro,Disponible,no,3/11/2026', null],
  ],
  // Two columns with the status.
  [
    'Name,Species,Status,Status',
    ['Ada,Dog,Available,Bite hold', null],
    ['Ben,Dog,Available,available', 'available'],
  ],
  [
    'name,category,status,Estado',
    ['Ada,Dog,available,Cuarentena', null],
    ['Ben,Dog,available,', 'available'],
  ],
]

for (const [headings, ...rows] of TABLES)
  test(`an animal that the table marks as not for adoption is not published: ${headings}`, async (t) => {
    const store = await start(t)
    await importText(store, [headings, ...rows.map(([cells]) => cells), ''].join('\n'), TABLE)
    const right = rows.map(([cells, status]) => [cells.split(',', 1)[0], status])
    assert.deepEqual(await statusesOf(store), Object.fromEntries(right))
  })

test('a mark in a later file takes the animal off the public pages', async (t) => {
  const store = await start(t)
  const options = { ...TABLE, idColumn: 'no', update: true }
  await importText(store, 'no,Name,Species,Status\n1,Rex,Dog,available\n2,Ada,Dog,available\n', options)
  assert.deepEqual(await statusesOf(store), { Rex: 'available', Ada: 'available' })
  const later = 'no,Name,Species,Adoptable,Hold\n1,Rex,Dog,0,\n2,Ada,Dog,yes,court\n'
  assert.equal((await importText(store, later, options)).takenOff, 2)
  assert.deepEqual(await statusesOf(store), { Rex: null, Ada: null })
})

test('NDJSON: a status that is not valid refuses the line and takes the animal off the public pages', async (t) => {
  const store = await start(t)
  const rex = { id: 1, name: 'Rex', category: 'Dog', status: 'available' }
  await importText(store, lines(rex), BY_ID)
  for (const status of ['Medical hold', 'unlisted', 5]) {
    const { takenOff, refused } = await importText(store, lines({ ...rex, status }), BY_ID)
    assert.deepEqual([takenOff, refused], [1, 1], String(status))
    assert.deepEqual(await statusesOf(store), { Rex: null })
    await importText(store, lines(rex), BY_ID)
  }
})

test('a column named "Type" may have the kind of intake, next to a column with the species', async (t) => {
  const store = await start(t)
  const file = 'Name,Type,Species,Status\nRex,Stray,Dog,Available\nKiwi,Bird,Cockatiel,Available\n'
  assert.equal((await importText(store, file, TABLE)).added, 2)
})
