import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'

// Shelters write that an animal must be adopted with another one, often without its name.

const OPTIONS = { idColumn: undefined, update: false, guessesColumns: true, again: true }

/** Texts about the bond of Ada, by the heading of their column. Ben is not her partner. */
const BONDED: Record<string, string> = {
  Notes: `Bonded pair
Sweet girl. Bonded pair! Loves toys
Part of a bonded trio
Bonded siblings, fee is for both
Must go with her sister
Has to be adopted together with his brother
Must be adopted together
Must go home as a pair
Bonded to her brother
Inseparable from her sister
Can not be separated from his littermate
Do not separate
Pareja inseparable
Se adopta con su hermana
Deben ir juntos
Se entregan juntas
Vinculada a su madre
No se pueden separar
Hermanos inseparables`,
  'Bonded pair': `yes
x
with her sister
sibling
A
7`,
  Bonded: `Y
1
sí
bonded pair`,
  Status: `Available - bonded pair
Available (bonded pair)`,
  Description: `Ada is sweet. She is part of a bonded pair.`,
  Tags: `calm; bonded pair`,
}

const FREE: Record<string, string> = {
  Notes: `Bonded with her foster mom
Very bonded to people
No longer part of a bonded pair
Not bonded
Not a bonded pair
Was part of a bonded pair
Could be adopted together with a friend
They do not need to be adopted together
Loves to go out together
Will be your inseparable friend
Must go to a home with another dog
Kittens must be adopted in pairs or with another kitten
Ya no es pareja inseparable
No hace falta que vayan juntos`,
  'Bonded pair': `no
0
N/A
none`,
  Bonded: `0
false`,
}

async function statusesFor(t: Parameters<typeof openForFiles>[0], columns: Record<string, string>) {
  const read = await openForFiles(t, 'own')
  const found: [text: string, ada: unknown, ben: unknown, lost: unknown][] = []
  for (const [heading, texts] of Object.entries(columns))
    for (const text of texts.split('\n')) {
      const others = heading === 'Status' ? [] : [heading]
      const ada = ['Ada', 'Dog', heading === 'Status' ? text : 'Available', `"${text}"`]
      const rows = [ada.slice(0, 3 + others.length).join(','), 'Ben,Dog,Available']
      const file = [['Name', 'Species', 'Status', ...others].join(','), ...rows].join('\n')
      const { animals, lostBonds } = await read(file, 'csv', { ...OPTIONS, source: `${heading} ${text}` })
      const [one, other] = animals.slice(-2)
      found.push([`${heading}: ${text}`, one.status, other.status, lostBonds])
    }
  return found
}

test('an animal that must be adopted with a partner that the file does not name is not published', async (t) => {
  const wrong = (await statusesFor(t, BONDED)).filter(
    ([, ada, ben, lost]) => ada !== undefined || ben !== 'available' || lost !== 1,
  )
  assert.deepEqual(wrong, [])
})

test('other words about bonds keep no animal unpublished', async (t) => {
  const wrong = (await statusesFor(t, FREE)).filter(
    ([, ada, ben, lost]) => ada !== 'available' || ben !== 'available' || lost !== undefined,
  )
  assert.deepEqual(wrong, [])
})

/** The partners of each animal by their names. */
const partnersIn = (animals: { id: number; name: string; status?: string; bondedWith?: number[] }[]) => {
  const names = new Map(animals.map(({ id, name }) => [id, name]))
  return Object.fromEntries(
    animals.map(({ name, status = 'unlisted', bondedWith = [] }) => [
      name,
      [...bondedWith.map((id) => names.get(id)), status].join(' '),
    ]),
  )
}

test('animals with the same number of a pair are joined; an animal alone with its number is not published', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = ['Ada,Dog,Available,1', 'Ben,Dog,Available,1', 'Cleo,Cat,Available,2', 'Dot,Cat,Available,2']
  const more = [
    'Eve,Cat,Available,3',
    'Fay,Cat,Available,',
    'Gus,Dog,Available,Elm St',
    'Hal,Dog,Available,elm st',
  ]
  const file = ['Name,Species,Status,Bonded pair', ...rows, ...more].join('\n')
  const { animals, refused, lostBonds } = await read(file, 'csv', OPTIONS)
  assert.deepEqual(partnersIn(animals), {
    ...{ Ada: 'Ben available', Ben: 'Ada available', Cleo: 'Dot available', Dot: 'Cleo available' },
    ...{ Eve: 'unlisted', Fay: 'available', Gus: 'Hal available', Hal: 'Gus available' },
  })
  assert.deepEqual([refused.length, lostBonds], [1, 1])
})

