import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'
import { guessColumns } from './headings.ts'

const OPTIONS = { idColumn: undefined, update: false, guessesColumns: true, again: true }

const guess = (headings: string): (string | undefined)[] => {
  const all = headings.split('|').map((heading, index) => ({ heading, index }))
  const guessed = new Map(guessColumns(all, []))
  return all.map(({ index }) => guessed.get(index))
}

const HEADINGS: [column: string | undefined, headings: string[]][] = [
  ['name', ["Dog's name", 'PET NAME', 'Nombre del perro', 'Nombre de la mascota', 'animalname']],
  ['category', ['Species name', 'Type of animal', 'Especie', 'speciesname']],
  ['status', ['Current status', 'Estado actual', 'Situacion', 'Estatus']],
  ['externalId', ['ID', 'Tag #', 'Shelter code', 'Codigo', 'N.º de expediente']],
  ['breed.primary', ['Animal Breed', 'Breed(s)', 'Raza o cruce', 'breedname']],
  ['sex', ['Sexo (M/H)', 'Sex (M/F)', 'Dog sex', 'sexname']],
  ['birthDate', ['DOB (est.)', 'Est. DOB', 'F. nacimiento', 'Fecha de nacimiento (dd/mm/aaaa)', 'Dog DOB']],
  ['weightGrams', ['Current Weight', 'Peso actual', 'Weight (lbs)', 'Peso (kg)']],
  ['fee.amount', ['Adoption fee ($)', 'Cuota (€)', 'Rehoming fee']],
  [
    'goodWith.children',
    ['Kid friendly', 'Child-friendly?', 'Bueno con niños', 'Apto para niños', 'Safe with kids'],
  ],
  ['goodWith.dogs', ['Dog friendly', 'Good w/ dogs', 'Sociable con perros', 'OK with other dogs']],
  ['notGoodWith.cats', ['Not good with cats', 'No cats', 'Sin gatos', 'No apto para gatos']],
  ['staff.intakeDate', ['Intake Date/Time', 'Date received', 'Fecha de entrada', 'intakedate']],
  ['staff.microchip', ['Chip', 'Microchip ID', 'N.º de chip', 'identichipnumber']],
  ['staff.notes', ['Comments', 'Comentarios', 'Dog notes', 'Medical Notes', 'Behavior notes', 'Memo']],
  ['place.region', ['Province', 'Provincia']],
  // About a person or something else, or with several meanings.
  [
    undefined,
    [
      'Owner name',
      "Pet owner's name",
      'Foster',
      'Name (owner)',
      'Date of birth (mother)',
      'Good with kids over 10',
      'Good with pets',
      'Good with children (10+)',
      'Weight (stone)',
      'N.º',
      'State',
      'Location',
      'Dogs',
    ],
  ],
]

test('headings that people, programs and cities use are recognized, also with words around them', () => {
  for (const [column, headings] of HEADINGS)
    for (const heading of headings) assert.deepEqual(guess(heading), [column], heading)
})

test('of two headings for one field, the more exact one gets it; "State" is a region next to a city', () => {
  assert.deepEqual(guess('ID|Animal #|Name'), [undefined, 'externalId', 'name'])
  assert.deepEqual(guess('Species|Type'), ['species', 'category'])
  assert.deepEqual(guess('State|City'), ['place.region', 'place.city'])
  assert.deepEqual(guess('Status|State|Zip'), ['status', 'place.region', 'place.postcode'])
  const person = 'Animal Name|Admitter|Street Name|City|Province|Postal Code'
  assert.deepEqual(guess(person).filter(Boolean), ['name'], 'the place of a person is not that of the animal')
  for (const heading of [
    'Owner',
    'Foster',
    'Foster phone',
    'Previous owner',
    'Surrendered by',
    'Dueño anterior',
    'Acogida',
    'Adopter',
  ])
    assert.deepEqual(
      guess(`Name|${heading}|Contact phone|Contact e-mail|Nombre de contacto`).filter(Boolean),
      ['name'],
      `the contact next to "${heading}" may be private`,
    )
})

/** Some columns of RescueGroups' CSV as it names them, without spaces, and as in its API v2. */
const RESCUE_GROUPS = [
  'Animal ID|Status|Species|Name|General Age|Sex|Mixed|Primary Breed|Color (General)|Size Potential (General)|' +
    'Altered|OK with Kids|Description (no html)|Foster Phone (Home)|Location|Picture 1',
  'AnimalID|StatusName|Species|AnimalName|GeneralAge|Sex|Mixed|PrimaryBreed|ColorGeneral|SizePotentialGeneral|' +
    'Altered|OKwithKids|DescriptionPlain|FosterPhoneHome|Location|Picture1',
  'animalID|animalStatus|animalSpecies|animalName|animalGeneralAge|animalSex|animalMixedBreed|' +
    'animalPrimaryBreed|animalColor|animalGeneralSizePotential|animalAltered|animalOKWithKids|' +
    'animalDescriptionPlain|fosterPhoneHome|animalLocation|animalPictures',
]

