import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'

// Lists of Animal Shelter Manager's service (asm3), in which the members of an animal say whether it is for
// adoption.

/** The members of an animal that is plainly for adoption, as the service lists them. */
const PLAIN = {
  ...{ SPECIESNAME: 'Dog', BREEDNAME1: 'Boxer', BREEDNAME2: 'Boxer', CROSSBREED: 0, SEXNAME: 'Male' },
  ...{ HASACTIVERESERVE: 0, HASTRIALADOPTION: 0, HASPERMANENTFOSTER: 0, HASFUTUREADOPTION: 0 },
  ...{ ISNOTAVAILABLEFORADOPTION: 0, ISHOLD: 0, ISQUARANTINE: 0, CRUELTYCASE: 0, ARCHIVED: 0 },
  ...{ NONSHELTERANIMAL: 0, DECEASEDDATE: null, ACTIVEMOVEMENTTYPE: null, ACTIVEMOVEMENTTYPENAME: null },
  ...{ BONDEDANIMALID: 0, BONDEDANIMAL2ID: 0, POPUPWARNING: '', WEBSITEMEDIANOTES: 'Waits for a home.' },
}
type Members = Record<string, unknown>

/** One animal for each set of members, with its position as its id. */
const list = (animals: Members[]): Members[] =>
  animals.map((own, index) => ({
    ...{ ID: index + 1, SHELTERCODE: `D${index + 1}`, ANIMALNAME: `Animal ${index + 1}`, ...PLAIN },
    ...own,
  }))

const cell = (value: unknown): string => `"${value === null ? '' : String(value).replaceAll('"', '""')}"`

/** The same list as the service writes it in CSV. */
const csvOf = (animals: Members[]): string =>
  [Object.keys(animals[0] ?? {}), ...animals.map((animal) => Object.values(animal).map(cell))]
    .map((line) => line.join(','))
    .join('\n')

/** The reasons why animals are not imported. */
const [DEAD, STRANGER] = ['It has died.', 'It was never in the shelter.']

