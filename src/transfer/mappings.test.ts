import assert from 'node:assert/strict'
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { cleanup } from '../testing/cleanup.ts'
import { rescueGroupsJson, shelterluvJson, shelterManagerJson } from '../testing/shelter-answers.ts'
import { type Known, petfinderCsv, shelterManagerCsv } from '../testing/shelter-exports.ts'
import { scratchFolder } from '../testing/start-app.ts'
import { AMERICAN, type Format, type Refusal } from './animal.ts'
import { exportAnimals } from './export.ts'
import { importAnimals } from './import.ts'
import { judge } from './judge.ts'
import { MAPPINGS } from './mappings.ts'
import { categoryOfSpecies } from './species.ts'

const SAMPLES = new URL('samples/', import.meta.url)

/** Imports a sample into a store of its own, and tells what is in there then. */
async function importSample(
  t: TestContext,
  from: string,
  file: string | Iterable<Buffer>,
  format: Format,
  habits = AMERICAN,
) {
  const store = await openForCommand(`sqlite:${join(scratchFolder(t), 'test.db')}`, changes)
  cleanup(t).defer(() => store.close())
  const refused: Refusal[] = []
  const mapping = MAPPINGS[from]
  assert.ok(mapping)
  const input = typeof file === 'string' ? createReadStream(new URL(file, SAMPLES)) : Readable.from(file)
  const done = await importAnimals(store, input, {
    format,
    mapping,
    habits,
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
  })
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

test("Petfinder's CSV: types and statuses become ours, a description over two lines is passed over", async (t) => {
  const { lines, refused, ids } = await importSample(t, 'petfinder', 'petfinder.csv', 'csv')

  assert.deepEqual(lines, [
    '1,Babo,Dog,available',
    '2,Dodle,Small & furry,pending',
    '3,Gugan,"Scales, fins & other",',
  ])
  assert.deepEqual(ids, ['F1', 'F2', 'F4'])
  assert.deepEqual(refused, [
    {
      line: 5,
      id: 'F3',
      reason: 'No category is known for the species "Dragon"; --category names one for such animals.',
    },
    { line: 7, id: 'F5', reason: `The status "Q" is none of Petfinder's: A, F, H, P or X.` },
  ])
})

test("Animal Shelter Manager's CSV: movements become statuses, and lines about anything else no animals", async (t) => {
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
      [10, 'It never was an animal of the shelter.'],
      [11, 'No category is known for the species "Dragon"; --category names one for such animals.'],
    ],
  )
})

test("RescueGroups' JSON: species and statuses are found among what is included", async (t) => {
  const { lines, refused, ids } = await importSample(t, 'rescuegroups', 'rescuegroups.json', 'json')

  assert.deepEqual(lines, ['1,Babo,Dog,available', '2,Dodle,Cat,sold', '3,Fify,Small & furry,pending'])
  assert.deepEqual(ids, ['90000001', '90000002', '90000003'])
  assert.deepEqual(
    refused.map(({ line, id, reason }) => [line, id, reason.split(';')[0]]),
    [
      [4, '90000004', 'The status "Transferred" has no counterpart'],
      [5, '90000005', 'No category is known for the species "Dragon"'],
      [6, '90000006', 'There is no status'],
    ],
  )
})

test("RescueGroups' JSON, a page or an animal a line, says the same", async (t) => {
  const page = JSON.stringify(JSON.parse(readFileSync(new URL('rescuegroups.json', SAMPLES), 'utf8')))
  const animal = '{"id": 7, "name": "Pamo", "species": "Horses", "status": "Adopted"}'
  const resource = '{"type": "animals", "id": "8", "attributes": {"name": "Sox", "status": "Hold"}}'
  const lined = [page, animal, resource, 'null', '[]', ''].join('\n')

  const { lines, refused, ids } = await importSample(t, 'rescuegroups', [Buffer.from(lined)], 'ndjson')

  assert.deepEqual(ids, ['90000001', '90000002', '90000003', '7'])
  assert.equal(lines[3], '4,Pamo,Horse,sold')
  assert.deepEqual(
    refused.map(({ line }) => line),
    [1, 1, 1, 3, 4],
  )
})

test("RescueGroups' JSON that is an error, or has something else in place of an animal, is told", async (t) => {
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
    [3, 'The status "" has no counterpart; Available, Hold, Pending and Adopted are read.'],
  ]
  assert.deepEqual(
    [whole.lines, whole.refused.map(({ line, reason }) => [line, reason])],
    [['1,Sox,Cat,pending'], reasons],
  )
  assert.deepEqual(lined.lines, ['1,Sox,Cat,pending'])
  assert.deepEqual(lined.refused[0], {
    line: 1,
    reason: 'RescueGroups answered with an error: The key is not valid.',
  })
  assert.deepEqual(
    lined.refused.slice(1).map(({ reason }) => reason),
    reasons.map(([, reason]) => reason),
  )
})