test('the columns of RescueGroups are recognized with spaces, without spaces, and with "animal" before them', () => {
  const fields =
    'externalId|status|category|name|age|sex|breed.mixed|breed.primary|colors|size|traits.spayedNeutered|' +
    'goodWith.children|description|||'
  for (const headings of RESCUE_GROUPS)
    assert.deepEqual(
      guess(headings).map((column) => column ?? ''),
      fields.split('|'),
    )
  // The same text twice.
  assert.deepEqual(guess('AnimalName|Description|DescriptionPlain'), ['name', 'description', undefined])
  assert.deepEqual(guess('AnimalName|OwnerAddress|City'), ['name', undefined, undefined])
  assert.deepEqual(guess('Name|Foster Phone|City|Zip').filter(Boolean), ['name'])
})

test('a report of PetPoint: titles, lengths of stay and ages are read, and holds are not published', async (t) => {
  const read = await openForFiles(t, 'own')
  const head =
    'Animal #,Animal Name,Animal Type,Species,Primary Breed,Secondary Breed,Age,Sex,Spayed/Neutered,Stage,Intake Date/Time,Intake Type,Current Weight,Hold Reason,Days in Custody'
  const rows = [
    'A1,Biscuit,Dog,Dog,Beagle,Mix,2 years 3 months 4 days,Female,Yes,Available,11/02/2026 9:15 AM,Stray,24.50 pound,,23',
    'A2,Shadow,Cat,Cat,Domestic Shorthair,,9 months,Male,No,Available,10/13/2026 1:00 PM,Stray,8.20 pound,Bite Quarantine,43',
    'A3,Hop,Small Mammal,Rabbit,,,1 year,Female,Yes,Adoption Pending,11/01/2026 2:00 PM,Owner/Guardian Surrender,4 pound,,24',
    'A4,Gigi,Small Mammal,Guinea Pig,,,1 year,Female,,Awaiting Transfer,11/01/2026 2:00 PM,Stray,2 pound,,24',
  ]
  const file = ['"Animal Inventory",,', ...[head, ...rows], 'Total Animals: 4,,', 'Page 1 of 1,,'].join('\n')
  const { animals, refused } = await read(file, 'csv', OPTIONS)

  assert.deepEqual(refused, [])
  assert.deepEqual(
    animals.map(({ name, status, category, species, weightGrams, staff }) =>
      [name, status, category, species, weightGrams, staff.intakeDate].map((value) => value ?? null),
    ),
    [
      ['Biscuit', 'available', 'Dog', null, 11_113, '2026-11-02'],
      ['Shadow', null, 'Cat', null, 3_719, '2026-10-13'],
      ['Hop', 'pending', 'Rabbit', null, 1_814, '2026-11-01'],
      ['Gigi', null, 'Small & furry', 'Guinea Pig', 907, '2026-11-01'],
    ],
  )
})

test('animals without a name get the number of their row, which is not an id', async (t) => {
  const read = await openForFiles(t, 'own')
  const options = { idColumn: undefined, update: false, guessesColumns: true, again: true }
  const numbers = ['Nº', 'No.', '#', 'Número']
  for (const heading of numbers) {
    const file = `${heading},Nombre,Especie,Estado\n9,,Gato,Disponible\n10,Luna,Perro,Disponible\n`
    const { animals, refused } = await read(file, 'csv', options)
    assert.deepEqual(refused, [], heading)
    assert.deepEqual(
      animals.slice(-2).map(({ name, externalId }) => [name, externalId]),
      [
        ['9', undefined],
        ['Luna', undefined],
      ],
      heading,
    )
  }
})

