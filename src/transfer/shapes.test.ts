import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'
import type { Options } from './import.ts'

const OPTIONS: Partial<Options> = { idColumn: undefined, update: false, guessesColumns: true }

/** The rows of files, and the names of the animals in them. */
const SHAPES: Record<string, [rows: string[], names: string[]]> = {
  'blank rows': [
    ['name,category,status', 'Ada,Dog,available', ...Array(100).fill(',,'), ' , ,', 'Ben,Cat,available'],
    ['Ada', 'Ben'],
  ],
  'short rows': [
    ['name,category,status', 'Ada,Dog,available', 'Ben,Cat', 'Cleo,Dog'],
    ['Ada', 'Ben', 'Cleo'],
  ],
  'a separator line': [['sep=;', 'name;category;status', 'Ada, the dog;Dog;available'], ['Ada, the dog']],
  'a separator line in quotes': [['"sep=|"', 'name|category', 'Ada|Dog'], ['Ada']],
  'titles and totals': [
    ['Happy Tails,,', 'printed 11/20/2026,,', ',,', 'Animal Name,Species,Status', 'Ada,Dog,x', 'Total,1,'],
    ['Ada'],
  ],
  'a title alone in its line': [['Happy Tails', '', 'Nombre;Especie', 'Ada;Dog', 'Total: 1'], ['Ada']],
  'columns without headings': [
    ['name,category,,,', 'Ada,Dog,,,', 'Ben,Cat,,,,,,'],
    ['Ada', 'Ben'],
  ],
  'vertical lines': [['name|category', 'Ada|Dog'], ['Ada']],
  'a section for each kind, and a note': [
    [
      'DOGS,,',
      'Name,Type,Status',
      'Ada,Dog,',
      'Cats,,',
      'Name,Type,Status',
      'Ben,Cat,',
      '* adopted ones not shown,,',
    ],
    ['Ada', 'Ben'],
  ],
  'secciones y totales': [
    ['Refugio;;', 'Nombre;Especie', 'Ada;Perra', 'Gatos en adopción;', 'Ben;Gato', 'Total animales;2'],
    ['Ada', 'Ben'],
  ],
  'headings in any case': [['NAME\tCategory', 'Ada\tDog'], ['Ada']],
}

test('spreadsheets with titles, totals, blank or short rows and unnamed columns are read correctly', async (t) => {
  const importText = await openForFiles(t, 'own')
  const earlierIds = new Set<string>()
  for (const [shape, [rows, names]] of Object.entries(SHAPES)) {
    const { added, refused, animals } = await importText(rows.join('\r\n'), 'csv', {
      ...OPTIONS,
      again: true,
    })
    assert.deepEqual([added, refused], [names.length, []], shape)
    const ours = animals.filter(({ id }) => !earlierIds.has(id))
    assert.deepEqual(
      ours.map(({ name }) => name),
      names,
      shape,
    )
    for (const { id } of animals) earlierIds.add(id)
  }
})

test('a row with the heading `name` is the heading row, even if another row has more known words', async (t) => {
  const importText = await openForFiles(t, 'own')
  const rows = ['Happy Tails,November,', 'name,Zustand,Ort', 'Ada,gut,Bonn', 'Bio,Story,Age']
  const { animals, refused } = await importText(rows.join('\n'), 'csv', { ...OPTIONS, category: 'Dog' })
  assert.deepEqual([animals.map(({ name }) => name), refused], [['Ada', 'Bio'], []])
})

test('headings that any table may have do not make a file an export of a program', async (t) => {
  const importText = await openForFiles(t, 'own')
  const file = 'Animal ID,Name,Species,Status,Kids OK\nA1,Ada,Dog,Available,yes\n'
  const { animals } = await importText(file, 'csv', OPTIONS)
  assert.deepEqual([animals[0].externalId, animals[0].goodWith], ['A1', { children: true }])
})

