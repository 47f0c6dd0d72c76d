import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatLeftOut } from '../cli/import-report.ts'
import { openForFiles } from '../testing/import-text.ts'
import { US_LOCALE } from './animal.ts'

const csv = (...rows: string[]): string => rows.join('\n')

test('colors from Petfinder stay complete names; color lists from Shelterluv and RescueGroups are split', async (t) => {
  const petfinder = await openForFiles(t, 'petfinder')
  const file = csv(
    'ID,AnimalName,Type,Status,primaryColor,secondaryColor,tertiaryColor,tags',
    '1,Rex,Dog,A,"Tricolor (Brown, Black, & White)",Red / Chestnut / Orange,,"Calm, Likes car/bus"',
    '2,Max,Cat,A,Tabby (Gray / Blue / Silver),White,White,',
  )
  const { animals } = await petfinder(file, 'csv')
  assert.deepEqual(animals[0]?.colors, ['Tricolor (Brown, Black, & White)', 'Red / Chestnut / Orange'])
  assert.deepEqual(animals[0]?.tags, ['Calm', 'Likes car/bus'])
  assert.deepEqual(animals[1]?.colors, ['Tabby (Gray / Blue / Silver)', 'White'])

  const rescueGroups = await openForFiles(t, 'rescuegroups')
  const rex = { id: 1, name: 'Rex', species: 'Dog', status: 'Available', colors: 'Brown/Chocolate, White' }
  const read = await rescueGroups(JSON.stringify(rex), 'ndjson')
  assert.deepEqual(read.animals[0]?.colors, ['Brown/Chocolate', 'White'])

  const shelterluv = await openForFiles(t, 'shelterluv')
  const luv = { ID: 1, Name: 'Rex', Type: 'Dog', Status: 'Available', Color: 'Black/White' }
  assert.deepEqual((await shelterluv(JSON.stringify(luv), 'ndjson')).animals[0]?.colors, ['Black', 'White'])

  const manager = await openForFiles(t, 'shelter-manager')
  const asm = [{ SHELTERCODE: 1, ANIMALNAME: 'Rex', SPECIESNAME: 'Dog', BASECOLOURNAME: 'Black - Tan, Fawn' }]
  assert.deepEqual((await manager(JSON.stringify(asm), 'json')).animals[0]?.colors, ['Black - Tan, Fawn'])
})

test('statuses of each program are mapped so animals that are not available are not published', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  const file = csv(
    'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE,ANIMALNOTFORADOPTION,ANIMALNONSHELTER',
    '1,Rex,Dog,,Y,N',
    '2,Max,Dog,,N,Y',
    '3,Tom,Dog,,N,N',
  )
  const { animals, refused } = await manager(file, 'csv')
  assert.deepEqual(
    animals.map(({ externalId, status }) => [externalId, status]),
    [
      ['1', undefined],
      ['3', 'available'],
    ],
  )
  assert.deepEqual(refused, [{ line: 3, id: '2', name: 'Max', reason: 'It was never in the shelter.' }])

  const service = await openForFiles(t, 'shelter-manager')
  const reserved = [0, 1].map((HASACTIVERESERVE) => ({
    ...{ SHELTERCODE: `R${HASACTIVERESERVE}`, ANIMALNAME: 'Rex', SPECIESNAME: 'Dog', HASACTIVERESERVE },
  }))
  const statusesOf = ({ animals }: { animals: { status?: string }[] }) => animals.map(({ status }) => status)
  assert.deepEqual(statusesOf(await service(JSON.stringify(reserved), 'json')), ['available', 'pending'])

  const rescueGroups = await openForFiles(t, 'rescuegroups')
  const rows = [
    { status: 'Available', isAdoptionPending: true },
    { status: 'Available', isAdoptionPending: false },
    { status: 'Adopted', isAdoptionPending: true },
  ].map((row, id) => JSON.stringify({ id, name: 'Rex', species: 'Dog', ...row }))
  assert.deepEqual(statusesOf(await rescueGroups(csv(...rows), 'ndjson')), ['pending', 'available', 'sold'])

  const shelterluv = await openForFiles(t, 'shelterluv')
  const dead = ['Euthanized', 'Deceased In Care', 'Not available: deceased'].map((Status, ID) =>
    JSON.stringify({ ID, Name: 'Rex', Type: 'Dog', Status }),
  )
  const gone = await shelterluv(csv(...dead), 'ndjson')
  assert.deepEqual(
    gone.refused.map(({ reason }) => reason),
    Array(3).fill('It has died.'),
  )
})