test('a partner that is named next to "bonded pair" is joined', async (t) => {
  const read = await openForFiles(t, 'own')
  const notes = [
    'Bonded pair: Ada & Ben',
    'Ada and Ben are a bonded pair',
    'Bonded pair (Ben)',
    'must go with her brother Ben',
    'BONDED PAIR WITH BEN',
    'Sister of Ben, they are inseparable',
    'Hermana de Ben, inseparables',
    'Va con Ben, no se separan',
    'Bonded pair #4',
  ]
  for (const [index, note] of notes.entries()) {
    const mark = note.includes('#') ? note : ''
    const file = `Name,Species,Status,Notes\nAda,Dog,Available,"${note}"\nBen,Dog,Available,${mark}\n`
    const { animals, lostBonds } = await read(file, 'csv', { ...OPTIONS, source: String(index) })
    assert.deepEqual(partnersIn(animals.slice(-2)), { Ada: 'Ben available', Ben: 'Ada available' }, note)
    assert.equal(lostBonds, undefined)
  }
})

test('a yes in the column of bonds adds no second partner if one of the animals names the other', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = [
    'Ada,Cat,Available,Yes,Ben',
    'Ben,Cat,Available,Yes,',
    'Cleo,Cat,Available,Yes,',
    'Dot,Cat,Available,No,',
  ]
  const file = ['Name,Species,Status,Bonded?,Bonded with', ...rows].join('\n')
  const { animals, lostBonds } = await read(file, 'csv', OPTIONS)
  const right = { Ada: 'Ben available', Ben: 'Ada available', Cleo: 'unlisted', Dot: 'available' }
  assert.deepEqual([partnersIn(animals), lostBonds], [right, 1])
})

test('an animal that is bonded here already needs no name of its partner in a later file', async (t) => {
  const read = await openForFiles(t, 'own')
  const file = (note: string) =>
    `id,Name,Species,Status,Notes\n1,Ada,Dog,Available,${note}\n2,Ben,Dog,Available,\n`
  const right = { Ada: 'Ben available', Ben: 'Ada available' }
  for (const note of ['Bonded with Ben', 'Bonded pair', 'Bonded pair']) {
    const { animals, lostBonds } = await read(file(note), 'csv', { guessesColumns: true })
    assert.deepEqual([partnersIn(animals), lostBonds], [right, undefined], note)
  }
})

test('a row for both animals of a pair is published', async (t) => {
  const read = await openForFiles(t, 'own')
  const names = ['Salt & Pepper', 'Salt and Pepper', 'Sal y Pimienta', 'Salt/Pepper (bonded pair)']
  const rows = names.map((name) => `${name},Cat,Available,Bonded pair`)
  const { animals } = await read(['Name,Species,Status,Notes', ...rows].join('\n'), 'csv', OPTIONS)
  assert.deepEqual(new Set(animals.map(({ status }) => status)), new Set(['available']))
})

test('two animals whose partners have no name are not joined with each other', async (t) => {
  const read = await openForFiles(t, 'own')
  for (const [heading, text] of [
    ['Notes', 'Bonded pair'],
    ['Bonded', 'yes'],
    ['Bonded with', 'her sister'],
  ]) {
    const rows = ['Ada', 'Ben'].map((name) => `${name},Dog,Available,${text}`)
    const file = [`Name,Species,Status,${heading}`, ...rows].join('\n')
    const { animals, refused } = await read(file, 'csv', OPTIONS)
    assert.deepEqual(partnersIn(animals.slice(-2)), { Ada: 'unlisted', Ben: 'unlisted' }, text)
    assert.deepEqual(
      refused.map(({ reason }) => reason),
      Array(2).fill(
        'bondedWith: It must be adopted with a partner that the file does not name, so it is not published.',
      ),
    )
  }
})

test('attributes of Shelterluv, and notes and descriptions of other programs, can say that an animal is bonded', async (t) => {
  const luv = await openForFiles(t, 'shelterluv')
  const ada = { ID: 1, Name: 'Ada', Type: 'Cat', Status: 'Available' }
  const attributes = [{ AttributeName: 'Bonded Pair', Publish: 'Yes' }]
  const one = await luv(JSON.stringify({ animals: [{ ...ada, Attributes: attributes }] }), 'json')
  assert.deepEqual([one.animals[0].status, one.lostBonds], [undefined, 1])
  const groups = await openForFiles(t, 'rescuegroups')
  const cat = {
    id: 1,
    name: 'Ada',
    species: 'Cat',
    status: 'Available',
    descriptionText: 'She is in a bonded pair.',
  }
  const other = await groups(JSON.stringify(cat), 'ndjson')
  const noted = await groups(
    JSON.stringify({ ...cat, id: 2, descriptionText: '', hold_notes: 'bonded pair' }),
    'ndjson',
  )
  assert.equal(noted.lostBonds, 1)
  const long = `${'Ada is sweet and kind, '.repeat(20)} and she is in a bonded pair`
  assert.equal(
    (await groups(JSON.stringify({ ...cat, id: 3, descriptionText: long }), 'ndjson')).lostBonds,
    1,
  )
  const memo = { ...ada, ID: 2, notes: 'Bonded pair', Name: 'Eve' }
  assert.equal((await luv(JSON.stringify({ animals: [memo] }), 'json')).lostBonds, 1)
  assert.deepEqual([other.animals[0].status, other.lostBonds], [undefined, 1])
})
