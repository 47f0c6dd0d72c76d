import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'

// Animals that live together must not be offered apart.

/** An animal of Animal Shelter Manager with the ids of two others. */
const asm = (id: number, one = 0, two = 0, more: object = {}) => ({
  ...{ ID: id, SHELTERCODE: `D${id}`, ANIMALNAME: `Rex ${id}`, SPECIESNAME: 'Dog' },
  ...{ BONDEDANIMALID: one, BONDEDANIMAL2ID: two, ...more },
})
const csvOf = (animals: object[]): string =>
  [Object.keys(animals[0] ?? {}), ...animals.map((animal) => Object.values(animal))]
    .map((cells) => cells.join(','))
    .join('\n')

interface Bonded {
  externalId?: string
  name: string
  id: number
  status?: string
  bondedWith?: number[]
}
/** The partners and the status of each animal, by the names of the file. */
const bondsIn = ({ animals }: { animals: Bonded[] }): Record<string, string> => {
  const nameOf = ({ externalId, name }: Bonded): string => externalId ?? name
  const names = new Map(animals.map((animal) => [animal.id, nameOf(animal)]))
  return Object.fromEntries(
    animals.map((animal) => {
      const others = (animal.bondedWith ?? []).map((id) => names.get(id))
      return [nameOf(animal), `${others.join(' ')} ${animal.status ?? 'unlisted'}`.trim()]
    }),
  )
}

const PAIRS = [
  ...[asm(21, 22), asm(22), asm(31, 32, 33), asm(32, 31), asm(33, 31)],
  ...[asm(41, 42), asm(51, 52), asm(52, 51, 53), asm(53)],
  ...[asm(61, 62, 0, { BONDEDANIMAL1ARCHIVED: 1 }), asm(71, 72), asm(72, 73), asm(73, 99)],
].map((animal) => ({ ...animal, BONDEDANIMAL1ARCHIVED: 0, ...animal }))

const RIGHT = {
  ...{ D21: 'D22 available', D22: 'D21 available' },
  ...{ D31: 'D32 D33 available', D32: 'D31 D33 available', D33: 'D31 D32 available' },
  ...{ D41: 'unlisted', D51: 'D52 D53 available', D52: 'D51 D53 available', D53: 'D51 D52 available' },
  ...{ D61: 'available', D71: 'D72 D73 unlisted', D72: 'D71 D73 unlisted', D73: 'D71 D72 unlisted' },
}

for (const format of ['json', 'csv'] as const)
  test(`bonds in a list of Animal Shelter Manager as ${format} are joined; a missing partner is reported`, async (t) => {
    const manager = await openForFiles(t, 'shelter-manager')
    const file = format === 'json' ? JSON.stringify(PAIRS) : csvOf(PAIRS)

    const preview = await manager(file, format, { dryRun: true })
    const done = await manager(file, format)

    assert.deepEqual(bondsIn(done), RIGHT)
    const reason = (id: number) =>
      `bondedWith: It is bonded with ${id}, which was not imported, so it is not published.`
    assert.deepEqual(
      done.refused.map(({ id, reason }) => [id, reason]),
      [['D41', reason(42)], ...['D71', 'D72', 'D73'].map((id) => [id, reason(99)])],
    )
    assert.deepEqual([done.added, done.lostBonds, done.leftOut], [13, 4, {}])
    assert.deepEqual(
      [preview.added, preview.lostBonds, preview.refused],
      [done.added, done.lostBonds, done.refused],
    )
    const again = await manager(file, format)
    assert.deepEqual([again.unchanged, again.lostBonds], [13, 4])
    assert.deepEqual(bondsIn(again), RIGHT)
  })

test('a partner that is imported later completes the bond; a partner that dies takes the other animal off the pages', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  const list = (...animals: object[]) => manager(JSON.stringify(animals), 'json')
  assert.deepEqual(bondsIn(await list(asm(1, 2))), { D1: 'unlisted' })

  const both = await list(asm(1, 2), asm(2))
  assert.deepEqual(bondsIn(both), { D1: 'D2 available', D2: 'D1 available' })
  assert.deepEqual([both.lostBonds, both.refused], [undefined, []])

  const dead = await list(asm(1, 2), asm(2, 0, 0, { DECEASEDDATE: '2026-11-20' }))
  assert.deepEqual(bondsIn(dead), { D1: 'D2 unlisted', D2: 'D1 unlisted' })
  assert.equal(dead.lostBonds, 1)
})