/** Members that differ from a plain animal, with the status or the reason for a refusal. */
const CASES: [members: Members, result: string | undefined][] = [
  [{}, 'available'],
  [{ ISNOTAVAILABLEFORADOPTION: 1 }, undefined],
  [{ ISHOLD: 1 }, undefined],
  [{ ISQUARANTINE: 1, POPUPWARNING: 'Bit the vet.' }, undefined],
  [{ ISNOTAVAILABLEFORADOPTION: 1, CRUELTYCASE: 1 }, undefined],
  [{ HASTRIALADOPTION: 1, ACTIVEMOVEMENTTYPE: 11, ACTIVEMOVEMENTTYPENAME: 'Trial Adoption' }, 'pending'],
  [{ ARCHIVED: 1, ACTIVEMOVEMENTTYPE: 1, ACTIVEMOVEMENTTYPENAME: 'Adoption' }, 'sold'],
  [{ ARCHIVED: 1, DECEASEDDATE: '2025-11-01T00:00:00' }, DEAD],
  [{ NONSHELTERANIMAL: 1 }, STRANGER],
  [{ HASPERMANENTFOSTER: 1, ACTIVEMOVEMENTTYPE: 2, ACTIVEMOVEMENTTYPENAME: 'Foster' }, undefined],
  [{ HASACTIVERESERVE: 1 }, 'pending'],
  // Other spellings of yes and no, and other movements.
  [{ ISHOLD: 'Yes' }, undefined],
  [{ ISHOLD: true, HASACTIVERESERVE: 1 }, undefined],
  [{ ISHOLD: '2027-01-31T00:00:00' }, undefined],
  [{ ISQUARANTINE: 'true', HASTRIALADOPTION: 'true' }, undefined],
  [{ CRUELTYCASE: 'Y' }, undefined],
  [{ ISHOLD: 'No', ISQUARANTINE: false, CRUELTYCASE: 'N', ISNOTAVAILABLEFORADOPTION: '0' }, 'available'],
  [{ DECEASEDDATE: '0000-00-00', NONSHELTERANIMAL: 'false' }, 'available'],
  [{ DECEASEDDATE: '01/11/2025' }, DEAD],
  [{ PUTTOSLEEP: 1 }, DEAD],
  [{ ISDOA: 1 }, DEAD],
  [{ NONSHELTERANIMAL: 'Yes', ISHOLD: 1 }, STRANGER],
  [{ NONSHELTERANIMAL: 1, ISCOURTESY: 1 }, 'available'],
  [{ NONSHELTERANIMAL: 1, ISCOURTESY: 1, ISQUARANTINE: 1 }, undefined],
  // The program records a trial adoption as an adoption with a mark.
  [{ ACTIVEMOVEMENTTYPE: 1, HASTRIALADOPTION: 1 }, 'pending'],
  [{ ACTIVEMOVEMENTTYPE: 1, HASTRIALADOPTION: 1, CRUELTYCASE: 1 }, undefined],
  [{ ACTIVEMOVEMENTTYPE: '2' }, 'available'],
  [{ ACTIVEMOVEMENTTYPE: 3 }, 'It was transferred to another shelter.'],
  [{ ACTIVEMOVEMENTTYPE: 5, HASACTIVERESERVE: 1 }, 'Its owner took it back.'],
  [{ ACTIVEMOVEMENTTYPENAME: 'Escaped' }, 'It escaped.'],
  [{ ACTIVEMOVEMENTTYPE: 8 }, 'available'],
  [{ ACTIVEMOVEMENTTYPE: 9 }, 'pending'],
  [{ ACTIVEMOVEMENTTYPE: 10 }, 'available'],
  [{ ACTIVEMOVEMENTTYPE: 12 }, undefined],
  [{ ACTIVEMOVEMENTTYPE: 99 }, undefined],
  [{ ARCHIVED: 1 }, undefined],
  [{ HASFUTUREADOPTION: 1 }, 'pending'],
  [{ HASACTIVEBOARDING: 1 }, undefined],
  [{ ADDITIONALFLAGS: 'Special diet|Bite hold|' }, undefined],
  [{ ADDITIONALFLAGS: 'crueltycase|' }, undefined],
  [{ CRUELTYCASENAME: 'Yes' }, undefined],
  [{ ISNOTAVAILABLEFORADOPTIONNAME: 'Yes' }, undefined],
  [{ ISHOLDNAME: 'No' }, 'available'],
  [{ HOLDUNTILDATE: '2030-01-31T00:00:00' }, undefined],
  [{ HOLDUNTILDATE: '2026-01-31T00:00:00' }, 'available'],
  [{ SHELTERLOCATIONNAME: 'Quarantine', SHELTERLOCATIONUNIT: '4' }, undefined],
  [{ SHELTERLOCATIONNAME: 'Isolation' }, undefined],
  [{ SHELTERLOCATIONNAME: 'Kennels', SHELTERLOCATIONUNIT: '4' }, 'available'],
  [{ ADDITIONALFLAGS: 'Household favourite|' }, 'available'],
]

/** Flags that shelters have made themselves, and whether they keep an animal off the public pages. */
const OWN_FLAGS: [flag: string, holds: boolean][] = [
  ...(
    'Quarantined|Held|bitehold|Dangerous dog|Legal case|Seized|Euthanasia list|Do not publish|Don’t show|' +
    'Not available for adoption|Not yet adoptable|Unadoptable|Non-adoptable|Never available|Hospice|' +
    'En cuarentena|No disponible|No publicar|Retención judicial'
  )
    .split('|')
    .map((flag): [string, boolean] => [flag, true]),
  ...'Sponsored|No adoption fee|Not good with cats|notforregistration|Northern adoption event|Householder'
    .split('|')
    .map((flag): [string, boolean] => [flag, false]),
]

