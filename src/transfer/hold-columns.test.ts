import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'
import { createTableMapping } from './mappings/chosen.ts'

// Columns that say that an animal is held, has died or has left, whatever its status.

const OPTIONS = { idColumn: undefined, update: false, guessesColumns: true, again: true }

/** A heading, values that hold an animal back, and values that do not. */
const COLUMNS: [heading: string, holds: string[], others: string[]][] = [
  ['Hold Reason', ['Bite quarantine', 'Stray hold', '12/05/2026'], ['', 'none', 'N/A', 'no']],
  ['Quarantine', ['Yes', '?'], ['No', '0']],
  ['Date of death', ['11/15/2026'], ['', '00/00/0000']],
  ['Outcome Type', ['Transfer', 'Return to Owner', 'Adoption'], ['']],
  ['Adoptable', ['No', 'not yet'], ['Yes', '']],
  ['Show on website', ['No'], ['Yes']],
  ['Cuarentena', ['Sí'], ['No']],
  ['Fecha de fallecimiento', ['02/11/2026'], ['']],
  ['Reservado', ['Sí'], ['No']],
  ['Adoption date', ['11/15/2026'], ['']],
  ['Exit date', ['11/15/2026'], ['']],
  ['Returned to owner', ['Yes'], ['No']],
  ['Legal', ['Case 12'], ['']],
  ['Missing', ['Yes'], ['No', '']],
  ['Availability', ['Not yet', '12/24/2026'], ['Yes', 'Available', '']],
  ['In care', ['No'], ['Yes']],
  // The heading says nothing about a hold, but the value does.
  ['Remark', ['Bite case', 'Rabies suspect', 'Held for court', 'Do not adopt'], ['Loves to be held']],
  ['Kennel', ['Quarantine 4'], ['Q4', 'Household']],
  ['Tags', ['do not adopt'], ['house trained']],
  ['Current state', ['Adopted', 'Not available'], ['Available', 'No bite history']],
  ['Rabies vaccine', [], ['11/15/2026', 'Yes']],
  ['Intake reason', [], ['Owner deceased', 'Confiscated']],
]

test('a hold, a death or a "no" outside the status column keeps an animal unpublished', async (t) => {
  const read = await openForFiles(t, 'own')
  for (const [heading, holds, others] of COLUMNS) {
    const rows = [...holds, ...others].map((value, index) => `${heading} ${index},Dog,Available,${value}`)
    const file = `Name,Species,Status,${heading}\n${rows.join('\n')}\n`
    const { animals, statuses, leftOut, refused } = await read(file, 'csv', OPTIONS)
    const ours = animals.filter(({ name }) => name.startsWith(heading))
    assert.deepEqual(
      ours.map(({ status }) => status),
      [...holds.map(() => undefined), ...others.map(() => 'available')],
      heading,
    )
    assert.deepEqual([Object.keys(leftOut).filter((name) => name !== heading), refused], [[], []], heading)
    const words = statuses?.flatMap(({ word, known }) => (word.includes(heading) && !known ? word : []))
    assert.equal(words?.length !== 0, holds.length > 0, heading)
  }
  const { refused, animals } = await read(
    'Name,Species,Status,Deceased\nGus,Dog,Available,Yes\nSue,Dog,Adopted,\n',
    'csv',
    OPTIONS,
  )
  assert.deepEqual([refused.map(({ reason }) => reason), animals.at(-1).status], [['It has died.'], 'sold'])
})

test('the name of an adopter keeps the animal unpublished, and is not in the report', async (t) => {
  const file = 'Name,Species,Status,Adopter\nRex,Dog,Available,Jane Doe\n'
  const { statuses } = await (await openForFiles(t, 'own'))(file, 'csv', OPTIONS)
  assert.deepEqual(
    statuses?.map(({ word, result }) => [word, result]),
    [['Available, Adopter', 'unlisted']],
  )
})

