import assert from 'node:assert/strict'
import { createReadStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { cleanup } from '../testing/cleanup.ts'
import { rescueGroupsJson, shelterluvJson, shelterManagerJson } from '../testing/shelter-answers.ts'
import { petfinderCsv, type SampleAnimal, shelterManagerCsv } from '../testing/shelter-exports.ts'
import { scratchStore } from '../testing/start-app.ts'
import { type Format, US_LOCALE } from './animal.ts'
import { exportAnimals } from './export.ts'
import { importAnimals } from './import.ts'
import { MAPPINGS } from './mappings/all.ts'
import type { Refusal } from './report.ts'
import { validate } from './validate.ts'
import { findCategoryName } from './word-lists.ts'

const SAMPLES = new URL('samples/', import.meta.url)

/** Imports a sample into a new store and returns the content of the store. */
async function importSample(
  t: TestContext,
  from: string,
  file: string | Iterable<Buffer>,
  format: Format,
  locale = US_LOCALE,
) {
  const store = await openForCommand(scratchStore(t), changes)
  cleanup(t).defer(() => store.close())
  const refused: Refusal[] = []
  const mapping = MAPPINGS[from]
  assert.ok(mapping)
  const bytes = () =>
    typeof file === 'string' ? createReadStream(new URL(file, SAMPLES)) : Readable.from(file)
  const done = await importAnimals(
    store,
    { bytes },
    {
      format,
      mapping,
      locale,
      source: from,
      idColumn: mapping.idColumn,
      update: false,
      keyId: null,
      category: undefined,
      dryRun: false,
      mayHaveOwnIds: false,
      clock: () => Date.UTC(2026, 10, 23),
      onRefused: ({ why: _otherWords, ...refusal }) => refused.push(refusal),
      onBatch: () => undefined,
    },
  )
  const animals: Record<string, unknown>[] = (await text(Readable.from(exportAnimals(store.db, 'ndjson'))))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line || '{}'))
  const quoted = (name: unknown) => (String(name).includes(',') ? `"${name}"` : name)
  const lines = animals.map(
    ({ id, name, category, status = '' }) => `${id},${name},${quoted(category)},${status}`,
  )
  const sources = await store.db
    .selectFrom('pet_source')
    .select(['source_id', 'source', 'pet_id'])
    .orderBy('pet_id')
    .execute()
  assert.ok(sources.every(({ source, pet_id }, index) => source === from && pet_id === index + 1))
  return { lines, animals, leftOut: done.leftOut, refused, ids: sources.map(({ source_id }) => source_id) }
}

test('Petfinder CSV: types and statuses are converted, and descriptions may span two lines', async (t) => {
  const { lines, refused, ids } = await importSample(t, 'petfinder', 'petfinder.csv', 'csv')

  assert.deepEqual(lines, [
    '1,Babo,Dog,available',
    '2,Dodle,Small & furry,',
    '3,Gugan,"Scales, fins & other",',
    '4,Kiko,Cat,',
  ])
  assert.deepEqual(ids, ['F1', 'F2', 'F4', 'F5'])
  assert.deepEqual(refused, [
    {
      line: 5,
      id: 'F3',
      name: 'Fify',
      reason: 'No category is known for the species "Dragon"; choose one with --category.',
    },
  ])
})

test('Animal Shelter Manager CSV: movements become statuses, and other lines add no animals', async (t) => {
  const { lines, refused, ids } = await importSample(t, 'shelter-manager', 'shelter-manager.csv', 'csv')

  assert.deepEqual(lines, [
    '1,Babo,Dog,available',
    '2,Dodle,Cat,sold',
    '3,Fify,"Scales, fins & other",',
    '4,Gugan,Dog,available',
  ])
  assert.deepEqual(ids, ['D2026001', 'C2026002', 'R2026003', 'D2026004'])
  assert.deepEqual(
    refused.map(({ line, reason }) => [line, reason]),
    [
      [8, 'It has died.'],
      [9, 'Its owner took it back.'],
      [10, 'It was never in the shelter.'],
      [11, 'No category is known for the species "Dragon"; choose one with --category.'],
    ],
  )
})

test('RescueGroups JSON: species and statuses are read from included resources', async (t) => {
  const { lines, refused, ids } = await importSample(t, 'rescuegroups', 'rescuegroups.json', 'json')

  assert.deepEqual(lines, [
    ...[
      '1,Babo,Dog,available',
      '2,Dodle,Cat,sold',
      '3,Fify,Small & furry,pending',
      '4,Gugan,Dog,',
      '5,Lolin,Dog,',
    ],
  ])
  assert.deepEqual(ids, ['90000001', '90000002', '90000003', '90000004', '90000006'])
  assert.deepEqual(
    refused.map(({ line, id, reason }) => [line, id, reason.split(';')[0]]),
    [[5, '90000005', 'No category is known for the species "Dragon"']],
  )
})