test('weights and amounts are read with units and decimal commas; a weight of 0 counts as unknown', async (t) => {
  const shelterluv = await openForFiles(t, 'shelterluv')
  const weights = [
    '22.5 lb',
    '45.6 lbs',
    '10 kg',
    '3 oz',
    '12,5',
    '0',
    '7 stone',
    '0,250 kg',
    '1,250 kg',
    '1,250 lb',
  ]
  const file = csv(
    'Animal ID,Name,Species,Status,Weight',
    ...weights.map((weight, id) => `${id},Rex,Dog,Available,"${weight}"`),
  )
  const { animals, leftOut } = await shelterluv(file, 'csv')
  assert.deepEqual(
    animals.map(({ weightGrams }) => weightGrams),
    [10_206, 20_684, 10_000, 85, 5_670, undefined, undefined, 250, 1_250, 566_990],
  )
  assert.deepEqual(leftOut, { 'Weight (not understood)': 1 })

  const manager = await openForFiles(t, 'shelter-manager')
  const fees = ['20,50', '1.250,00 €', '"1,250"', '$20']
  const rows = fees.map((fee, id) => `${id},Rex,Dog,,"${fee.replaceAll('"', '')}",0`)
  const read = await manager(
    csv('ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE,ANIMALFEE,ANIMALWEIGHT', ...rows),
    'csv',
  )
  assert.deepEqual(
    read.animals.map(({ fee }) => fee?.amount),
    [2_050, 125_000, 125_000, 2_000],
  )
  assert.deepEqual(read.leftOut, {})
})

test('the report lists unread values separately from columns without a field, and gives advice', async (t) => {
  const petfinder = await openForFiles(t, 'petfinder')
  const file = csv(
    'ID,AnimalName,Type,Status,Internal,birth_date,arrival_date,Age',
    '1,Rex,Dog,A,x,25/12/2021,31/31/2020,',
    '2,Max,Dog,A,x,31/12/2020,,Ancient',
  )
  const done = await petfinder(file, 'csv', { locale: { ...US_LOCALE, dayFirst: false } })
  assert.equal(
    formatLeftOut(done),
    'not imported (no such field): Internal (2)\n' +
      'not understood: birth_date "25/12/2021" on line 2 (2), arrival_date "31/31/2020" on line 2 (1), ' +
      'Age "Ancient" on line 3 (1); --day-first reads 25/12/2021',
  )
  assert.deepEqual(done.notUnderstood?.at(-1), { line: 3, column: 'Age', value: 'Ancient' })

  const shelterluv = await openForFiles(t, 'shelterluv')
  const luv = { has_more: true, animals: [{ ID: 1, Name: 'Rex', Type: 'Dog', Status: 'Available' }] }
  const page = await shelterluv(JSON.stringify(luv), 'json')
  assert.equal(formatLeftOut(page), 'the file is one page of several: import the other pages too')
  const last = await shelterluv(JSON.stringify({ ...luv, has_more: false }), 'json')
  assert.equal(formatLeftOut(last), undefined)

  const rescueGroups = await openForFiles(t, 'rescuegroups')
  const data = [
    { type: 'animals', id: '1', attributes: { name: 'Rex', species: 'Dog', status: 'Available' } },
  ]
  const first = await rescueGroups(JSON.stringify({ data, meta: { pages: 3 } }), 'json')
  assert.equal(formatLeftOut(first), 'the file is one page of several: import the other pages too')
  const only = await rescueGroups(JSON.stringify({ data, meta: { pages: 1 } }), 'json')
  assert.equal(formatLeftOut(only), undefined)
})

