import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importText, openStore } from '../testing/import-lines.ts'
import { makeKey, scratchStore } from '../testing/start-app.ts'
import { shelterManager } from './mappings/shelter-manager.ts'

const CSV = { format: 'csv' } as const
const KEYED = { ...CSV, keyId: 1 } as const

test('importing a file again updates its animals, adds lines that were refused before, and creates no duplicates', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const figures = async (file: string, options: object = {}) => {
    const outcome = async (dryRun: boolean) => {
      const { added, updated, unchanged, reasons, notes } = await importText(store, file, {
        ...KEYED,
        ...options,
        dryRun,
      })
      return { figures: [added, updated, unchanged], reasons, notes }
    }
    const preview = await outcome(true)
    const real = await outcome(false)
    assert.deepEqual(preview, real, 'the preview is what happens')
    return real
  }
  const animals = async () =>
    (await store.db.selectFrom('pet').select(['name', 'category_id']).orderBy('id').execute()).map(
      ({ name, category_id }) => `${name} ${category_id}`,
    )
  const head = 'name,category,sex\n'
  const kittens = 'Kit,Cat,\nKit,Cat,\n'

  // Without ids: the same file with another choice, then with a corrected line.
  const first = `${head}Rex,,male\nLuna,Dragon,female\n${kittens}`
  assert.deepEqual((await figures(first)).figures, [2, 0, 0])
  assert.deepEqual((await figures(first, { category: 'Dog' })).figures, [2, 0, 2])
  assert.deepEqual((await figures(first, { category: 'Barnyard' })).figures, [0, 2, 2])
  const fixed = `${head}Ada,Cat,female\nRex,,male\n${kittens}`
  assert.deepEqual((await figures(fixed, { category: 'Dog' })).figures, [1, 1, 2])
  const changed = await figures(first, { category: 'Bird', keyId: null })
  assert.match(changed.reasons.join(), /animal 3; --key ID changes it.*animal 4; --key ID/)
  assert.deepEqual(await animals(), ['Kit 2', 'Kit 2', 'Rex 1', 'Luna 8', 'Ada 2'])

  // The number and the name of an animal that was imported without ids.
  const numbered = 'name,category,externalId\nZoe,Dog,Z1\nMax,Dog,Z2\n'
  await figures(numbered)
  const byNumber = { idColumn: 'externalId', update: true }
  assert.deepEqual((await figures(numbered.replace('Max,Dog', 'Max,Bird'), byNumber)).figures, [0, 1, 1])

  // Two stays of one animal: the newest counts, each time.
  const asm = { mapping: shelterManager, idColumn: 'ANIMALCODE', update: true }
  const headings = 'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,ANIMALSEX,MOVEMENTTYPE,ANIMALENTRYDATE,ANIMALCOMMENTS'
  const stays = `${headings}\nT1,Tim,Dog,Male,None,2026-05-01,second stay\nT1,Tim,Dog,Male,None,2025-01-01,first stay\n`
  const stay = await figures(stays, asm)
  assert.deepEqual(
    [stay.figures, stay.notes?.filter(({ code }) => code === 'repeated_id')],
    [[1, 0, 0], [{ code: 'repeated_id', count: 1, lines: [3] }]],
  )
  assert.deepEqual((await figures(stays, asm)).figures, [0, 0, 1])
  const shared = `${headings}\nU1,Uno,Dog,Male,None,,\nU1,Dos,Cat,Female,None,,\n`
  assert.deepEqual((await figures(shared, asm)).reasons, [
    '2: Line 3 has the same id but another name, so this line was not imported.',
  ])
})

test('a line with the microchip of an earlier line or of a stored animal is reported together with it', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const chipsIn = async (file: string, dryRun = false) => {
    const { notes = [] } = await importText(store, `name,category,staff.microchip\n${file}`, {
      ...KEYED,
      dryRun,
    })
    return notes.find(({ code }) => code === 'same_chip')?.sameChips
  }
  await chipsIn('Bella,Dog,985-112-006-543-210\n')

  const file =
    'Bela,Dog,985112006543210\nTom,Cat,none\nTim,Cat,none\nAda,Cat,0A12 3B45 C6\nAida,Cat,0a123b45c6\n'
  const expected = [
    { line: 6, otherLine: 5 },
    { line: 2, animal: 1 },
  ]
  assert.deepEqual(await chipsIn(file, true), expected)
  assert.deepEqual(await chipsIn(file), expected)
  assert.deepEqual(await chipsIn('Bella,Dog,985-112-006-543-210\n'), [{ line: 2, animal: 2 }], 'not itself')
})
