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
  ['Transfer to', ['Boulder HS'], ['']],
  ['Transport date', ['12/05/2026'], ['']],
  ['Rescue Tag', ['Lucky Paws'], ['']],
  ['Pull date', ['12/01/2026'], ['']],
  ['Hold expires', ['12/05/2026', 'Yes'], ['11/01/2026', '']],
  ['Stray hold end', ['12/05/2026'], ['11/01/2026']],
  ['Returned to owner', ['Yes'], ['No']],
  ['Legal', ['Case 12'], ['']],
  ['Missing', ['Yes'], ['No', '']],
  ['Availability', ['Not yet', '12/24/2026'], ['Yes', 'Available', '']],
  ['In care', ['No'], ['Yes']],
  ['In Custody', ['No', 'Police'], ['Yes', '']],
  ['Current Foster/Adopter', [], ['Jane Doe', '']],
  [
    'Available from',
    ['2030-01-01', '01/02/2030', 'June 2030', 'after spay'],
    ['2026-11-23', '01/02/2026', 'Yes', 'now', ''],
  ],
  ['Ready date', ['12/24/2026'], ['10/24/2026']],
  ['Available until', ['2026-11-01'], ['2030-01-01']],
  ['Disponible desde', ['2030-01-01'], ['2026-01-31']],
  ['Publish', ['N', 'No', '0', 'false'], ['Y', '']],
  ['Publish at', ['2030-01-01 10:00'], ['2026-01-01 10:00']],
  ['Web', ['No', 'N', 'false', '0', 'off'], ['Yes', '1', 'https://rex.example', '48000', '']],
  ['Public profile', ['no', 'hidden'], ['yes', 'Loves naps']],
  ['Display fee', [], ['No']],
  ['Do not publish', ['Yes'], ['No']],
  ['Do Not Sync', ['Yes'], ['No']],
  ['animalAllowExport', ['No'], ['Yes', '']],
  ['animalKillDate', ['11/15/2026'], ['']],
  ['animalAdoptionPending', ['Yes'], ['No']],
  ['Hide from website', ['Yes'], ['No']],
  [
    'Medical Status',
    ['Sick', 'Quarantine', 'In isolation', 'Not cleared', 'in ICU'],
    ['Healthy', 'Not sick', 'Fixed'],
  ],
  ['Estado de salud', ['Enfermo'], ['Sano']],
  ['Vet', ['Parvo', 'In hospital'], ['Harbour Animal Hospital', 'Distemper/Parvo vaccine', 'Parvo neg']],
  ['Intake condition', [], ['Sick']],
  ['Outcome', ['Passed', 'Passed 2026-11-03'], ['']],
  ['Current status', ['Passed', 'Passed 11/3/2026', 'Sick'], ['Available']],
  ['Temperament test status', [], ['Passed', 'Passed 2026-11-03']],
  // The heading says nothing about a hold, but the value does.
  ['Remark', ['Bite case', 'Rabies suspect', 'Held for court', 'Do not adopt'], ['Loves to be held']],
  ['Kennel', ['Quarantine 4'], ['Q4', 'Household']],
  ['Tags', ['do not adopt'], ['house trained']],
  ['Current state', ['Adopted', 'Not available'], ['Available', 'No bite history']],
  ['Rabies vaccine', [], ['11/15/2026', 'Yes']],
  ['Intake reason', [], ['Owner deceased', 'Confiscated']],
  ['Days in custody', [], ['23']],
  ['Days in our care', [], ['0', '23']],
  ['Días en el refugio', [], ['0', '23']],
  ['Impound Number', [], ['K26-000001']],
  ['Hold until', ['12/24/2026'], ['01/24/2026']],
  ['Rescue only', ['X'], ['No']],
  ['Dangerous dog', ['Yes'], ['No']],
  ['isquarantine', ['1'], ['0']],
  ['deceaseddate', ['2026-11-01 00:00:00'], ['']],
  ['Run', ['Iso 3', 'ISO-4', 'Isolation 2'], ['Isabella 3']],
  ['Chip type', [], ['ISO', 'ISO 11784']],
  ['Placement', ['Rescue only'], ['Rescue']],
  ['Cleared for adoption', ['No', 'pending'], ['Yes', '']],
  ['Apto para adopción', ['No'], ['Sí']],
  ['Adoptable (sí/no)', ['no'], ['sí']],
  ['Se puede adoptar', ['No'], ['Sí']],
  ['Still in care', ['No'], ['Yes', 'since May']],
  ['Petfinder', ['No'], ['Yes', '48000123']],
  ['Fecha de baja', ['12/11/2026'], ['']],
  ['Motivo de baja', ['Adopción'], ['']],
  ['Archivado', ['Sí'], ['No']],
  ['Caso judicial', ['12/2026'], ['No']],
  ['Ha mordido', ['Sí'], ['No']],
  ['Bite history', ['Level 3', '1'], ['None known', 'None', '0']],
  ['Non-shelter animal', ['Yes'], ['No']],
  ['isnonshelter', ['1'], ['0']],
  ['Record status', ['Archived', 'Deleted'], ['Active', 'Current']],
  ['Final disposition', ['Transfer', 'Reclaimed'], ['']],
  [
    'Sublocation',
    ['Cat ISO', 'Medical Isolation', 'Quar 2', 'Rabies Q', 'Stray Holding', 'Sick ward'],
    ['Q4', 'Quiet room', 'Adoption floor'],
  ],
  ['Ubicación', ['Sala de aislamiento', 'Cuarentena 3'], ['Jaula 3', 'Casa de acogida']],
  [
    'Kennel card',
    ['Has bitten a child', 'Bit a volunteer', 'RTO 11/20', 'Escaped', 'Parvo positive', 'Cannot be adopted'],
    [
      'Never bitten',
      'No known bites',
      "Hasn't bitten anyone",
      'Bit shy',
      'Missing a leg',
      'FIV positive',
      'Adopted siblings',
    ],
  ],
  [
    'Observaciones del equipo',
    ['Ha mordido a un niño', 'Pendiente de juicio', 'Incautado por la policía', 'No dar en adopción'],
    ['Nunca ha mordido', 'Vacuna antirrábica puesta', 'No ha mordido a nadie'],
  ],
]

