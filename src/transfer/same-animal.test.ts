import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BY_ID, importText, lines, openStore } from '../testing/import-lines.ts'
import { makeKey, scratchStore } from '../testing/start-app.ts'
import { shelterManager } from './mappings/shelter-manager.ts'
import { isOtherAnimal } from './same-animal.ts'

test('a line with a known id belongs to another animal only if kind and name differ and the sex does not agree', () => {
  const bella = { name: 'Bella', categoryId: 1, sex: 'female', externalId: 'S1' } as const
  for (const [read, expected] of [
    [{ name: 'Tom', categoryId: 2, sex: 'male' }, true],
    [{ name: 'Tom', categoryId: 2 }, true],
    [{ name: 'Tom', categoryId: 2, sex: 'unknown' }, true],
    [{ name: 'Lola', categoryId: 2, sex: 'female' }, false],
    [{ name: 'BELLA ', categoryId: 2, sex: 'male' }, false],
    [{ name: 'Tom', categoryId: 1, sex: 'male' }, false],
  ] as const)
    assert.equal(isOtherAnimal(bella, read), expected, JSON.stringify(read))
  const nameless = { ...bella, name: 'S1' }
  for (const [read, expected] of [
    [{ name: 'Tom', categoryId: 2, sex: 'male' }, true],
    [{ name: 'S1', externalId: 'S1', categoryId: 2, sex: 'male' }, true],
    [{ name: 'Bella', categoryId: 1, sex: 'male' }, false],
    [{ name: 'Bella', categoryId: 2, sex: 'female' }, false],
  ] as const)
    assert.equal(isOtherAnimal(nameless, read), expected, JSON.stringify(read))
})

const HEADINGS =
  'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,ANIMALSEX,ANIMALTYPE,ANIMALBREED1,ANIMALBREED2,ANIMALNOTFORADOPTION,ANIMALNONSHELTER,MOVEMENTTYPE'
const animal = (code: string, name: string, species: string, sex: string): string =>
  `\n"${code}","${name}","${species}","${sex}","D (Dog)","Collie","Collie","0","0","None"`
const NORTH = `${HEADINGS}${animal('S1', 'Bella', 'Dog', 'Female')}${animal('S2', 'Rex', 'Dog', 'Male')}`
const SOUTH = `${HEADINGS}${animal('S1', 'Tom', 'Cat', 'Male')}${animal('S3', 'Mia', 'Cat', 'Female')}`

test('the files of two shelters with the same ids: no animal becomes another one', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const asm = { format: 'csv', mapping: shelterManager, ...BY_ID, idColumn: 'ANIMALCODE' } as const
  const namesIn = async () =>
    (await store.db.selectFrom('pet').select('name').orderBy('id').execute()).map(({ name }) => name)
  await importText(store, NORTH, asm)

  for (const dryRun of [true, false]) {
    const { added, updated, reasons } = await importText(store, SOUTH, { ...asm, dryRun })
    assert.deepEqual([added, updated], [1, 0])
    assert.match(
      reasons.join(),
      /^2: This id belongs to another animal here, animal 1, .*--organization CODE/,
    )
  }
  assert.deepEqual(await namesIn(), ['Bella', 'Rex', 'Mia'])

  // Once a line shows that the file is of another shelter, other names do not count as renamed animals.
  const third = lines(
    { id: 1, name: 'Milo', category: 'Dog', sex: 'male' },
    { id: 2, name: 'Kiwi', category: 'Bird' },
  )
  const other = lines(
    { id: 1, name: 'Max', category: 'Dog', sex: 'male' },
    { id: 2, name: 'Ada', category: 'Cat' },
  )
  await importText(store, third, BY_ID)
  assert.deepEqual(
    (await importText(store, other, BY_ID)).refusals.map(({ line }) => line),
    [1, 2],
  )
  const renamed = lines(
    { id: 1, name: 'Milou', category: 'Dog', sex: 'male' },
    { id: 2, name: 'Kiwi II', category: 'Bird' },
  )
  assert.equal((await importText(store, renamed, BY_ID)).updated, 2)
  assert.deepEqual(await namesIn(), ['Bella', 'Rex', 'Mia', 'Milou', 'Kiwi II'])
})

test('a table of another shelter does not give its names and kinds to animals without a name', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const table = { format: 'csv', ...BY_ID, idColumn: 'Animal ID', guessesColumns: true } as const
  const head = 'Animal ID,Name,Species,Sex,Status'
  const ours = ['1,,Cat,F,Available', '2,,Dog,M,Available', '3,,Dog,M,Available', '4,Ada,Dog,F,Available']
  await importText(store, [head, ...ours, ''].join('\n'), table)
  const theirs = ['1,Thumper,Rabbit,M,Available', '2,Kiki,Cat,M,Available', '3,,Dog,F,Available']
  for (const dryRun of [true, false]) {
    const { updated, refused } = await importText(store, [head, ...theirs, ''].join('\n'), {
      ...table,
      dryRun,
    })
    assert.deepEqual([updated, refused], [0, 3])
  }
  // The shelter has given its animals names.
  const named = ['1,Mia,Cat,F,Available', '2,Rex,Dog,M,Available', '3,Max,Dog,M,Available']
  assert.equal((await importText(store, [head, ...named, ''].join('\n'), table)).updated, 3)
})