test('RescueGroups NDJSON: a line may be a page of results or one animal, and other lines are refused', async (t) => {
  const page = JSON.stringify(JSON.parse(readFileSync(new URL('rescuegroups.json', SAMPLES), 'utf8')))
  const animal = '{"id": 7, "name": "Pamo", "species": "Horses", "status": "Adopted"}'
  const resource = '{"type": "animals", "id": "8", "attributes": {"name": "Sox", "status": "Hold"}}'
  const lined = [page, animal, resource, 'null', '[]', ''].join('\n')

  const { lines, refused, ids } = await importSample(t, 'rescuegroups', [Buffer.from(lined)], 'ndjson')

  assert.deepEqual(ids, ['90000001', '90000002', '90000003', '90000004', '90000006', '7'])
  assert.equal(lines[5], '6,Pamo,Horse,sold')
  assert.deepEqual(
    refused.map(({ line }) => line),
    [1, 3, 4],
  )
})

test('RescueGroups JSON with an error or a value that is not an animal is reported', async (t) => {
  const denied =
    '{"errors": [{"status": "401", "title": "Not authorized", "detail": "The key is not valid."}]}'
  const odd = `{"type": "animals", "id": "3", "attributes": {"name": "Bo", "status": {"toString": 1}}}`
  const good =
    '{"id": "4", "type": "animals", "attributes": {"name": "Sox", "species": "Cat", "status": "Hold"}}'
  const page = `{"data": [null, 7, ${odd}, ${good}], "included": [null, {"type": null}]}`

  const whole = await importSample(t, 'rescuegroups', [Buffer.from(page)], 'json')
  const lined = await importSample(t, 'rescuegroups', [Buffer.from(`${denied}\n${page}`)], 'ndjson')

  const reasons = [
    [1, 'It must be a JSON object.'],
    [2, 'It must be a JSON object.'],
    [3, 'No category is known for the species ""; choose one with --category.'],
  ]
  assert.deepEqual(
    [whole.lines, whole.refused.map(({ line, reason }) => [line, reason])],
    [['1,Sox,Cat,'], reasons],
  )
  assert.deepEqual(lined.lines, ['1,Sox,Cat,'])
  assert.deepEqual(lined.refused[0], {
    line: 1,
    reason: 'RescueGroups answered with an error: The key is not valid.',
  })
  assert.deepEqual(
    lined.refused.slice(1).map(({ reason }) => reason),
    reasons.map(([, reason]) => reason),
  )
})

test('species words are recognized in any case, in the plural and with any punctuation', () => {
  const words = {
    DOG: 'Dog',
    Cats: 'Cat',
    'Small&Furry': 'Small & furry',
    'Guinea Pigs': 'Small & furry',
    'Scales, Fins & Other': 'Scales, fins & other',
    'Barn yard': undefined,
    Barnyard: 'Barnyard',
    'Dog (Adult)': 'Dog',
    'Dog - Small': 'Dog',
    'Pot-bellied pig': 'Barnyard',
    'Holland Lop Rabbit': 'Rabbit',
    'Perro grande': 'Dog',
    'Dog/Cat': undefined,
    'Wild life': undefined,
    '': undefined,
    s: undefined,
  }
  for (const [word, category] of Object.entries(words)) assert.equal(findCategoryName(word), category, word)
})

test('a category of the store with the name of a species is used before the general category', () => {
  const categories = {
    ids: new Set(['8', '9']),
    byName: new Map([
      ['barnyard', 8],
      ['goat', 9],
    ]),
  }
  const organizations = { ids: new Set<string>(), byName: new Map() }
  const context = {
    categories,
    organizations,
    fallback: undefined,
    organizationId: undefined,
    anyOrganization: true,
  }
  const categoryOf = (kind: string) => validate({ name: 'Rex', kind }, context, 0).pet.categoryId

  assert.deepEqual([categoryOf('GOAT'), categoryOf('Goats'), categoryOf('Sheep')], [9, 8, 8])
})