test('a hold, a death or a "no" outside the status column keeps an animal unpublished', async (t) => {
  const read = await openForFiles(t, 'own')
  for (const [heading, holds, others] of COLUMNS) {
    const rows = [...holds, ...others].map((value, index) => `${heading} ${index},Dog,Available,${value}`)
    const file = `Name,Species,Status,${heading}\n${rows.join('\n')}\n`
    const { animals, statuses, leftOut, refused } = await read(file, 'csv', OPTIONS)
    const ours = animals.filter(
      ({ name }) => name.startsWith(heading) && /^ \d+$/.test(name.slice(heading.length)),
    )
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

test('without --update, the newest of two lines with the same number and name counts', async (t) => {
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

test('the console finds a hold also in a column for which no field was chosen', async (t) => {
  const read = await openForFiles(t, 'own')
  const headings = ['Name', 'Species', 'Status', 'Quarantine', 'Shoe size']
  const columns = new Map(['name', 'category', 'status'].map((name, index) => [index, name]))
  const mapping = createTableMapping(headings, { columns, id: undefined })
  const file = `${headings.join(',')}\nRex,Dog,Available,Yes,4\nMax,Dog,Available,No,4\nTom,Dog,Available,,Bite hold\n`
  const { animals, leftOut } = await read(file, 'csv', { ...OPTIONS, guessesColumns: false, mapping })
  assert.deepEqual([animals.map(({ status }) => status), leftOut], [[undefined, 'available', undefined], {}])
})

test('JSON: a hold, a death or a "no" in any member keeps an animal unpublished, and is reported', async (t) => {
  const rex = {
    ...{ name: 'Rex', category: 'Dog', species: 'Dog', status: 'available' },
    ...{ Name: 'Rex', Type: 'Dog', Status: 'Available' },
    ...{ ANIMALNAME: 'Rex', SPECIESNAME: 'Dog' },
  }
  const held = [
    ...[{ availableFrom: '2030-01-01' }, { availableDate: 1893456000 }, { publish: false }, { web: 'No' }],
    ...[{ show_on_website: 0 }, { medicalStatus: 'Sick' }, { medical: { status: 'Quarantine' } }],
    ...[{ outcome: 'Passed', outcomeDate: '2026-11-03' }, { PUBLISH: 'N' }, { 'Bonded with': 'Luna' }],
  ]
  const free = [
    { availableFrom: '2026-11-23' },
    { publish: true },
    { medicalStatus: 'Healthy' },
    { web: 'Yes' },
  ]
  const animals = [...held, ...free].map((more, index) => ({
    ...{ id: index + 1, ID: index + 1, SHELTERCODE: `D${index + 1}`, ...rex, ...more },
  }))
  const right = [...held.map(() => undefined), ...free.map(() => 'available')]
  for (const from of ['own', 'rescuegroups', 'shelterluv', 'shelter-manager']) {
    const format = from === 'shelterluv' || from === 'shelter-manager' ? 'json' : 'ndjson'
    const file =
      format === 'json' ? JSON.stringify(animals) : animals.map((one) => JSON.stringify(one)).join('\n')
    const done = await (await openForFiles(t, from))(file, format)
    assert.deepEqual(
      done.animals.map(({ status }) => status),
      right,
      from,
    )
    const words = done.statuses?.flatMap(({ word, known }) => (known ? [] : word)) ?? []
    assert.equal(words.length, held.length, words.join('; '))
  }
})

test('JSON: an animal that another member holds is no longer published', async (t) => {
  const read = await openForFiles(t, 'own')
  const rex = { id: 1, name: 'Rex', category: 'Dog', status: 'available' }
  await read(JSON.stringify(rex), 'ndjson')
  const { takenOff, animals } = await read(JSON.stringify({ ...rex, publish: false }), 'ndjson')
  assert.deepEqual([takenOff, animals[0].status], [1, undefined])
})

test('future dates of availability are reported as one status for all animals that wait for them', async (t) => {
  const rows = ['Ada,Dog,Available,2030-01-01', 'Ben,Dog,Available,2031-01-01']
  const file = ['Name,Species,Status,Available from', ...rows].join('\n')
  const { statuses } = await (await openForFiles(t, 'own'))(file, 'csv', OPTIONS)
  assert.deepEqual(
    statuses?.map(({ word, count }) => [word, count]),
    [['Available, Available from: not now', 2]],
  )
})

test('an animal that passed away according to another column is not imported', async (t) => {
  const read = await openForFiles(t, 'own')
  const file = 'Name,Species,Status,Outcome\nAda,Dog,Available,Passed away 2026-11-03\nBen,Dog,Passed,\n'
  const { refused, animals } = await read(file, 'csv', OPTIONS)
  assert.deepEqual([refused.map(({ reason }) => reason), animals], [['It has died.', 'It has died.'], []])
})