test('an object with an integer beyond 2^53 is reported as not imported', async (t) => {
  const rescueGroups = await openForFiles(t, 'rescuegroups')
  const line =
    '{"id":1,"name":"Rex","species":"Dog","status":"Available","tracking":{"tag":1152921504606846976}}'
  const done = await rescueGroups(line, 'ndjson')
  assert.deepEqual([done.refused, done.animals[0]?.name], [[], 'Rex'])
  assert.equal(formatLeftOut(done), 'not imported (no such field): tracking (1)')
})

test('unknown columns and members in the own format of adoptable are reported', async (t) => {
  const own = await openForFiles(t, 'own')
  const rex = { id: 1, name: 'Rex', category: 'Dog', photos: [], createdAt: '2026-01-01T00:00:00Z' }
  const odd = { colour: 'Black', traits: { housetrained: true, vaccinated: true } }
  const lined = await own(JSON.stringify({ ...rex, ...odd }), 'ndjson')
  assert.deepEqual(lined.leftOut, { colour: 1, 'traits.housetrained': 1 })
  assert.deepEqual(lined.animals[0]?.traits, { vaccinated: true })

  const { leftOut } = await own(csv('id,name,category,colour,traits.trained', '2,Max,Dog,,true'), 'csv')
  assert.deepEqual(leftOut, { 'traits.trained': 1 })
})

test('a Petfinder flag of 0 removes an earlier value, an empty cell does not', async (t) => {
  const petfinder = await openForFiles(t, 'petfinder')
  const head = 'ID,AnimalName,Type,Status,NoCats,NoDogs,NoKids,adoption_fee,display_adoption_fee'
  const before = await petfinder(csv(head, '1,Rex,Dog,A,1,1,,100,1'), 'csv')
  assert.deepEqual(before.animals[0]?.goodWith, { dogs: false, cats: false })

  const same = await petfinder(csv(head, '1,Rex,Dog,A,,,,,'), 'csv')
  assert.deepEqual([same.unchanged, same.animals[0]?.fee], [1, { amount: 10_000, currency: 'USD' }])

  const { updated, animals, refused } = await petfinder(csv(head, '1,Rex,Dog,A,0,,0,100,0'), 'csv')
  assert.deepEqual([updated, refused], [1, []])
  assert.deepEqual(animals[0]?.goodWith, { dogs: false })
  assert.equal(animals[0]?.fee, undefined)
})

test('Shelterluv house training, good-with attributes and mixed breeds are imported', async (t) => {
  const shelterluv = await openForFiles(t, 'shelterluv')
  const names = ['Housetrained', 'Not good with cats', 'Not Good With Dogs', 'Not good with kids']
  const Attributes = names.map((AttributeName) => ({ AttributeName, Publish: 'Yes' }))
  const rex = { ID: 1, Name: 'Rex', Type: 'Dog', Status: 'Available', Attributes }
  const { animals } = await shelterluv(JSON.stringify(rex), 'ndjson')
  const { traits, goodWith, tags } = animals[0] ?? {}
  assert.deepEqual(
    [traits, goodWith, tags],
    [{ houseTrained: true }, { children: false, dogs: false, cats: false }, undefined],
  )

  const head = 'Animal ID,Name,Species,Status,Primary Breed,Secondary Breed'
  const file = csv(head, '2,Max,Dog,Available,Beagle,Mix', '3,Tom,Dog,Available,Beagle,Boxer')
  const [, max, tom] = (await shelterluv(file, 'csv')).animals
  assert.deepEqual(max?.breed, { primary: 'Beagle', mixed: true })
  assert.deepEqual(tom?.breed, { primary: 'Beagle', secondary: 'Boxer', mixed: true })
})