test('own format: one-sided and chained bonds span batches, and a partner may be from an earlier file', async (t) => {
  const own = await openForFiles(t, 'own')
  const animal = (id: string, ...bondedWith: string[]) => ({
    ...{ id, name: id, category: 'Dog', status: 'available' },
    ...(bondedWith.length > 0 && { bondedWith }),
  })
  const lines = (...animals: object[]) => own(animals.map((one) => JSON.stringify(one)).join('\n'), 'ndjson')
  const others = Array.from({ length: 2_000 }, (_, index) => animal(`n${index}`))

  const done = await lines(animal('a'), ...others, animal('b', 'a', 'c'), animal('c'), animal('d', 'x'))
  const bonds = bondsIn(done)
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'n0'].map((name) => bonds[name]),
    ['b c available', 'a c available', 'a b available', 'unlisted', 'available'],
  )
  assert.equal(done.lostBonds, 1)

  const next = bondsIn(await lines(animal('e', 'n0')))
  assert.deepEqual([next.e, next.n0], ['n0 available', 'e available'])

  const table = await own(
    'id,name,category,status,bondedWith\nf,f,Dog,available,g\ng,g,Dog,pending,\n',
    'csv',
  )
  assert.deepEqual([bondsIn(table).f, bondsIn(table).g], ['g available', 'f pending'])
})

for (const [problem, line] of [
  ['its kind is unknown', 'Dragon,available'],
  ['it has died', 'Dog,deceased'],
])
  test(`an animal that only a refused line names as its partner is not published: ${problem}`, async (t) => {
    const own = await openForFiles(t, 'own')
    const file = `id,name,category,status,bondedWith\na,a,${line},b\nb,b,Dog,available,\nc,c,Dog,available,\n`
    const preview = await own(file, 'csv', { dryRun: true })
    const done = await own(file, 'csv')
    assert.deepEqual(bondsIn(done), { b: 'unlisted', c: 'available' })
    const [, lost] = done.refused
    const reason = 'bondedWith: It was not imported, so b, with which it is bonded, is not published.'
    assert.deepEqual([lost?.line, lost?.reason, done.lostBonds], [2, reason, 1])
    assert.deepEqual([preview.refused, preview.lostBonds], [done.refused, 1])
  })

test('an animal whose partner has died according to the file is taken off the public pages', async (t) => {
  const own = await openForFiles(t, 'own')
  const file = 'id,name,category,status,bondedWith\na,a,Dog,available,b\nb,b,Dog,available,\n'
  assert.deepEqual(bondsIn(await own(file, 'csv')), { a: 'b available', b: 'a available' })
  const done = await own(file.replace('available,\n', 'deceased,\n'), 'csv')
  assert.deepEqual(bondsIn(done), { a: 'b unlisted', b: 'a unlisted' })
  assert.equal(done.lostBonds, 1)
})

test('an animal whose partner is on hold is not published until the partner is', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  const file = (ISHOLD: number) =>
    JSON.stringify([asm(21, 22, 0, { ISHOLD }), asm(22), asm(31, 32), asm(32, 0, 0, { ISHOLD })])
  const preview = await manager(file(1), 'json', { dryRun: true })
  const done = await manager(file(1), 'json')

  assert.deepEqual(bondsIn(done), {
    ...{ D21: 'D22 unlisted', D22: 'D21 unlisted', D31: 'D32 unlisted', D32: 'D31 unlisted' },
  })
  const reason = (name: string) =>
    `bondedWith: ${name} is not published, so no animal that is bonded with it is published.`
  const pairs = [21, 22, 31, 32].map((id) => [`D${id}`, reason(id < 30 ? 'Rex 21' : 'Rex 32')])
  assert.deepEqual([done.lostBonds, done.refused.map(({ id, reason }) => [id, reason])], [2, pairs])
  assert.deepEqual([preview.lostBonds, preview.refused], [done.lostBonds, done.refused])

  const released = await manager(file(0), 'json')
  assert.deepEqual([released.lostBonds, released.refused], [undefined, []])
  assert.deepEqual(
    Object.values(bondsIn(released)).map((bond) => bond.split(' ')[1]),
    Array(4).fill('available'),
  )
  await manager(file(1), 'json')
  assert.deepEqual(bondsIn(await manager(file(1), 'json')), bondsIn(done))
})