test('open data of Dallas and Bloomington: animals without a name, or with headings run together', async (t) => {
  const read = await openForFiles(t, 'own')
  const dallas = `Animal Id,Animal Type,Animal Breed,Kennel Number,Kennel Status,Intake Type,Intake Date,Hold Request
A1,DOG,PIT BULL,LFD 12,AVAILABLE,STRAY,11/13/2026,
A2,WILDLIFE,RACCOON,,UNAVAILABLE,WILDLIFE,11/15/2026,`
  const one = await read(dallas, 'csv', OPTIONS)
  assert.deepEqual(
    one.animals.map(({ name, externalId, status }) => [name, externalId, status]),
    [['A1', 'A1', undefined]],
  )
  assert.equal(one.refused.length, 1)

  const bloomington = `id,intakedate,sheltercode,animalname,breedname,speciesname,animalage,sexname,status,deceaseddate,isquarantine
1,2026-09-28,C1,Jadzia,Domestic Short Hair,Cat,1 year 11 months.,Female,Available,,0
2,2026-10-28,D2,Gonzo,German Shepherd Dog/Mix,Dog,1 year.,Male,Available,2026-11-01 00:00:00,0
3,2026-10-28,D3,Fido,Beagle,Dog,1 year.,Male,Available,,1`
  const other = await read(bloomington, 'csv', OPTIONS)
  assert.deepEqual(
    other.animals.slice(-3).map(({ name, externalId, status }) => [name, externalId, status]),
    [
      ['Jadzia', 'C1', 'available'],
      ['Gonzo', 'D2', undefined],
      ['Fido', 'D3', undefined],
    ],
  )
})

test('a table without kinds: each line says that a category is needed', async (t) => {
  const read = await openForFiles(t, 'own')
  const file = 'Nombre,Raza,Situación actual\nBruno,Mastín,Disponible\n'
  const { refused } = await read(file, 'csv', OPTIONS)
  assert.match(refused[0]?.reason ?? '', /does not say what kind of animal it is; choose one with --category/)
  const { animals } = await read(file, 'csv', { ...OPTIONS, category: 'Dog' })
  assert.deepEqual([animals[0].name, animals[0].status], ['Bruno', 'available'])
})

test('numbers as spreadsheets protect them: their signs are removed, and a chip has figures', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = [
    `7.0,Ada,Dog,'985112345678901,Boston,MA,'02134`,
    '"=""8""",Ben,Dog,985112345678902.0,Concord,New Hampshire,3301-1234',
    '9,Cleo,Dog,Yes,Burlington,VT,5401',
    '10,Dora,Dog,no chip,Portland,ME,"=""04101"""',
  ]
  const file = ['ID,Name,Type,Microchip,City,State,Zip', ...rows].join('\n')
  const { animals, notUnderstood, refused } = await read(file, 'csv', OPTIONS)

  assert.deepEqual(
    animals.map(({ externalId, staff, place }) => [externalId, staff?.microchip ?? null, place.postcode]),
    [
      ['7', '985112345678901', '02134'],
      ['8', '985112345678902', '03301-1234'],
      ['9', null, '05401'],
      ['10', null, '04101'],
    ],
  )
  assert.deepEqual([notUnderstood, refused], [[{ line: 4, column: 'Microchip', value: 'Yes' }], []])
})

test('an approximate birth date is not exact; a heading may name the currency', async (t) => {
  const read = await openForFiles(t, 'own')
  const file =
    'Nombre;Tipo;Est. DOB;Cuota (€)\nAda;Perra;2020-05-01;80\nBen;Gato;aprox. 2021;90\nCleo;Gata;05/2022?;\n'
  const { animals } = await read(file, 'csv', OPTIONS)
  assert.deepEqual(
    animals.map(({ birthDate, birthDateExact, fee }) => [birthDate, birthDateExact, fee?.currency]),
    [
      ['2020-05-01', false, 'EUR'],
      ['2021-01-01', false, 'EUR'],
      ['2022-05-01', false, undefined],
    ],
  )
})

test('columns about one trait are read by words such as "current"; a name such as "no name" counts as missing', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = [
    '1,Unnamed,Dog,Spayed,current,housebroken',
    '2,Sin nombre,Perro,Entero,Al día,no',
    '3,?,Gato,unk,none,',
  ]
  const file = ['ID,Name,Type,S/N,Vaccinated,House trained', ...rows].join('\n')
  const { animals, refused, leftOut } = await read(file, 'csv', OPTIONS)
  assert.deepEqual(
    animals.map(({ name, traits }) => [name, traits ?? null]),
    [
      ['1', { spayedNeutered: true, houseTrained: true, vaccinated: true }],
      ['2', { spayedNeutered: false, houseTrained: false, vaccinated: true }],
      ['3', null],
    ],
  )
  assert.deepEqual([refused, leftOut], [[], {}])
  const own = await read('name,category,externalId\nUnknown,Dog,9\n', 'csv', OPTIONS)
  assert.equal(own.animals.at(-1).name, 'Unknown', 'own format')
})