test('a hold outside the status counts in files of Shelterluv and Petfinder too', async (t) => {
  const luv = await openForFiles(t, 'shelterluv')
  const held = [{ Attributes: [{ AttributeName: 'Bite quarantine', Publish: 'No' }] }, { Hold: 'court' }]
  const free = [{ Attributes: [{ AttributeName: 'No bite history', Publish: 'No' }] }, {}]
  const animals = [...held, ...free, { CurrentLocation: { Tier1: 'Isolation', Tier2: 'Quarantine 2' } }].map(
    (more, ID) => ({ ID, Name: 'Rex', Type: 'Dog', Status: 'Available', ...more }),
  )
  const read = await luv(JSON.stringify({ animals }), 'json')
  assert.deepEqual(
    read.animals.map(({ status }) => status),
    [undefined, undefined, 'available', 'available', undefined],
  )
  const rows = ['1,Rex,Dog,A,calm,', '2,Ben,Dog,A,do not adopt,', '3,Max,Dog,A,,Bite']
  const file = ['ID,AnimalName,Type,Status,tags,Hold', ...rows].join('\n')
  assert.deepEqual(
    (await (await openForFiles(t, 'petfinder'))(file, 'csv')).animals.map(({ status }) => status),
    ['available', undefined, undefined],
  )
})

test('a hold in either of two status columns keeps the animal unpublished', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = ['Rex,Dog,Available,Medical Hold', 'Max,Dog,Available,In shelter', 'Tom,Dog,,Available']
  const { animals } = await read(['Name,Species,Status,Adoption Status', ...rows].join('\n'), 'csv', OPTIONS)
  assert.deepEqual(
    animals.map(({ status }) => status),
    [undefined, 'available', 'available'],
  )
})

test('without --update, the newest of two lines with one number and name counts', async (t) => {
  const rows = ['A1,Rex,Dog,Available,2024-01-02', 'A1,Rex,Dog,Medical hold,2026-02-03']
  const file = (lines: string[]) =>
    [
      'Animal ID,Name,Species,Status,Intake date',
      ...lines,
      '-,Ada,Dog,Available,',
      '-,Ada,Dog,Available,',
    ].join('\n')
  for (const lines of [rows, rows.toReversed()]) {
    const { animals, refused, notes } = await (await openForFiles(t, 'own'))(file(lines), 'csv', OPTIONS)
    assert.deepEqual(
      animals.map(({ name, status }) => [name, status]),
      [
        ['Rex', undefined],
        ['Ada', 'available'],
        ['Ada', 'available'],
      ],
    )
    assert.deepEqual([refused, notes?.some(({ code }) => code === 'repeated_id')], [[], true])
  }
})

test('a cell below an empty heading is reported, and may say that the animal is held', async (t) => {
  const file = 'Name,Species,Status,\nRex,Dog,Available,Bite hold\nAda,Dog,Available,\n'
  const { animals, leftOut } = await (await openForFiles(t, 'own'))(file, 'csv', OPTIONS)
  assert.deepEqual(
    [animals.map(({ status }) => status), leftOut],
    [[undefined, 'available'], { 'column 4': 1 }],
  )
})

test('the console reads a hold also in a column for which no field was chosen', async (t) => {
  const read = await openForFiles(t, 'own')
  const headings = ['Name', 'Species', 'Status', 'Quarantine', 'Shoe size']
  const columns = new Map(['name', 'category', 'status'].map((name, index) => [index, name]))
  const mapping = createTableMapping(headings, { columns, id: undefined })
  const file = `${headings.join(',')}\nRex,Dog,Available,Yes,4\nMax,Dog,Available,No,4\nTom,Dog,Available,,Bite hold\n`
  const { animals, leftOut } = await read(file, 'csv', { ...OPTIONS, guessesColumns: false, mapping })
  assert.deepEqual([animals.map(({ status }) => status), leftOut], [[undefined, 'available', undefined], {}])
})