test('Animal Shelter Manager bonds are imported for animals in the file', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  const animal = (ID: number, BONDEDANIMALID: number) => ({
    ...{
      ID,
      SHELTERCODE: `D${ID}`,
      ANIMALNAME: 'Rex',
      SPECIESNAME: 'Dog',
      BONDEDANIMALID,
      BONDEDANIMAL2ID: 0,
    },
  })
  const file = JSON.stringify([animal(11, 12), animal(12, 11), animal(13, 99)])
  const { animals, leftOut, refused } = await manager(file, 'json')
  assert.deepEqual(
    animals.map(({ bondedWith }) => bondedWith),
    [[2], [1], undefined],
  )
  assert.deepEqual(leftOut, {})
  assert.deepEqual(refused, [
    {
      ...{ line: 3, id: 'D13', name: 'Rex' },
      reason: 'bondedWith: It is bonded with 99, which was not imported, so it is not published.',
    },
  ])
  assert.equal((await manager(file, 'json')).unchanged, 3)
})

test('animals of RescueGroups’ API v2 are imported like those of v5', async (t) => {
  const rescueGroups = await openForFiles(t, 'rescuegroups')
  const rex = {
    ...{ animalID: '11', animalRescueID: 'R-11', animalName: 'Rex', animalSpecies: 'Dog', animalSex: 'Male' },
    ...{ animalStatus: 'Available', animalBreed: 'Beagle / Boxer / Mixed', animalBirthdate: '3/14/2021' },
    ...{ animalGeneralSizePotential: 'Large', animalSizeCurrent: 50, animalSizeUOM: 'Pounds' },
    ...{ animalDescription: '<p>A dog</p>', animalDescriptionPlain: 'A dog', animalOKWithKids: 'Yes' },
    ...{ animalOKWithCats: 'No', animalUptodate: 'Yes', animalAdoptionFee: '$250' },
  }
  const others = [
    { ...rex, animalID: '12', animalName: 'Hold', animalStatus: 'Hold' },
    { ...rex, animalID: '13', animalName: 'Promised', animalAdoptionPending: 'Yes' },
    { ...rex, animalID: '14', animalName: 'Gone', animalKillDate: '11/2/2026' },
  ].map((animal) => ({ ...animal, animalRescueID: '' }))
  const data = Object.fromEntries([rex, ...others].map((animal) => [animal.animalID, animal]))
  const read = await rescueGroups(JSON.stringify({ status: 'ok', foundRows: 4, data }), 'json')

  assert.deepEqual(
    [read.refused, read.animals.map(({ name, status }) => [name, status])],
    [
      [],
      [
        ['Rex', 'available'],
        ['Hold', undefined],
        ['Promised', 'pending'],
        ['Gone', undefined],
      ],
    ],
  )
  const { category, externalId, breed, birthDate, sex, size, weightGrams, description } = read.animals[0]
  assert.deepEqual(
    [category, externalId, breed, birthDate, sex, size, weightGrams, description],
    [
      ...['Dog', 'R-11', { primary: 'Beagle', secondary: 'Boxer', mixed: true }, '2021-03-14', 'male'],
      ...['large', 22_680, 'A dog'],
    ],
  )
  const { goodWith, traits, fee } = read.animals[0]
  assert.deepEqual(
    [goodWith, traits, fee],
    [{ children: true, cats: false }, { vaccinated: true }, { amount: 25_000, currency: 'USD' }],
  )
  const lines = Object.values(data).map((animal) => JSON.stringify(animal))
  assert.equal((await rescueGroups(lines.join('\n'), 'ndjson')).unchanged, 4)
})

