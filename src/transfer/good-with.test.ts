import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'
import { findDenials, isPlainStatement, readStatements, withStatements } from './good-with.ts'

test('a statement about children, dogs or cats is a plain yes, a plain no, or a condition', () => {
  const parts: [text: string, answers: Record<string, unknown>][] = [
    ['Good with Kids', { children: true }],
    ['Good with dogs and cats', { dogs: true, cats: true }],
    ['No Cats or Dogs', { cats: false, dogs: false }],
    ['No other pets', { dogs: false, cats: false }],
    ['No-Kids', { children: false }],
    ['Sin niños', { children: false }],
    ['No se lleva bien con otros perros', { dogs: false }],
    ['Good with other pets', {}],
    ['Large dog', {}],
    ['Loves to sleep', {}],
  ]
  for (const [text, answers] of parts)
    assert.deepEqual(JSON.parse(JSON.stringify(readStatements([text]))), answers, text)
  const yes = { children: true, dogs: true, cats: true }
  for (const text of [
    'No kids under 10',
    'olderKidsOnly',
    'Older kids',
    'Good with older kids',
    'Niños mayores',
  ])
    assert.deepEqual(
      [withStatements(yes, [text]), isPlainStatement(text)],
      [{ ...yes, children: undefined }, false],
      text,
    )
  assert.deepEqual(withStatements(yes, ['noLargeDogs', 'Only pet']), {
    ...{ children: true, dogs: undefined, cats: undefined },
  })
  assert.deepEqual(withStatements({}, ['Good with kids', 'No cats']), { cats: false })
})

/** Two statements about an animal in the words of a file, and the answer that counts. */
const DISAGREE: [one: string, other: string, children: boolean | undefined][] = [
  ['Yes', 'Yes', false],
  ['Yes', 'No', true],
  ['Yes', 'Unknown', undefined],
  ['Yes', 'under 10', undefined],
  ['No', 'No', false],
  ['Unknown', 'Yes', false],
]

test('tables: a column "No kids" or a tag overrides a yes', async (t) => {
  const read = await openForFiles(t, 'own')
  const guess = { guessesColumns: true, idColumn: 'Animal ID' }
  const rows = DISAGREE.map(([one, other], index) => `${index},Rex,Dog,${one},${other},`)
  const tagged = ['6,Rex,Dog,Yes,,no kids', '7,Rex,Dog,Yes,,olderKidsOnly', '8,Rex,Dog,Yes,,calm']
  const head = 'Animal ID,Name,Species,Good with Kids,No Kids,Tags'
  const { animals, leftOut } = await read([head, ...rows, ...tagged].join('\n'), 'csv', guess)
  assert.deepEqual(
    animals.map(({ goodWith }) => goodWith?.children),
    [...DISAGREE.map(([, , children]) => children), false, undefined, true],
  )
  assert.equal(animals[3].staff.notes, 'Good with children: No Kids: under 10')
  assert.deepEqual(leftOut, { 'No Kids (not understood)': 1 })

  const two = 'Animal ID,Name,Species,Good with kids,OK with kids\n8,Rex,Dog,Yes,No\n'
  const later = await read(two, 'csv', guess)
  assert.equal(later.animals[8].goodWith.children, false)
  const back = await read('Animal ID,Name,Species,No kids\n8,Rex,Dog,No\n', 'csv', guess)
  assert.equal(back.animals[8].goodWith, undefined, 'a no is removed')
})

test('programs: the most careful of several members, flags, attributes and qualities counts', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  const head = 'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE,ANIMALGOODWITHKIDS,ANIMALGOODWITHCHILDREN'
  const rows = [
    'S1,Rex,Dog,None,Yes,No,',
    'S2,Rex,Dog,None,Yes,Over 12,',
    'S3,Rex,Dog,None,Yes,,No kids|Cute',
  ]
  const flagged = await manager([`${head},ANIMALFLAGS`, ...rows].join('\n'), 'csv')
  assert.deepEqual(
    flagged.animals.map(({ goodWith }) => goodWith?.children),
    [false, undefined, false],
  )

  const luv = await openForFiles(t, 'shelterluv')
  const page = (ID: number, ...attributes: [name: string, publish: string][]) => ({
    ...{ ID, Name: 'Rex', Type: 'Dog', Status: 'Available' },
    Attributes: attributes.map(([AttributeName, Publish]) => ({ AttributeName, Publish })),
  })
  const pages = [
    page(1, ['Good with Kids', 'Yes'], ['No Kids', 'Yes']),
    page(2, ['Good with Kids', 'Yes'], ['No Kids', 'No']),
    page(3, ['Good with Kids', 'Yes'], ['Older kids only', 'No']),
    page(4, ['Good with Kids', 'Yes'], ['No Cats', 'Yes']),
  ]
  const { animals } = await luv(JSON.stringify({ animals: pages }), 'json')
  assert.deepEqual(
    animals.map(({ goodWith }) => goodWith),
    [{ children: false }, { children: false }, undefined, { children: true, cats: false }],
  )

  const cells = '5,Rex,Dog,Available,"Good with Dogs, No Kids, Shy"'
  const table = await luv(`Animal ID,Name,Species,Status,Attributes\n${cells}\n`, 'csv')
  assert.deepEqual(table.animals[4].goodWith, { children: false }, 'the CSV does not say what is published')
  assert.equal(table.animals[4].staff.notes, 'Attributes: Good with Dogs, No Kids, Shy')

  const groups = await openForFiles(t, 'rescuegroups')
  const rex = { name: 'Rex', species: 'Dog', status: 'Available', isKidsOk: true, isDogsOk: true }
  const lines = [
    { ...rex, id: 1, qualities: ['olderKidsOnly', 'noLargeDogs'] },
    { ...rex, id: 2, qualities: ['No kids'] },
  ]
  const done = await groups(lines.map((line) => JSON.stringify(line)).join('\n'), 'ndjson')
  assert.deepEqual(
    done.animals.map(({ goodWith }) => goodWith),
    [undefined, { children: false, dogs: true }],
  )

  const finder = await openForFiles(t, 'petfinder')
  const file = 'ID,AnimalName,Type,Status,NoKids,tags\n1,Rex,Dog,A,,"calm,no kids"\n'
  assert.deepEqual((await finder(file, 'csv')).animals[0].goodWith, { children: false })
})