test('flags that shelters have made keep animals off the public pages', async (t) => {
  const animals = list(OWN_FLAGS.map(([flag]) => ({ ADDITIONALFLAGS: `Special diet|${flag}|` })))
  const done = await (await openForFiles(t, 'shelter-manager'))(JSON.stringify(animals), 'json')
  const found = done.animals.map(({ status }, index) => [OWN_FLAGS[index]?.[0], status === undefined])
  assert.deepEqual(found, OWN_FLAGS)
})

const outcomeOf = (done: {
  animals: { externalId: string; status?: string }[]
  refused: { id?: string; reason: string }[]
}) => ({
  ...Object.fromEntries(done.animals.map(({ externalId, status }) => [externalId, status])),
  ...Object.fromEntries(done.refused.map(({ id, reason }) => [id, reason])),
})

const right = Object.fromEntries(CASES.map(([, result], index) => [`D${index + 1}`, result]))

for (const format of ['json', 'csv'] as const)
  test(`a list of every animal in the building as ${format}: members decide which are published`, async (t) => {
    const animals = list(CASES.map(([members]) => members))
    const columns = Object.fromEntries(animals.flatMap(Object.entries).map(([name]) => [name, '']))
    const file =
      format === 'json'
        ? JSON.stringify(animals)
        : csvOf(animals.map((animal) => ({ ...columns, ...animal })))

    const done = await (await openForFiles(t, 'shelter-manager'))(file, format)

    assert.deepEqual(outcomeOf(done), right)
    const biter = done.animals.find(({ externalId }) => externalId === 'D4')
    assert.deepEqual([biter.description, biter.staff.notes], ['Waits for a home.', 'Bit the vet.'])
  })

test('CSV export of animals: a column that says hold keeps the animal unpublished', async (t) => {
  const columns = 'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE'
  const lines = [
    ['ANIMALHOLD', 'Y', undefined],
    ['ANIMALFLAGS', 'quarantine', undefined],
    ['ANIMALFLAGS', '"courtesy, notforadoption"', undefined],
    ['ANIMALFLAGS', 'nonshelter', STRANGER],
    ['ANIMALEUTHANIZED', '1', DEAD],
    ['HASTRIALADOPTION', '1', 'pending'],
    ['ANIMALFLAGS', 'Loves snow', 'available'],
  ] as const
  for (const [column, value, result] of lines) {
    const file = `${columns},${column}\nD1,Rex,Dog,${column === 'HASTRIALADOPTION' ? 1 : ''},${value}\n`
    const done = await importOnce(t, file)
    assert.deepEqual(outcomeOf(done), { D1: result }, `${column} ${value}`)
  }
})

const importOnce = async (t: TestContext, file: string) =>
  (await openForFiles(t, 'shelter-manager'))(file, 'csv')

test('published animals that are held, have died or left in a later list are taken off the public pages', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  const later = [
    { ISQUARANTINE: 1 },
    { DECEASEDDATE: '2026-11-20' },
    { ACTIVEMOVEMENTTYPE: 3 },
    {},
    { HASACTIVERESERVE: 1 },
  ]
  await manager(JSON.stringify(list(later.map(() => ({})))), 'json')
  const file = JSON.stringify(list(later))

  const preview = await manager(file, 'json', { dryRun: true })
  const done = await manager(file, 'json')

  assert.deepEqual(
    done.animals.map(({ status }) => status),
    [undefined, undefined, undefined, 'available', 'pending'],
  )
  assert.deepEqual([done.takenOff, done.updated, done.unchanged, done.refused.length], [3, 2, 1, 2])
  assert.deepEqual([preview.takenOff, preview.updated, preview.refused], [3, 2, done.refused])
  const again = await manager(file, 'json')
  assert.deepEqual([again.takenOff, again.unchanged], [undefined, 3])
  const back = await manager(JSON.stringify(list([{}])), 'json')
  assert.deepEqual([back.updated, back.animals[0].status], [1, 'available'])
})
