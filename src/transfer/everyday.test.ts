import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'
import { createTableMapping } from './mappings/chosen.ts'
import { readPhotoList } from './photos.ts'

// Files as shelters write them by hand, and open data of a city.

/** A table whose columns a person has chosen. An empty name leaves a column out. */
function tableOf(headings: string, chosen: string, id?: string) {
  const names = headings.split(',')
  const columns = new Map(chosen.split(',').flatMap((name, index) => (name ? [[index, name] as const] : [])))
  const mapping = createTableMapping(names, { columns, id: id === undefined ? undefined : names.indexOf(id) })
  return { mapping, idColumn: mapping.idColumn, update: mapping.idColumn !== undefined, again: true }
}

const JSON_OF = (value: unknown) => JSON.parse(JSON.stringify(value))

test('open data of a city: words for the sex, joined breeds and colors, and animals without a name', async (t) => {
  const read = await openForFiles(t, 'own')
  const head = 'age,animal_id,animal_type,breed,color,dob,name,sex_upon_outcome'
  const table = tableOf(head, 'age,,category,breed.primary,colors,birthDate,,sex', 'animal_id')
  const rows = [
    '3 weeks,A1,Cat,Siamese Mix,Seal Point,2015-05-17,,Unknown',
    '2 years,A2,Dog,Pit Bull Mix,Black/White,2012-03-03,*Seth,Neutered Male',
    '1 year,A3,Dog,Labrador Retriever/Australian Cattle Dog,Black,2015-10-12,* Mia,Spayed Female',
    '6 months,A4,Other,Rabbit Sh Mix,White/Black,2016-03-03,,Intact Female',
    '5 years,A5,Livestock,Miniature,Liver/Cream,2008-09-15,,Intact Male',
  ]
  const { animals, refused, leftOut } = await read([head, ...rows].join('\n'), 'csv', table)

  assert.deepEqual(
    animals.map(({ name, category, sex, traits, breed, colors }) =>
      JSON_OF([name, category, sex, traits?.spayedNeutered ?? null, breed, colors]),
    ),
    [
      ['A1', 'Cat', 'unknown', null, { primary: 'Siamese', mixed: true }, ['Seal Point']],
      ['Seth', 'Dog', 'male', true, { primary: 'Pit Bull', mixed: true }, ['Black', 'White']],
      [
        ...['Mia', 'Dog', 'female', true],
        ...[{ primary: 'Labrador Retriever', secondary: 'Australian Cattle Dog', mixed: true }, ['Black']],
      ],
      ['A5', 'Barnyard', 'male', false, { primary: 'Miniature' }, ['Liver', 'Cream']],
    ],
  )
  assert.deepEqual(
    refused.map(({ line, id, reason }) => [line, id, reason.split(';')[0]]),
    [[5, 'A4', 'No category is known for the species "Other"']],
  )
  assert.deepEqual(leftOut, { 'age (the date of birth counts)': 4 })

  const named = rows[0]?.replace(',,Unknown', ',Padmé,Unknown')
  assert.equal((await read([head, named].join('\n'), 'csv', table)).animals[0].name, 'Padmé')
  const again = await read([head, rows[0]].join('\n'), 'csv', table)
  assert.deepEqual([again.animals[0].name, again.unchanged], ['Padmé', 1], 'a name is not lost again')
})

