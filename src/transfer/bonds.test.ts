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

test('a partner that is imported later completes the bond, and one that dies takes its half off the public pages', async (t) => {
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