test('words for kinds of animals are known in any case, in the plural, and with any signs between them', () => {
  const words = {
    DOG: 'Dog',
    Cats: 'Cat',
    'Small&Furry': 'Small & furry',
    'Guinea Pigs': 'Small & furry',
    'Scales, Fins & Other': 'Scales, fins & other',
    'Barn yard': undefined,
    Barnyard: 'Barnyard',
    '': undefined,
    s: undefined,
  }
  for (const [word, category] of Object.entries(words)) assert.equal(categoryOfSpecies(word), category, word)
})

test("a category of the store's own comes before the one that others put such animals in", () => {
  const categories = {
    ids: new Set(['8', '9']),
    byName: new Map([
      ['barnyard', 8],
      ['goat', 9],
    ]),
  }
  const organizations = { ids: new Set<string>(), byName: new Map() }
  const known = { categories, organizations, fallback: undefined, organizationId: undefined, othersToo: true }
  const categoryOf = (kind: string) => judge({ name: 'Rex', kind }, known, 0).pet.categoryId

  assert.deepEqual([categoryOf('GOAT'), categoryOf('Goats'), categoryOf('Sheep')], [9, 8, 8])
})

/** Animals as a shelter knows them: each member goes round at another pace, and now and then nobody knows it. */
const KNOWN: Known[] = Array.from({ length: 60 }, (_, i) => {
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
  } as Known
})

type Json = Record<string, unknown>

/** What of it one program has columns for. */
const pick = (value: Json | undefined, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, value?.[name]]))
const COMMON = ['externalId', 'breed', 'colors', 'birthDate', 'sex', 'size', 'description', 'tags', 'fee']

const PROGRAMS: Record<
  string,
  [file: string, format: Format, of: (animal: Known) => Json, leftOut: string[]]