test('ages, sexes and fees in everyday words: every animal is imported', async (t) => {
  const read = await openForFiles(t, 'own')
  const head = 'Animal Name,Species,Age,Sex,Adoption Fee,In,Tag'
  const table = tableOf(head, 'name,category,age,sex,fee.amount,staff.intakeDate,externalId', 'Tag')
  const rows = [
    'Dot,Dog,2 years 3 months,Spayed Female,$150,,1',
    'Kit,Cat,8 weeks,F/S,free,2026-01-31,2',
    'Rusty,Dog,3.5 years,M/N,"$50 (or $80 for two)",,3',
    'Pip,Rabbit,Adult,unknown,waived,N/A,4',
    'Old Joe,Perro,dinosaur,half male,ask us,some day,5',
    'Max,Dog,900 years,Male,5,,6',
  ]
  const { animals, refused, leftOut, notUnderstood } = await read([head, ...rows].join('\n'), 'csv', table)

  assert.deepEqual(refused, [])
  assert.deepEqual(
    animals.map(({ birthDate, birthDateExact, sex, fee }) =>
      [birthDate, birthDateExact, sex, fee?.amount].map((value) => value ?? null),
    ),
    [
      ['2024-08-23', false, 'female', 15_000],
      // At the intake, 8 weeks before the end of January.
      ['2025-12-06', false, 'female', 0],
      ['2023-05-23', false, 'male', 5_000],
      [null, null, 'unknown', 0],
      [null, null, null, null],
      [null, null, 'male', 500],
    ],
  )
  assert.deepEqual(
    animals.map(({ age }) => age),
    ['young', 'baby', 'adult', 'adult', undefined, undefined],
  )
  assert.deepEqual(leftOut, {
    ...{ 'Age (not understood)': 2, 'Sex (not understood)': 1 },
    ...{ 'Adoption Fee (not understood)': 1, 'In (not understood)': 1 },
  })
  assert.deepEqual(notUnderstood?.[1], { line: 6, column: 'Sex', value: 'half male' })

  const later = { ...table, clock: () => Date.UTC(2026, 11, 1) }
  const again = await read([head, ...rows].join('\n'), 'csv', later)
  assert.equal(again.unchanged, 6, 'an animal does not become younger with each import')
  const corrected = await read([head, 'Dot,Dog,5 years,Female,,,1'].join('\n'), 'csv', later)
  assert.equal(corrected.animals[0].birthDate, '2021-12-01')
})

test('an age that is not understood is reported once; an age next to a birth date is reported as not used', async (t) => {
  const read = await openForFiles(t, 'own')
  const head = 'Name,Species,Age,Date of birth'
  const rows = [
    'Ada,Dog,about 3,',
    'Ben,Dog,about 3,2020-01-02',
    'Cy,Dog,2 years,2020-01-02',
    'Di,Dog,,about 3',
  ]
  const file = [head, ...rows].join('\n')
  const { leftOut, notUnderstood } = await read(file, 'csv', {
    guessesColumns: true,
    idColumn: undefined,
    update: false,
  })
  assert.deepEqual(leftOut, {
    ...{
      'Age (not understood)': 1,
      'Age (the date of birth counts)': 2,
      'Date of birth (not understood)': 1,
    },
  })
  assert.deepEqual(
    notUnderstood?.map(({ line }) => line),
    [2, 5],
  )
  const own = await read('name,category,age,birthDate\nEd,Dog,about 3,2020-01-02', 'csv', {
    idColumn: undefined,
    update: false,
  })
  assert.deepEqual(own.leftOut, {})

  const groups = await openForFiles(t, 'rescuegroups')
  const rex = { name: 'Rex', species: 'Dog', status: 'Available' }
  const ages = [
    { ageString: 'about 3' },
    { ageGroup: 'about 3', ageString: 'about 3' },
    { ageGroup: 'Adult', ageString: '?' },
  ]
  const lines = ages.map((age, index) => JSON.stringify({ ...rex, ...age, id: index + 1 }))
  const done = await groups(lines.join('\n'), 'ndjson')
  assert.deepEqual(done.leftOut, { 'ageString (not understood)': 1, 'ageGroup (not understood)': 1 })

  const luv = await openForFiles(t, 'shelterluv')
  const table = 'Animal ID,Name,Species,Status,Age\n1,Rex,Dog,Available,2 years\n2,Max,Dog,Available,about 3'
  const two = await luv(table, 'csv')
  assert.deepEqual([two.animals[0].birthDate, two.leftOut], ['2024-11-23', { 'Age (not understood)': 1 }])
})

