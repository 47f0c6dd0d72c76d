import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'

// Members of a file that have the names of JavaScript members, and values of an unexpected type.

/** `String` and templates throw for this value. */
const ODD = { toString: 1, constructor: 2, valueOf: null }
const NAMES = ['toString', 'constructor', 'valueOf', 'hasOwnProperty']

/** An animal of each program, and its members. */
const ANIMALS: Record<string, [format: 'json' | 'ndjson', animal: Record<string, unknown>, members: string]> =
  {
    own: [
      'ndjson',
      { id: '1', name: 'Rex', category: 'Dog' },
      'id name category categoryId organization organizationId status externalId breed birthDate age place staff ' +
        'goodWith traits fee bondedWith tags photos',
    ],
    rescuegroups: [
      'json',
      { id: 1, name: 'Rex', species: 'Dog', status: 'Available' },
      'id name species status rescueId birthDate isKidsOk location pictures qualities videoUrls sizeUOM',
    ],
    'shelter-manager': [
      'json',
      { ID: 1, SHELTERCODE: 'S1', ANIMALNAME: 'Rex', SPECIESNAME: 'Dog' },
      'ID SHELTERCODE ANIMALNAME SPECIESNAME BONDEDANIMALID BONDEDANIMAL1ARCHIVED ACTIVEMOVEMENTTYPE ' +
        'ISGOODWITHCHILDREN ADDITIONALFLAGS DECEASEDDATE IDENTICHIPNUMBER DATEBROUGHTIN bondedWith',
    ],
    shelterluv: [
      'json',
      { ID: '1', Name: 'Rex', Type: 'Dog', Status: 'Available' },
      'ID Name Type Status Attributes Microchips AdoptionFeeGroup Videos CurrentLocation Photos Size',
    ],
  }

test('an object in place of a text never ends an import with an error', async (t) => {
  for (const [program, [format, animal, members]] of Object.entries(ANIMALS)) {
    const read = await openForFiles(t, program)
    const odd = members.split(' ').flatMap((member) => [
      ...[ODD, [ODD], 'constructor', '__proto__', 'toString'].map((value) => ({
        ...animal,
        [member]: value,
      })),
      ...[{ [member]: ODD }, [{ [member]: 'constructor' }]].map((value) => ({
        ...animal,
        [member]: value,
      })),
    ])
    for (const place of ['postcode', 'region', 'city', 'country'])
      odd.push({ ...animal, place: { city: 'Boston', region: 'MA', postcode: '2108', [place]: ODD } })
    odd.push({ ...animal, staff: { intakeDate: ODD, microchip: ODD }, birthDate: undefined, age: '2 years' })
    for (const name of NAMES) odd.push({ ...animal, [name]: ODD })
    const lines = format === 'json' ? [JSON.stringify(odd)] : odd.map((one) => JSON.stringify(one))
    const { added, updated, unchanged, refused } = await read(lines.join('\n'), format, { again: true })
    assert.ok(added + updated + unchanged + refused.length > 0, program)
  }
  const pages = { data: [], meta: { pages: ODD } }
  const read = await openForFiles(t, 'rescuegroups')
  assert.equal((await read(JSON.stringify(pages), 'json')).refused.length, 0)
})

test('headings and cells with the names of JavaScript members are read like all others', async (t) => {
  const own = await openForFiles(t, 'own')
  const names = [...NAMES, '__proto__']
  const file = (answer: string) =>
    [
      `id,name,category,goodWith.cats,${names.join(',')}`,
      `1,constructor,Dog,${answer},${names.join(',')}`,
    ].join('\n')
  await own(file('true'), 'csv')
  const { animals, leftOut, withdrawn } = await own(file('constructor'), 'csv')
  assert.deepEqual(
    [animals[0].name, animals[0].goodWith, animals[0].staff.notes],
    ['constructor', undefined, 'Good with cats: constructor'],
  )
  assert.deepEqual(withdrawn, { 'goodWith.cats': 1 })
  for (const name of names) assert.equal(Object.hasOwn(leftOut, name), true, name)

  const manager = await openForFiles(t, 'shelter-manager')
  const head = 'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE,ANIMALGOODWITHCATS'
  const done = await manager(`${head}\nS1,Rex,Dog,constructor,constructor`, 'csv')
  assert.deepEqual([done.refused, done.animals[0].status], [[], undefined])
  assert.equal(done.animals[0].staff.notes, 'Good with cats: constructor')
})