> = {
  petfinder: [
    petfinderCsv(KNOWN),
    'csv',
    ({ traits, goodWith, staff, ...animal }) => ({
      ...pick(animal, ...COMMON, 'coat', 'age'),
      traits,
      // Only what it is not good with can be said there.
      goodWith: Object.fromEntries(Object.entries(goodWith ?? {}).filter(([, good]) => good === false)),
      staff: pick(staff, 'intakeDate'),
    }),
    ['Internal', 'photo1'],
  ],
  shelterluv: [
    shelterluvJson(KNOWN),
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
    shelterManagerCsv(KNOWN),
    'csv',
    ({ traits, ...animal }) => ({
      ...pick(animal, ...COMMON, 'coat', 'birthDateExact', 'weightGrams', 'goodWith', 'staff'),
      // One name there, whatever it holds.
      colors: animal.colors && [animal.colors.join(' and ')],
      tags: undefined,
      traits: { ...traits, vaccinated: undefined },
    }),
    ['ANIMALTYPE', 'ORIGINALOWNERLASTNAME'],
  ],
  'shelter-manager (json)': [
    shelterManagerJson(KNOWN),
    'json',
    ({ traits, ...animal }) => ({
      ...pick(animal, ...COMMON, 'coat', 'birthDateExact', 'weightGrams', 'goodWith', 'staff'),
      // One name there, whatever it holds.
      colors: animal.colors && [animal.colors.join(' and ')],
      tags: undefined,
      traits: { ...traits, vaccinated: undefined },
    }),
    ['WEBSITEIMAGECOUNT'],
  ],
  rescuegroups: [
    rescueGroupsJson(KNOWN),
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

/** Without what is not there. */
function whatIsHeld(animal: Json): Json {
  return JSON.parse(JSON.stringify(animal), (_, value) => {
    return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
      ? undefined
      : value
  })
}

for (const [from, [file, format, of, leftOut]] of Object.entries(PROGRAMS)) {
  test(`${from}: all that has a place here comes in, and what has none is named`, async (t) => {
    const program = from.replace(/ .*/, '')
    const imported = await importSample(t, program, [Buffer.from(file)], format)

    assert.deepEqual(imported.refused, [])
    assert.equal(imported.animals.length, KNOWN.length)
    for (const [index, { id, name, category, status, age, ...profile }] of imported.animals.entries()) {
      const known = KNOWN[index] as Known
      const { age: expectedAge, ...expected } = whatIsHeld(of(known))
      assert.deepEqual({ name, ...profile }, { name: known.name, ...expected }, `${from} ${id}`)
      if (!known.birthDate) assert.equal(age, expectedAge)
      assert.equal(category, known.kind)
      assert.equal(status, from.endsWith('(json)') ? 'available' : known.status)
    }
    assert.deepEqual(Object.keys(imported.leftOut).toSorted(), leftOut.toSorted())
  })
}

test('what is not understood, or does not fit, is left out and named; the animal comes in', async (t) => {
  const head =
    'ID,AnimalName,Type,Status,Age,Sex,Size,birth_date,Desc,PrimaryBreed,tags,adoption_fee,Shots,coat_length'
  const rows = [
    `1,Rex,Dog,A,Ancient,Q,constructor,31/31/2020,${'x'.repeat(20_001)},${'b'.repeat(81)},"a, A, b",a lot,maybe,Fluffy`,
    `${'9'.repeat(81)},Max,Dog,A,,,,1940-01-01,&lt;b&gt; &amp; <script>x</script><p>One</p><p>Two</p>,,"${'t'.repeat(41)},ok",,,`,
    `1,Tom,Cat,A,,,,,,,,,,`,
  ]
  const { animals, refused, leftOut } = await importSample(
    t,
    'petfinder',
    [Buffer.from([head, ...rows].join('\n'))],
    'csv',
  )
  assert.deepEqual(animals, [
    { id: 1, name: 'Rex', category: 'Dog', status: 'available', externalId: '1', tags: ['a', 'b'] },
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
    'description (not as it has to be)': 1,
    'breed.primary (not as it has to be)': 1,
    'externalId (not as it has to be)': 1,
    'birthDate (not as it has to be)': 1,
    'tags (not as it has to be)': 1,
  })
})

test("Shelterluv's attributes that are not published are for staff, and some say what has a place", async (t) => {
  const attribute = (AttributeName: string, Publish: string) => ({ AttributeName, Publish })
  const animal = {
    ...{ ID: '7', Name: 'Rex', Type: 'Guinea Pig', Status: 'Available' },
    Attributes: [
      attribute('Bit somebody', 'No'),
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
    staff: { notes: 'Attributes: Bit somebody, Good with Dogs' },
  })
})

test("Petfinder's fees that are not to be shown are not", async (t) => {
  const head = 'ID,AnimalName,Type,Status,adoption_fee,display_adoption_fee,adoption_fee_waived'
  const rows = ['1,Rex,Dog,A,100,1,', '2,Max,Dog,A,100,0,', '3,Tom,Dog,A,100,,1', '4,Ben,Dog,A,100,,']
  const { animals } = await importSample(t, 'petfinder', [Buffer.from([head, ...rows].join('\n'))], 'csv')
  const fee = { amount: 10_000, currency: 'USD' }
  assert.deepEqual(
    animals.map((animal) => animal.fee),
    [fee, undefined, undefined, fee],
  )
})

test('dates, fees and weights are read as they are written where the shelter is', async (t) => {
  const head = 'ID,AnimalName,Type,Status,birth_date,adoption_fee'
  const rows = ['1,Rex,Dog,A,03/04/2020,€ 50', '2,Max,Dog,A,20200403,50', '3,Tom,Dog,A,3.4.2020,50']
  const file = [Buffer.from([head, ...rows, '4,Ben,Dog,A,1585872000,'].join('\n'))]
  const datesIn = (animals: Record<string, unknown>[]) => animals.map(({ birthDate }) => birthDate)
  const american = await importSample(t, 'petfinder', file, 'csv')
  assert.deepEqual(datesIn(american.animals), ['2020-03-04', '2020-04-03', '2020-04-03', '2020-04-03'])
  const dutch = { currency: 'EUR', dayFirst: true, pounds: false }
  const { animals } = await importSample(t, 'petfinder', file, 'csv', dutch)
  assert.deepEqual(datesIn(animals), ['2020-04-03', '2020-04-03', '2020-04-03', '2020-04-03'])
  assert.deepEqual(animals[0]?.fee, { amount: 5_000, currency: 'EUR' })

  const heavy = [
    Buffer.from(JSON.stringify([{ ANIMALNAME: 'Rex', SPECIESNAME: 'Dog', SHELTERCODE: '1', WEIGHT: 10 }])),
  ]
  const weightIn = async (habits: typeof AMERICAN) =>
    (await importSample(t, 'shelter-manager', heavy, 'json', habits)).animals[0]?.weightGrams
  assert.deepEqual([await weightIn(dutch), await weightIn({ ...AMERICAN, pounds: true })], [10_000, 4_536])
})

test("Shelterluv's words for statuses are read whole, and what is not available is not", async (t) => {
  const words = ['Available For Adoption', 'Available In Foster Household', 'Not Available', 'Unavailable']
  const more = ['Pending Adoption', 'On Hold', 'Adopted', 'Not adopted', 'Healthy In Home']
  const animals = [...words, ...more].map((Status, index) => ({
    ID: index,
    Name: 'Rex',
    Type: 'Dog',
    Status,
  }))
  const read = await importSample(t, 'shelterluv', [Buffer.from(JSON.stringify({ animals }))], 'json')
  assert.deepEqual(
    read.animals.map(({ status }) => status),
    ['available', 'available', undefined, undefined, 'pending', 'pending', 'sold', undefined, 'sold'],
  )
})

test("RescueGroups' places keep every degree, and weights their unit; what is not read of them is told", async (t) => {
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