test('headings with units and abbreviations are understood, and a ticked condition turns a yes into unknown', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = [
    'PET NAME;TYPE;AGE (yrs);GOOD W/ KIDS;Older/Considerate Kids Only;No large dogs;Dogs OK;SHOTS;Cuota;Stage',
    'Ada;dog;1.5;yes;x;;y;x;1.500,00 €;Available',
    'Ben;dog;10+;yes;no;yes;y;;£80;Bite Quarantine',
    'Dogs: 2;;;;;;;;;',
  ]
  const { animals } = await read(rows.join('\n'), 'csv', {
    guessesColumns: true,
    idColumn: undefined,
    update: false,
  })
  assert.deepEqual(
    animals.map(({ name, age, goodWith, traits, fee, status }) =>
      JSON_OF([name, age, goodWith, traits ?? null, fee, status ?? null]),
    ),
    [
      ...[
        [
          'Ada',
          'young',
          { dogs: true },
          { vaccinated: true },
          { amount: 150_000, currency: 'EUR' },
          'available',
        ],
      ],
      ...[['Ben', 'senior', { children: true }, null, { amount: 8_000, currency: 'GBP' }, null]],
    ],
  )
})

test('breeds in a Petfinder file: the plain breed is stored, and mixed breeds are marked', async (t) => {
  const read = await openForFiles(t, 'petfinder')
  const breeds = [
    'Labrador Retriever / Mix,,',
    'Labrador Retriever Mix,,',
    'Labrador Retriever,Mix,1',
    'Mixed Breed (Large),,1',
    'Lab/Shepherd X,,',
    'Domestic Shorthair,Domestic Shorthair,0',
    'German Shepherd Dog,Unknown,1',
    'Unknown,,',
    'Collie cross,,',
  ]
  const rows = breeds.map((breed, index) => `B${index},Rex,Dog,A,${breed}`)
  const head = 'ID,AnimalName,Type,Status,PrimaryBreed,SecondaryBreed,Mix'
  const { animals } = await read([head, ...rows].join('\n'), 'csv')

  const lab = { primary: 'Labrador Retriever', mixed: true }
  assert.deepEqual(
    animals.map(({ breed }) => breed),
    [
      ...[lab, lab, lab, { primary: 'Mixed Breed', mixed: true }],
      { primary: 'Lab', secondary: 'Shepherd', mixed: true },
      { primary: 'Domestic Shorthair', mixed: false },
      { primary: 'German Shepherd Dog', mixed: true },
      { primary: 'Dog', unknown: true },
      { primary: 'Collie', mixed: true },
    ],
  )
})

test("adoptable's own CSV is read with everyday words, but names and texts stay exactly as they are", async (t) => {
  const read = await openForFiles(t, 'own')
  const file = [
    'id,name,category,sex,age,size,traits.vaccinated,weightGrams,description',
    '1,*Rex,Dog,Female,2 years,X-Large,yes,heavy,a &amp; b <i>',
    '2,,Dog,spayed,puppy,huge,maybe,900,',
  ].join('\n')
  const { animals, refused, leftOut } = await read(file, 'csv')

  assert.deepEqual(refused, [])
  const [rex, other] = animals
  assert.deepEqual(
    [rex.name, rex.sex, rex.birthDateExact, rex.size, rex.traits, rex.weightGrams, rex.description],
    ['*Rex', 'female', false, 'extra_large', { vaccinated: true }, undefined, 'a &amp; b <i>'],
  )
  assert.deepEqual(
    [other.name, other.sex, other.age, other.traits, other.weightGrams],
    ['2', 'female', 'baby', { spayedNeutered: true }, 900],
  )
  assert.deepEqual(leftOut, {
    ...{ 'weightGrams (not valid)': 1, 'size (not understood)': 1, 'traits.vaccinated (not understood)': 1 },
  })
  const lined = await read('{"id":3,"name":"Max","category":"Dog","sex":"Female"}', 'ndjson')
  assert.deepEqual(
    lined.refused.map(({ reason }) => reason.split(':')[0]),
    ['sex'],
  )
})