test('own format: an animal stays public although its partner has a hold reason, as staff decided', async (t) => {
  const own = await openForFiles(t, 'own')
  const ada = { id: 1, name: 'Ada', category: 'Cat', status: 'available', bondedWith: ['2'] }
  const ben = { id: 2, name: 'Ben', category: 'Cat', bondedWith: ['1'], staff: { holdReason: 'medical' } }
  const done = await own(`${JSON.stringify(ada)}\n${JSON.stringify(ben)}`, 'ndjson')
  assert.deepEqual([bondsIn(done), done.refused], [{ Ada: 'Ben available', Ben: 'Ada unlisted' }, []])
})

test('an animal whose outcome is recorded leaves its bond, and its partner stays public', async (t) => {
  const own = await openForFiles(t, 'own')
  const pair = ['a', 'b'].map((id) => ({
    id,
    name: id,
    category: 'Dog',
    status: 'available',
    bondedWith: [] as string[],
  }))
  pair[0]?.bondedWith.push('b')
  const lines = (...animals: object[]) => own(animals.map((one) => JSON.stringify(one)).join('\n'), 'ndjson')
  await lines(...pair)
  const staff = { outcomeKind: 'died', outcomeDate: '2026-11-20' }
  const done = await lines(pair[0] ?? {}, { id: 'b', name: 'b', category: 'Dog', staff })
  assert.deepEqual(bondsIn(done), { a: 'available', b: 'unlisted' })
  assert.deepEqual([done.refused, done.lostBonds], [[], undefined])
})

test('a refused change of an animal does not take its partner off the public pages', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  await manager(JSON.stringify([asm(1, 2), asm(2)]), 'json')
  const changed = JSON.stringify([asm(1, 2), asm(2, 0, 0, { SIZENAME: 'Large' })])
  const done = await manager(changed, 'json', { update: false })
  assert.deepEqual(bondsIn(done), { D1: 'D2 available', D2: 'D1 available' })
  assert.deepEqual([done.lostBonds, done.refused.length], [undefined, 1])
})

test('in a table without ids, a bond names animals by their numbers', async (t) => {
  const own = await openForFiles(t, 'own')
  const file = 'externalId,name,category,status,bondedWith\nA1,a,Dog,available,A2\nA2,b,Dog,available,\n'
  const done = await own(file, 'csv', { idColumn: undefined, update: false })
  assert.deepEqual(bondsIn(done), { A1: 'A2 available', A2: 'A1 available' })
})

const BY_NAME = { idColumn: 'no', guessesColumns: true }

test('a table with ids: a bond by the name of the partner is joined if exactly one row has this name', async (t) => {
  const own = await openForFiles(t, 'own')
  const rows = [
    ...['1,Ada,Dog,Available,luna belle', '2,Luna Belle,Dog,Available,', '3,Ben,Dog,Available,Max & Cleo'],
    ...['4,Max,Dog,Available,', '5,Cleo,Dog,Available,No', '6,Dot,Dog,Available,8 9', '8,Eve,Dog,Available,'],
    ...['9,Fay,Dog,Available,', '10,Gus,Dog,Available,Rex', '11,Rex,Dog,Available,', '12,Rex,Dog,Available,'],
    ...['13,Hal,Dog,Available,Nobody', '14,Ivo,Dog,Available,Kit', '15,Kit,Dog,Deceased,'],
  ]
  const file = ['no,Name,Species,Status,Bonded with', ...rows].join('\n')
  const preview = await own(file, 'csv', { ...BY_NAME, dryRun: true })
  const done = await own(file, 'csv', BY_NAME)
  assert.deepEqual(bondsIn(done), {
    ...{ Ada: 'Luna Belle available', 'Luna Belle': 'Ada available' },
    ...{ Ben: 'Max Cleo available', Max: 'Ben Cleo available', Cleo: 'Ben Max available' },
    ...{ Dot: 'Eve Fay available', Eve: 'Dot Fay available', Fay: 'Dot Eve available' },
    ...{ Gus: 'unlisted', Rex: 'available', Hal: 'unlisted', Ivo: 'unlisted' },
  })
  const reasons = done.refused.flatMap(({ id, reason }) => (/^bondedWith/.test(reason) ? [[id, reason]] : []))
  const missing = (name: string) =>
    `bondedWith: It is bonded with ${name}, which was not imported, so it is not published.`
  assert.deepEqual(reasons, [
    ['10', 'bondedWith: It is bonded with Rex, a name that several animals have, so it is not published.'],
    ['13', missing('Nobody')],
    ['14', missing('15')],
  ])
  assert.deepEqual([preview.refused, preview.lostBonds], [done.refused, done.lostBonds])
})

