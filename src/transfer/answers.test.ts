import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'
import { createTableMapping } from './mappings/chosen.ts'

// A yes, or a description, that the shelter has removed must not stay published.

const csv = (...lines: string[]): string => `${lines.join('\n')}\n`

test('Animal Shelter Manager: a yes that becomes anything else is removed, and the new words go to the staff notes', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  const head =
    'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE,ANIMALDESCRIPTION,ANIMALHIDDENDETAILS,' +
    'ANIMALGOODWITHCATS,ANIMALGOODWITHDOGS,ANIMALGOODWITHKIDS,ANIMALHOUSETRAINED'
  const day = (cells: string) => manager(csv(head, `S1,Rolo,Dog,None,${cells}`), 'csv')
  const first = await day('Lovely with everybody.,Loud,Yes,Yes,Yes,Yes')
  assert.deepEqual(first.animals[0].goodWith, { children: true, dogs: true, cats: true })
  assert.equal(first.withdrawn, undefined)

  const second = await day(',,Unknown,Selective,Unknown,Yes')
  const [rolo] = second.animals
  assert.deepEqual(
    [rolo.goodWith, rolo.description, rolo.traits],
    [undefined, undefined, { houseTrained: true }],
  )
  assert.equal(rolo.staff.notes, 'Good with dogs: Selective\nLoud')
  assert.deepEqual(second.withdrawn, {
    ...{ 'goodWith.children': 1, 'goodWith.dogs': 1, 'goodWith.cats': 1, description: 1 },
  })
  assert.equal((await day(',,Unknown,Selective,Unknown,Yes')).unchanged, 1)

  const back = (await day('Lovely with everybody.,Loud,Yes,Yes,Yes,Yes')).animals[0]
  assert.deepEqual([back.goodWith.children, back.staff.notes], [true, 'Loud'])

  const third = (await day('Lovely with everybody.,,Yes,Yes,Over 12,')).animals[0]
  assert.deepEqual([third.goodWith, third.traits], [{ dogs: true, cats: true }, undefined])
  assert.equal(third.staff.notes, 'Good with children: Over 12\nLoud')
})

test('Animal Shelter Manager: codes in its lists remove a yes; members absent from the list stay', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  const animal = { ID: 1, SHELTERCODE: 'S1', ANIMALNAME: 'Rolo', SPECIESNAME: 'Dog', WEBSITEMEDIANOTES: 'Hi' }
  const list = (...animals: object[]) => manager(JSON.stringify(animals), 'json')
  const yes = { ISGOODWITHCHILDREN: 0, ISGOODWITHDOGS: 0, ISGOODWITHCATS: 0 }
  await list({ ...animal, ...yes, HASSPECIALNEEDS: 1 })

  const [absent] = (await list(animal)).animals
  assert.deepEqual(absent.goodWith, { children: true, dogs: true, cats: true })

  const codes = { ISGOODWITHCHILDREN: 12, ISGOODWITHDOGS: 3, ISGOODWITHDOGSNAME: 'Selectivo' }
  const other = { ...animal, SHELTERCODE: 'S2', ID: 2, ISGOODWITHCATS: 2 }
  const { animals, withdrawn } = await list({ ...animal, ...codes, WEBSITEMEDIANOTES: null }, other)
  const [rolo] = animals
  assert.deepEqual([rolo.goodWith, rolo.description], [undefined, undefined])
  assert.equal(rolo.staff.notes, 'Good with children: Over 12\nGood with dogs: Selectivo')
  assert.deepEqual(rolo.traits, { specialNeeds: true })
  assert.equal(withdrawn?.['goodWith.cats'], 1)
})

test('RescueGroups and Shelterluv: null, empty and missing answers remove a yes', async (t) => {
  const groups = await openForFiles(t, 'rescuegroups')
  const rex = { id: 1, name: 'Rex', species: 'Dog', status: 'Available' }
  await groups(JSON.stringify({ ...rex, isKidsOk: true, isDogsOk: 'Yes', descriptionText: 'Hi' }), 'ndjson')
  const odd = { isKidsOk: null, isDogsOk: 'Some', descriptionText: '' }
  const { animals, withdrawn } = await groups(JSON.stringify({ ...rex, ...odd }), 'ndjson')
  assert.deepEqual([animals[0].goodWith, animals[0].description], [undefined, undefined])
  assert.equal(animals[0].staff.notes, 'Good with dogs: Some')
  assert.deepEqual(withdrawn, { 'goodWith.children': 1, 'goodWith.dogs': 1, description: 1 })

  const luv = await openForFiles(t, 'shelterluv')
  const page = (...attributes: string[]) =>
    luv(
      JSON.stringify({
        ...{ ID: 1, Name: 'Rex', Type: 'Dog', Status: 'Available' },
        Attributes: attributes.map((AttributeName) => ({ AttributeName, Publish: 'Yes' })),
      }),
      'ndjson',
    )
  await page('Good with kids', 'House trained')
  const [sox] = (await page('House trained')).animals
  assert.deepEqual([sox.goodWith, sox.traits], [undefined, { houseTrained: true }])
})