test('two lists side by side are refused, and other repeated columns are reported', async (t) => {
  const importText = await openForFiles(t, 'own')
  const lists = 'Name,Species,Age,,Name,Species,Age\nAda,Dog,2 years,,Tom,Cat,1 year\n'
  await assert.rejects(importText(lists, 'csv', OPTIONS), /two columns named Name/)
  const file = 'Name,Species,Age,Age\nAda,Dog,2 years,1 year\n'
  const { animals, leftOut } = await importText(file, 'csv', OPTIONS)
  assert.deepEqual([animals[0].birthDate, leftOut], ['2024-11-23', { 'Age (column 4)': 1 }])
})

test('two columns fill one list; a longer row is refused', async (t) => {
  const importText = await openForFiles(t, 'own')
  const file = [
    'Animal Name,Species,Primary Color,Secondary Color,Notes,Staff notes',
    'Ada,Dog,Black,White,House trained,Likes walks',
    'Ben,Cat,,Orange,,',
    'Cleo,Cat,Black,,,,more',
  ]
  const { animals, refused } = await importText(file.join('\n'), 'csv', OPTIONS)
  assert.deepEqual(
    animals.map(({ colors, staff }) => [colors, staff?.notes]),
    [
      [['Black', 'White'], 'House trained\nLikes walks'],
      [['Orange'], undefined],
    ],
  )
  assert.deepEqual(
    refused.map(({ line }) => line),
    [4],
  )
})

test('numbers that Excel has damaged are left out and reported, or restored', async (t) => {
  const importText = await openForFiles(t, 'own')
  const file = [
    'Animal Name,Species,Microchip,City,State or region,Zip,Animal ID',
    'Ada,Dog,9.85112E+14,Boston,MA,2108,A1',
    'Ben,Dog,985112000000000,Boston,MA,02108-1234,9.1E+09',
    'Cleo,Dog,985112004567890,,NJ,7030,A3',
    'Dora,Dog,,Sydney,NSW,2000,A4',
    // A ZIP code of post-office boxes, a territory, and a ZIP code of another state.
    'Emil,Dog,0,Boston,MA,2101,A5',
    'Fay,Dog,No,San Juan,PR,907,A6',
    'Gus,Dog,9.85112E14,Boston,MA,9999,A7',
  ]
  const { animals, notes, notUnderstood } = await importText(file.join('\n'), 'csv', OPTIONS)
  assert.deepEqual(
    animals.map(({ externalId, place, staff }) => [externalId, place.postcode, staff?.microchip]),
    [
      ['A1', '02108', undefined],
      [undefined, '02108-1234', undefined],
      ['A3', undefined, '985112004567890'],
      ['A4', '2000', undefined],
      ['A5', '02101', undefined],
      ['A6', '00907', undefined],
      ['A7', undefined, undefined],
    ],
  )
  assert.deepEqual(notUnderstood, [
    { line: 2, column: 'staff.microchip', value: '9.85112E+14' },
    { line: 3, column: 'externalId', value: '9.1E+09' },
    { line: 3, column: 'staff.microchip', value: '985112000000000' },
    { line: 4, column: 'place.postcode', value: '7030' },
    { line: 8, column: 'staff.microchip', value: '9.85112E14' },
    { line: 8, column: 'place.postcode', value: '9999' },
  ])
  assert.deepEqual(
    notes?.find(({ code }) => code === 'repaired_postcode'),
    { code: 'repaired_postcode', count: 3, lines: [2, 6, 7] },
  )

  const byId = { ...OPTIONS, idColumn: 'Animal ID', update: true }
  const { refused } = await importText('Animal Name,Species,Animal ID\nAda,Dog,9.1E+09', 'csv', byId)
  assert.match(refused[0]?.reason ?? '', /A spreadsheet program has shortened this number/)
})

test('texts that another program damaged are imported unchanged, and reported', async (t) => {
  const importText = await openForFiles(t, 'own')
  const { animals, notes } = await importText(
    'name,category\nChloÃ©,Dog\nJosâ\u0080\u0099,Cat\n',
    'csv',
    OPTIONS,
  )
  assert.deepEqual(
    animals.map(({ name }) => name),
    ['ChloÃ©', 'Josâ'],
  )
  assert.deepEqual(notes, [{ code: 'mojibake', count: 2, lines: [2, 3], example: 'ChloÃ©' }])
})