test('Shelterluv: an animal in foster is published, but not with an adopter or out of custody', async (t) => {
  const shelterluv = await openForFiles(t, 'shelterluv')
  const rex = { Name: 'Rex', Type: 'Dog', Status: 'Available In Foster' }
  const person = (RelationshipType: string) => ({
    AssociatedPerson: { FirstName: 'Jane', OutDateUnixTime: '1762000000', RelationshipType },
  })
  const page = [
    { ...rex, ...person('foster'), ID: 1 },
    { ...rex, ...person('adopter'), ID: 2 },
  ]
  const { animals } = await shelterluv(JSON.stringify({ animals: page }), 'json')
  assert.deepEqual(
    animals.map(({ status }) => status),
    ['available', undefined],
  )

  const head =
    'Animal ID,Name,Species,Status,In Custody,Age (Y/M/D),Current Weight,Kennel Card / Web Site Memo,Foster Person Phone,Private**'
  const file = csv(
    head,
    '3,Max,Dog,Available In Foster,Yes,2Y/ 4M/ 26D,45.20,Loves <b>naps</b>,555-0100,Ask for Jane',
    '4,Tom,Dog,Available In Foster,No,,,,,',
  )
  const [, , max, tom] = (await shelterluv(file, 'csv')).animals
  assert.deepEqual(
    [max.status, max.birthDate, max.weightGrams, max.description],
    ['available', '2024-06-27', 20_502, 'Loves naps'],
  )
  assert.equal(tom.status, undefined)
})

test('animals of Petfinder’s API v2 are imported, with the place but without the contact', async (t) => {
  const petfinder = await openForFiles(t, 'petfinder')
  const rex = {
    ...{ id: 1, organization_id: 'CO1', type: 'Small & Furry', species: 'Guinea Pig', name: 'Rex' },
    breeds: { primary: 'Abyssinian', secondary: null, mixed: false, unknown: false },
    colors: { primary: 'Black', secondary: 'White', tertiary: null },
    ...{ age: 'Young', gender: 'Male', size: 'Extra Large', coat: 'Short', tags: ['Cute', 'Gentle'] },
    attributes: { spayed_neutered: true, house_trained: false, declawed: null, shots_current: true },
    environment: { children: true, dogs: false, cats: null },
    ...{ description: 'He&#039;s sweet', organization_animal_id: 'X-1', status: 'adoptable' },
    contact: {
      ...{ email: 'jane@example.com', phone: '555-0100' },
      address: { address1: '12 Elm', city: 'Denver', state: 'CO', postcode: '80202', country: 'US' },
    },
  }
  const others = [
    { ...rex, id: 2, organization_animal_id: null, status: 'found' },
    { ...rex, id: 3, organization_animal_id: null, status: 'adopted' },
  ]
  const page = { animals: [rex, ...others], pagination: { total_pages: 2, current_page: 1 } }
  const { animals, refused, leftOut } = await petfinder(JSON.stringify(page), 'json')
  assert.deepEqual([refused, leftOut], [[], { organization_id: 3, 'pagination.total_pages': 3 }])
  assert.deepEqual(
    animals.map(({ status, externalId }) => [status, externalId]),
    [
      ['available', 'X-1'],
      [undefined, '2'],
      ['sold', '3'],
    ],
  )
  const {
    species,
    breed,
    colors,
    age,
    sex,
    size,
    coat,
    tags,
    traits,
    goodWith,
    description,
    place,
    contact,
  } = animals[0]
  assert.deepEqual(
    [species, breed.primary, colors, age, sex, size, coat, tags, description, contact],
    [
      ...['Guinea Pig', 'Abyssinian', ['Black', 'White'], 'young', 'male', 'extra_large', 'short'],
      ...[['Cute', 'Gentle'], "He's sweet", undefined],
    ],
  )
  assert.deepEqual(traits, { spayedNeutered: true, houseTrained: false, vaccinated: true })
  assert.deepEqual(
    [goodWith, place.city, place.postcode],
    [{ children: true, dogs: false }, 'Denver', '80202'],
  )

  // A withdrawn answer, in a file of one animal.
  const later = { ...rex, environment: { children: null, dogs: null, cats: null } }
  const { animals: after } = await petfinder(JSON.stringify({ animal: later }), 'json')
  assert.equal(after[0].goodWith, undefined)
})