test('a table without ids: a bond by the name of the partner is joined', async (t) => {
  const own = await openForFiles(t, 'own')
  const file = 'Name,Species,Status,Bonded with\nAda,Dog,Available,Ben\nBen,Dog,Available,\n'
  const done = await own(file, 'csv', { idColumn: undefined, update: false, guessesColumns: true })
  assert.deepEqual(bondsIn(done), { Ada: 'Ben available', Ben: 'Ada available' })
})

/** How people write the partner of Ada, and the heading of the column. */
const WORDINGS: [heading: string, cell: string][] = [
  ...['Ben (brother)', 'her brother Ben', 'Bonded to Ben', 'with Ben', '#2', 'ID 2', 'Ben (ID 2)'].map(
    (cell): [string, string] => ['Bonded with', cell],
  ),
  ['Bonded with', '"Ben, must stay together"'],
  ['Vinculada con', 'su hermano Ben'],
  ...[
    'Bonded with Ben',
    'Sweet. Bonded pair w/ Ben. Loves toys',
    'must be adopted together with Ben',
    'Must go home with Ben and loves toys',
  ].map((cell): [string, string] => ['Notes', cell]),
  ['Observaciones', 'Se adopta junto a Ben'],
  ['Remark from the vet', 'bonded to #2'],
]

test('a table: a partner is found in a note, and with words around its name', async (t) => {
  const own = await openForFiles(t, 'own')
  for (const [index, [heading, cell]] of WORDINGS.entries()) {
    const file = `no,Name,Species,Status,${heading}\n1,Ada,Dog,Available,${cell}\n2,Ben,Dog,Available,\n`
    const done = await own(file, 'csv', { ...BY_NAME, source: String(index) })
    const last = bondsIn({ animals: done.animals.slice(-2) })
    assert.deepEqual(last, { Ada: 'Ben available', Ben: 'Ada available' }, `${heading}: ${cell}`)
    assert.equal(done.lostBonds, undefined)
  }
  const rows = ['1,Ada,Dog,Available,Very bonded to his foster mom', '2,Ben,Dog,Available,Bonded with Ghost']
  const done = await own(['no,Name,Species,Status,Notes', ...rows].join('\n'), 'csv', BY_NAME)
  assert.deepEqual(bondsIn({ animals: done.animals.slice(-2) }), { Ada: 'available', Ben: 'unlisted' })
  assert.equal(done.lostBonds, 1)
})

test('attributes of Shelterluv and tags of Petfinder that name a partner join the bond', async (t) => {
  const animals = ['Ada', 'Ben'].map((Name, index) => ({
    ...{ ID: index + 1, Name, Type: 'Cat', Status: 'Available' },
    ...(index === 0 && { Attributes: [{ AttributeName: 'Bonded with Ben', Publish: 'No' }] }),
  }))
  const right = { '1': '2 available', '2': '1 available' }
  assert.deepEqual(
    bondsIn(await (await openForFiles(t, 'shelterluv'))(JSON.stringify({ animals }), 'json')),
    right,
  )
  const file = 'ID,AnimalName,Type,Status,tags\n1,Ada,Cat,A,Bonded with Ben\n2,Ben,Cat,A,calm\n'
  assert.deepEqual(bondsIn(await (await openForFiles(t, 'petfinder'))(file, 'csv')), right)
})