test('a yes with a condition is not a yes, and its words go to the staff notes', async (t) => {
  const groups = await openForFiles(t, 'rescuegroups')
  const own = await openForFiles(t, 'own')
  for (const answer of ['yes*', 'yes, only with older children', 'Yes - slowly', 'yes?']) {
    const animal = { id: 1, name: 'Rex', species: 'Dog', status: 'Available', isKidsOk: answer }
    const [rex] = (await groups(JSON.stringify(animal), 'ndjson')).animals
    assert.deepEqual([rex.goodWith, rex.staff.notes], [undefined, `Good with children: ${answer}`])
    const table = `id,Name,Species,Kids OK\n1,Rex,Dog,"${answer}"\n`
    const [max] = (await own(table, 'csv', { guessesColumns: true })).animals
    assert.deepEqual([max.goodWith, max.staff.notes], [undefined, `Good with children: ${answer}`])
  }
})

const NO: Record<string, string> = {
  children: `No kids|No small children|Sweet boy. Do not place with children|can't be placed with kids under 10|
bit a child in October|Best in a home without children|Adult only home|No apto para niños|Solo adultos`,
  dogs: `Doesn't like other dogs|Dog aggressive|No homes with small dogs|No se lleva bien con perros`,
  cats: `Not good with cats|Hates cats, loves people|Cannot live with cats|Not tested with cats|
Aggressive towards cats|Odia a los gatos|Sin gatos|No es bueno con gatos`,
}
const NOT_NO = `No problems with cats|No issues with other dogs|Never met a dog he didn't like|Not shy with kids|
Does not mind cats|Does not chase cats|No bite history, good with kids|A bit shy with kids at first|
not dog aggressive|Not aggressive with cats|Great with kids, no training|No resource guarding around other dogs|
Never growled at kids|Loves kids but jumps`

test('sentences in notes that say no about children, dogs or cats are found', () => {
  for (const [part, all] of Object.entries(NO))
    for (const text of all.split(/\|\n?/)) assert.deepEqual([...findDenials([text]).keys()], [part], text)
  for (const text of NOT_NO.split(/\|\n?/)) assert.deepEqual([...findDenials([text])], [], text)
})

test('a note that says no turns a yes of another column into a doubt, which is reported', async (t) => {
  const own = await openForFiles(t, 'own')
  const head = 'Name,Species,Status,Kid friendly,Good with cats,Behavior,Notes'
  const file = `${head}\nRex,Dog,Available,Yes,Yes,Do not place with children,Loves cats\n`
  const options = { idColumn: undefined, update: false, guessesColumns: true }
  const { animals, notUnderstood } = await own(file, 'csv', options)
  assert.deepEqual(animals[0].goodWith, { cats: true })
  assert.match(animals[0].staff.notes, /^Good with children: Do not place with children$/m)
  assert.ok(JSON.stringify(notUnderstood).includes('yes, but: Do not place with children'))

  const luv = await openForFiles(t, 'shelterluv')
  const Attributes = [{ AttributeName: 'Good with Kids', Publish: 'Yes' }]
  const ada = { ID: 1, Name: 'Ada', Type: 'Cat', Status: 'Available', Attributes }
  const page = { animals: [ada, { ...ada, ID: 2, Description: 'A star. No small children.' }] }
  const { animals: both } = await luv(JSON.stringify(page), 'json')
  assert.deepEqual(
    both.map(({ goodWith }) => goodWith),
    [{ children: true }, undefined],
  )
})