test('visitors of a clinic, empty values and drawings in place of a photo are ignored', async (t) => {
  const read = await openForFiles(t, 'shelterluv')
  const drawing = 'https://s.example/sites/default/files/default_images/default_cat.png'
  const animals = [
    { ID: '', 'Internal-ID': '1', Status: 'Service Out' },
    { ID: '', Name: 'Clinic Visitor', Type: 'Dog', Status: 'Service Out' },
    { Type: 'Dog', Status: 'Healthy In Home' },
    { ID: '1', Name: 'Pepper', Type: 'Cat', Status: 'Available', Color: 'White/None', Pattern: 'None' },
    {
      ID: '2',
      Name: 'Mango',
      Type: 'Dog',
      Status: 'Available',
      Breed: 'Labrador Retriever/Mix',
      Color: 'N/A',
    },
  ].map((animal) => ({ ...animal, CoverPhoto: drawing, Microchips: [{ Id: '' }] }))
  const done = await read(JSON.stringify({ animals }), 'json')

  assert.deepEqual(done.refused, [])
  assert.deepEqual(
    done.animals.map(({ name, colors, breed }) => [name, colors, breed]),
    [
      ['Pepper', ['White'], undefined],
      ['Mango', undefined, { primary: 'Labrador Retriever', mixed: true }],
    ],
  )
  assert.equal(done.leftOut['entries without an animal'], 3)
  const photo = 'https://s.example/a/casino-photo.jpg'
  for (const address of [drawing, 'https://s.example/nopic.gif', 'https://s.example/i/no-photo.png?x=1'])
    assert.deepEqual(
      readPhotoList({ a: address, b: photo }, ['a', 'b'], 'json')?.sources,
      [{ address: photo }],
      address,
    )
})

test('a letter under "Dog/Cat" is a kind, and the columns say in which unit weights without one are', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = ['Name,Dog/Cat,Weight,Kid friendly', 'Rex,D,12 lb,oui', 'Tom,c,4,Nein', 'Eve,B,4,']
  const options = { idColumn: undefined, update: false, guessesColumns: true }
  const { animals, refused, notes } = await read(rows.join('\n'), 'csv', options)
  assert.deepEqual(
    animals.map(({ category, weightGrams, goodWith }) => [category, weightGrams, goodWith?.children]),
    [
      ['Dog', 5_443, true],
      ['Cat', 4_000, false],
    ],
  )
  assert.deepEqual(
    refused.map(({ line }) => line),
    [4],
  )
  assert.ok(notes?.[0]?.columns?.includes('Weight as weightGrams (in kilograms if there is no unit)'))
})

test('a table without ids: a number in two spellings with one name is one animal, and its later stay counts', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = [
    'Animal #,Name,Species,Status,Intake date',
    ...['A-002,Cleo,Cat,Available,2025-10-21', 'a2,Cleo,Cat,Adopted,2025-10-30'],
    ...[
      '001,Ada,Dog,Available,',
      '1,Ben,Dog,Available,',
      '25-123,Eve,Dog,Available,',
      '2512-3,Eve,Dog,Available,',
    ],
  ]
  const options = { idColumn: undefined, update: false, guessesColumns: true }
  const { animals } = await read(rows.join('\n'), 'csv', options)
  assert.deepEqual(
    animals.map(({ name, externalId, status }) => [name, externalId, status]),
    [
      ['Cleo', 'a2', 'sold'],
      ['Ada', '001', 'available'],
      ['Ben', '1', 'available'],
      ['Eve', '25-123', 'available'],
      ['Eve', '2512-3', 'available'],
    ],
  )
})