/** Each member cycles through its values, some faster than others, and some are sometimes missing. */
const SAMPLE_ANIMALS: SampleAnimal[] = Array.from({ length: 60 }, (_, i) => {
  const at = <Item>(items: readonly Item[], every = 1) => items[Math.floor(i / every) % items.length] as Item
  const birthDate = at(['2019-02-28', undefined, '2024-02-29', '2026-11-01'])
  return {
    externalId: `A-${1_000 + i}`,
    name: at(['Rex', 'Zoë "Zo" & Co', "O'Malley, the Cat", 'Ёлка']),
    kind: at(['Dog', 'Cat', 'Rabbit'], 2),
    status: at(['available', 'pending', 'sold'] as const, 3),
    breed: at([
      { primary: 'Beagle', mixed: false },
      { primary: 'Border Collie', secondary: 'Boxer', mixed: true },
      { primary: 'Löwchen', mixed: true },
    ]),
    colors: at([['Black'], ['Brown', 'White'], undefined], 2),
    coat: at(['short', 'medium', 'long', undefined] as const, 3),
    birthDate,
    birthDateExact: birthDate ? at([true, false]) : undefined,
    age: birthDate ? undefined : at(['baby', 'young', 'adult', 'senior'] as const, 4),
    months: birthDate ? undefined : 30,
    sex: at(['female', 'male', 'unknown'] as const),
    size: at(['small', 'medium', 'large', 'extra_large'] as const, 2),
    weightGrams: at([undefined, 4_200, 31_000]),
    description: at(['Calm.\nLikes naps, and "long" walks & more.', undefined, 'x'.repeat(9_000)], 5),
    traits: {
      spayedNeutered: at([true, false]),
      houseTrained: at([true, undefined, false]),
      declawed: at([false, undefined]),
      specialNeeds: at([undefined, true], 7),
      vaccinated: at([true, undefined], 3),
    },
    goodWith: {
      children: at([true, false, undefined]),
      dogs: at([false, undefined]),
      cats: at([undefined, true]),
    },
    tags: at([undefined, ['calm', 'Loves walks']], 2),
    fee: at([{ amount: 12_550, currency: 'USD' }, undefined], 3),
    videos: at([undefined, ['https://videos.example/1']], 4),
    place: at(
      [
        undefined,
        {
          city: 'Denver',
          region: 'CO',
          postcode: '80202',
          country: 'US',
          latitude: 39.75,
          longitude: -104.99,
        },
      ],
      3,
    ),
    staff: {
      microchip: at([undefined, '985000000000001']),
      intakeDate: '2026-01-31',
      intakeKind: at(['Stray', 'Surrender']),
      intakeNote: at([undefined, 'Found at the lake.']),
      kennel: at(['A 1', undefined]),
      notes: at([undefined, 'Bites vets.\nNobody else.'], 2),
    },
  } as SampleAnimal
})

type Json = Record<string, unknown>

/** The part of an animal for which one program has columns. */
const pick = (value: Json | undefined, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, value?.[name]]))
const COMMON = ['externalId', 'breed', 'colors', 'birthDate', 'sex', 'size', 'description', 'tags', 'fee']

const PROGRAMS: Record<
  string,
  [file: string, format: Format, of: (animal: SampleAnimal) => Json, leftOut: string[]]
> = {
  petfinder: [
    petfinderCsv(SAMPLE_ANIMALS),
    'csv',
    ({ traits, goodWith, staff, ...animal }) => ({
      ...pick(animal, ...COMMON, 'coat', 'age'),
      traits,
      // This program has fields only for what an animal is not good with.
      goodWith: Object.fromEntries(Object.entries(goodWith ?? {}).filter(([, good]) => good === false)),
      staff: pick(staff, 'intakeDate'),
    }),
    ['Internal', 'photo1'],
  ],
  shelterluv: [
    shelterluvJson(SAMPLE_ANIMALS),
    'json',
    ({ traits, staff, breed, ...animal }) => ({
      ...pick(animal, ...COMMON, 'weightGrams', 'videos'),
      breed: { ...pick(breed, 'primary', 'secondary'), mixed: breed?.secondary ? true : undefined },
      traits: pick(traits, 'spayedNeutered'),
      staff: pick(staff, 'microchip', 'intakeDate', 'kennel'),
    }),
    ['Internal-ID', 'Photos', 'InFoster', 'AdoptionFeeGroup', 'Age'],
  ],
  'shelter-manager': [
    shelterManagerCsv(SAMPLE_ANIMALS),
    'csv',
    ({ traits, ...animal }) => ({
      ...pick(animal, ...COMMON, 'coat', 'birthDateExact', 'weightGrams', 'goodWith', 'staff'),
      // The program has one field for all colors of an animal.
      colors: animal.colors && [animal.colors.join(' and ')],
      tags: undefined,
      traits: { ...traits, vaccinated: undefined },
    }),
    ['ANIMALTYPE', 'ORIGINALOWNERLASTNAME'],
  ],
  'shelter-manager (json)': [
    shelterManagerJson(SAMPLE_ANIMALS),
    'json',
    ({ traits, ...animal }) => ({
      ...pick(animal, ...COMMON, 'coat', 'birthDateExact', 'weightGrams', 'goodWith', 'staff'),
      // The program has one field for all colors of an animal.
      colors: animal.colors && [animal.colors.join(' and ')],
      tags: undefined,
      traits: { ...traits, vaccinated: undefined },
    }),
    ['WEBSITEIMAGECOUNT'],
  ],
  rescuegroups: [
    rescueGroupsJson(SAMPLE_ANIMALS),
    'json',
    ({ staff, ...animal }) => ({
      ...pick(
        animal,
        ...COMMON,
        'coat',
        'birthDateExact',
        'age',
        'weightGrams',
        'videos',
        'place',
        'traits',
        'goodWith',
      ),
      staff: pick(staff, 'microchip', 'intakeDate'),
    }),
    ['pictureCount'],
  ],
}