test('programs: tags that a file no longer has are removed', async (t) => {
  const petfinder = await openForFiles(t, 'petfinder')
  const head = 'ID,AnimalName,Type,Status,tags\n'
  await petfinder(`${head}1,Rex,Dog,A,"Good with dogs, calm"\n`, 'csv')
  const { animals, withdrawn } = await petfinder(`${head}1,Rex,Dog,A,\n`, 'csv')
  assert.deepEqual([animals[0].tags, withdrawn], [undefined, { tags: 1 }])

  const luv = await openForFiles(t, 'shelterluv')
  const page = (Publish: string) =>
    luv(
      JSON.stringify({
        ...{ ID: 1, Name: 'Rex', Type: 'Dog', Status: 'Available' },
        Attributes: [{ AttributeName: 'Lap dog', Publish }],
      }),
      'ndjson',
    )
  await page('Yes')
  const [rex] = (await page('No')).animals
  assert.deepEqual([rex.tags, rex.staff.notes], [undefined, 'Attributes: Lap dog'])

  const groups = await openForFiles(t, 'rescuegroups')
  const dog = { id: 1, name: 'Rex', species: 'Dog', status: 'Available' }
  await groups(JSON.stringify({ ...dog, qualities: ['lap'] }), 'ndjson')
  assert.equal((await groups(JSON.stringify({ ...dog, qualities: [] }), 'ndjson')).animals[0].tags, undefined)
})

test('own format: an empty cell of a column in the file removes the value, and a column not in the file keeps it', async (t) => {
  const own = await openForFiles(t, 'own')
  const head =
    'id,name,category,goodWith.children,goodWith.dogs,traits.declawed,description,fee.amount,fee.currency,tags'
  await own(csv(head, '1,Rex,Dog,true,true,false,Hi,1000,USD,calm'), 'csv')

  const partial = await own(csv('id,name,category,description', '1,Rex,Dog,Hi'), 'csv')
  assert.deepEqual([partial.unchanged, partial.animals[0].goodWith], [1, { children: true, dogs: true }])

  const done = await own(csv(head, '1,Rex,Dog,Over 12,,,,,,'), 'csv')
  const { goodWith, traits, description, fee, tags, staff } = done.animals[0]
  assert.deepEqual([goodWith, traits, description, fee, tags], Array(5).fill(undefined))
  assert.deepEqual([staff.notes, done.refused], ['Good with children: Over 12', []])

  const line = (more: object) =>
    own(JSON.stringify({ id: '1', name: 'Rex', category: 'Dog', ...more }), 'ndjson')
  await line({ goodWith: { cats: true }, description: 'Hi' })
  const nulls = await line({ goodWith: { cats: null }, description: null })
  assert.deepEqual([nulls.animals[0].goodWith, nulls.animals[0].description], [undefined, undefined])
})

test('chosen columns: an unknown or unusual answer removes a yes, and the animal is imported', async (t) => {
  const own = await openForFiles(t, 'own')
  const headings = ['No', 'Name', 'Kind', 'Kids?', 'Cats?', 'About']
  const columns = new Map(
    ['name', 'category', 'goodWith.children', 'goodWith.cats', 'description'].map((name, at) => [
      at + 1,
      name,
    ]),
  )
  const mapping = createTableMapping(headings, { columns, id: 0 })
  const table = (cells: string) =>
    own(csv(headings.join(','), cells), 'csv', { mapping, idColumn: mapping.idColumn })
  await table('1,Rex,Dog,yes,sí,Hi')

  const { animals, refused, withdrawn } = await table('1,Rex,Dog,Only older children,?,')

  assert.deepEqual([animals[0].goodWith, animals[0].description, refused], [undefined, undefined, []])
  assert.equal(animals[0].staff.notes, 'Good with children: Only older children')
  assert.deepEqual(withdrawn, { 'goodWith.children': 1, 'goodWith.cats': 1, description: 1 })
})

test('answers replace those of an earlier file in the staff notes, and keep what a person wrote', async (t) => {
  const own = await openForFiles(t, 'own')
  const line = (answer: string, notes = '') =>
    own(csv('id,name,category,goodWith.cats,staff.notes', `1,Rex,Dog,${answer},${notes}`), 'csv')
  const notesAfter = async (answer: string) => (await line(answer)).animals[0].staff?.notes
  await line('true', 'Hides from men')
  assert.equal(await notesAfter('with a\tfence'), 'Good with cats: with a fence\nHides from men')
  assert.equal(await notesAfter('Older cats'), 'Good with cats: Older cats\nHides from men')
  assert.equal(await notesAfter('desconocido'), 'Hides from men')
  assert.equal(await notesAfter('x'.repeat(2_000)), `Good with cats: ${'x'.repeat(200)}\nHides from men`)
})

test('staff notes without an answer of the file stay exactly as they are', async (t) => {
  const own = await openForFiles(t, 'own')
  const file = csv('id,name,category,goodWith.cats,staff.notes', '1,Rex,Dog,true," spaced\n\n "')
  const { animals } = await own(file, 'csv')
  assert.deepEqual([animals[0].staff.notes, (await own(file, 'csv')).unchanged], [' spaced\n\n ', 1])
})