/** Leaves out undefined members and empty objects. */
function whatIsHeld(animal: Json): Json {
  return JSON.parse(JSON.stringify(animal), (_, value) => {
    return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
      ? undefined
      : value
  })
}

for (const [from, [file, format, of, leftOut]] of Object.entries(PROGRAMS)) {
  test(`${from}: every member with a field here is imported, and all other members are reported`, async (t) => {
    const program = from.replace(/ .*/, '')
    const imported = await importSample(t, program, [Buffer.from(file)], format)

    assert.deepEqual(imported.refused, [])
    assert.equal(imported.animals.length, SAMPLE_ANIMALS.length)
    for (const [index, { id, name, category, status, age, ...profile }] of imported.animals.entries()) {
      const sample = SAMPLE_ANIMALS[index] as SampleAnimal
      const { age: expectedAge, ...expected } = whatIsHeld(of(sample))
      assert.deepEqual({ name, ...profile }, { name: sample.name, ...expected }, `${from} ${id}`)
      if (!sample.birthDate) assert.equal(age, expectedAge)
      assert.equal(category, sample.kind)
      assert.equal(status, from.endsWith('(json)') ? 'available' : sample.status)
    }
    assert.deepEqual(Object.keys(imported.leftOut).toSorted(), leftOut.toSorted())
  })
}

test('unread or invalid values are left out and reported, and the animal is imported', async (t) => {
  const head =
    'ID,AnimalName,Type,Status,Age,Sex,Size,birth_date,Desc,PrimaryBreed,tags,adoption_fee,Shots,coat_length'
  const rows = [
    `1,Tom,Cat,A,,,,,,,,,,`,
    `1,Rex,Dog,A,Ancient,Q,constructor,31/31/2020,${'x'.repeat(20_001)},${'b'.repeat(81)},"a, A, b",a lot,maybe,Fluffy`,
    `${'9'.repeat(81)},Max,Dog,A,,,,1940-01-01,&lt;b&gt; &amp; <script>x</script><p>One</p><p>Two</p>,,"${'t'.repeat(41)},ok",,,`,
  ]
  const { animals, refused, leftOut } = await importSample(
    t,
    'petfinder',
    [Buffer.from([head, ...rows].join('\n'))],
    'csv',
  )
  assert.deepEqual(animals, [
    {
      ...{ id: 1, name: 'Rex', category: 'Dog', status: 'available', externalId: '1', tags: ['a', 'b'] },
      staff: { notes: 'Vaccinated: maybe' },
    },
    {
      id: 2,
      name: 'Max',
      category: 'Dog',
      status: 'available',
      description: '<b> &\nOne\n\nTwo',
      tags: ['ok'],
    },
  ])
  assert.equal(refused.length, 1)
  assert.deepEqual(leftOut, {
    ...Object.fromEntries(
      ['Age', 'Sex', 'Size', 'birth_date', 'adoption_fee', 'Shots', 'coat_length'].map((name) => [
        `${name} (not understood)`,
        1,
      ]),
    ),
    'description (not valid)': 1,
    'breed.primary (not valid)': 1,
    'externalId (not valid)': 1,
    'birthDate (not valid)': 1,
    'tags (not valid)': 1,
  })
})

test('Shelterluv attributes: unpublished attributes become notes, known attributes become members', async (t) => {
  const attribute = (AttributeName: string, Publish: string) => ({ AttributeName, Publish })
  const animal = {
    ...{ ID: '7', Name: 'Rex', Type: 'Guinea Pig', Status: 'Available' },
    Attributes: [
      attribute('Bit people', 'No'),
      attribute('Good with Kids', 'Yes'),
      attribute('No Cats', 'Yes'),
      attribute('House-trained', 'Yes'),
      attribute('Loves walks', 'Yes'),
      attribute('Good with Dogs', 'No'),
      attribute('Constructor', 'Yes'),
    ],
    Videos: [{ YoutubeUrl: 'https://videos.example/1' }],
  }
  const { animals } = await importSample(t, 'shelterluv', [Buffer.from(JSON.stringify(animal))], 'ndjson')
  const { id, name, category, ...profile } = animals[0] ?? {}
  assert.deepEqual(profile, {
    ...{ status: 'available', externalId: '7', species: 'Guinea Pig' },
    traits: { houseTrained: true },
    goodWith: { children: true, cats: false },
    tags: ['Loves walks', 'Constructor'],
    videos: ['https://videos.example/1'],
    staff: { notes: 'Attributes: Bit people, Good with Dogs' },
  })
})

test('Petfinder fees that are hidden are not imported', async (t) => {
  const head = 'ID,AnimalName,Type,Status,adoption_fee,display_adoption_fee,adoption_fee_waived'
  const rows = ['1,Rex,Dog,A,100,1,', '2,Max,Dog,A,100,0,', '3,Tom,Dog,A,100,,1', '4,Ben,Dog,A,100,,']
  const { animals } = await importSample(t, 'petfinder', [Buffer.from([head, ...rows].join('\n'))], 'csv')
  const fee = { amount: 10_000, currency: 'USD' }
  assert.deepEqual(
    animals.map((animal) => animal.fee),
    [fee, undefined, undefined, fee],
  )
})

test('dates, fees and weights are read in the locale of the shelter', async (t) => {
  const head = 'ID,AnimalName,Type,Status,birth_date,adoption_fee'
  const rows = ['1,Rex,Dog,A,03/04/2020,€ 50', '2,Max,Dog,A,20200403,50', '3,Tom,Dog,A,3.4.2020,50']
  const file = [Buffer.from([head, ...rows, '4,Ben,Dog,A,1585872000,'].join('\n'))]
  const datesIn = (animals: Record<string, unknown>[]) => animals.map(({ birthDate }) => birthDate)
  const us = { ...US_LOCALE, dayFirst: false }
  const american = await importSample(t, 'petfinder', file, 'csv', us)
  assert.deepEqual(datesIn(american.animals), ['2020-03-04', '2020-04-03', '2020-04-03', '2020-04-03'])
  const dutch = { currency: 'EUR', dayFirst: true, pounds: false }
  const { animals } = await importSample(t, 'petfinder', file, 'csv', dutch)
  assert.deepEqual(datesIn(animals), ['2020-04-03', '2020-04-03', '2020-04-03', '2020-04-03'])
  assert.deepEqual(animals[0]?.fee, { amount: 5_000, currency: 'EUR' })

  const heavy = [
    Buffer.from(JSON.stringify([{ ANIMALNAME: 'Rex', SPECIESNAME: 'Dog', SHELTERCODE: '1', WEIGHT: 10 }])),
  ]
  const weightIn = async (locale: typeof US_LOCALE) =>
    (await importSample(t, 'shelter-manager', heavy, 'json', locale)).animals[0]?.weightGrams
  assert.deepEqual([await weightIn(dutch), await weightIn({ ...US_LOCALE, pounds: true })], [10_000, 4_536])
})

test('RescueGroups places and weights: exact coordinates and units are imported, the rest is reported', async (t) => {
  const animal = (sizeUOM: string, location: object) => ({
    ...{ id: sizeUOM, name: 'Rex', species: 'Dog', status: 'Available', sizeCurrent: 8, sizeUOM, location },
  })
  const here = { city: 'Greenwich', country: 'United Kingdom', lat: 51.48, lon: 0, phone: '1' }
  const lines = [animal('Ounces', here), animal('Stones', {})].map((one) => JSON.stringify(one))
  const { animals, leftOut } = await importSample(
    t,
    'rescuegroups',
    [Buffer.from(lines.join('\n'))],
    'ndjson',
  )
  assert.deepEqual(
    animals.map(({ weightGrams }) => weightGrams),
    [227, undefined],
  )
  const { phone: _, lat: latitude, lon: longitude } = here
  assert.deepEqual(animals[0]?.place, { city: 'Greenwich', country: 'GB', latitude, longitude })
  assert.deepEqual(leftOut, { 'location.phone': 1, 'sizeUOM (not understood)': 1 })
})
