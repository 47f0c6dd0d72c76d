import assert from 'node:assert/strict'
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { cleanup } from '../testing/cleanup.ts'
import { scratchFolder } from '../testing/start-app.ts'
import type { Format, Refusal } from './animal.ts'
import { exportAnimals } from './export.ts'
import { importAnimals } from './import.ts'
import { judge } from './judge.ts'
import { MAPPINGS } from './mappings.ts'
import { categoryOfSpecies } from './species.ts'

const SAMPLES = new URL('samples/', import.meta.url)

/** Imports a sample into a store of its own, and tells what is in there then. */
async function importSample(t: TestContext, from: string, file: string | Iterable<Buffer>, format: Format) {
  const store = await openForCommand(`sqlite:${join(scratchFolder(t), 'test.db')}`, changes)
  cleanup(t).defer(() => store.close())
  const refused: Refusal[] = []
  const mapping = MAPPINGS[from]
  assert.ok(mapping)
  const input = typeof file === 'string' ? createReadStream(new URL(file, SAMPLES)) : Readable.from(file)
  await importAnimals(store, input, {
    format,
    mapping,
    source: from,
    idColumn: mapping.idColumn,
    update: false,
    keyId: null,
    category: undefined,
    dryRun: false,
    mayHaveOwnIds: false,
    clock: () => 0,
    onRefused: (refusal) => refused.push(refusal),
    onBatch: () => undefined,
  })
  const lines = (await text(Readable.from(exportAnimals(store.db, 'csv')))).split('\r\n').slice(1, -1)
  const sources = await store.db
    .selectFrom('pet_source')
    .select(['source_id', 'source', 'pet_id'])
    .orderBy('pet_id')
    .execute()
  assert.ok(sources.every(({ source, pet_id }, index) => source === from && pet_id === index + 1))
  return { lines, refused, ids: sources.map(({ source_id }) => source_id) }
}

test("Petfinder's CSV: types and statuses become ours, a description over two lines is passed over", async (t) => {
  const { lines, refused, ids } = await importSample(t, 'petfinder', 'petfinder.csv', 'csv')

  assert.deepEqual(lines, [
    '1,Babo,Dog,available',
    '2,Dodle,Small & furry,pending',
    '3,Gugan,"Scales, fins & other",',
  ])
  assert.deepEqual(ids, ['F1', 'F2', 'F4'])
  assert.deepEqual(refused, [
    {
      line: 5,
      id: 'F3',
      reason: 'No category is known for the species "Dragon"; --category names one for such animals.',
    },
    { line: 7, id: 'F5', reason: `The status "Q" is none of Petfinder's: A, F, H, P or X.` },
  ])
})

test("Animal Shelter Manager's CSV: movements become statuses, and lines about anything else no animals", async (t) => {
  const { lines, refused, ids } = await importSample(t, 'shelter-manager', 'shelter-manager.csv', 'csv')

  assert.deepEqual(lines, [
    '1,Babo,Dog,available',
    '2,Dodle,Cat,sold',
    '3,Fify,"Scales, fins & other",',
    '4,Gugan,Dog,available',
  ])
  assert.deepEqual(ids, ['D2026001', 'C2026002', 'R2026003', 'D2026004'])
  assert.deepEqual(
    refused.map(({ line, reason }) => [line, reason]),
    [
      [8, 'It has died.'],
      [9, 'Its owner took it back.'],
      [10, 'It never was an animal of the shelter.'],
      [11, 'No category is known for the species "Dragon"; --category names one for such animals.'],
    ],
  )
})

test("RescueGroups' JSON: species and statuses are found among what is included", async (t) => {
  const { lines, refused, ids } = await importSample(t, 'rescuegroups', 'rescuegroups.json', 'json')

  assert.deepEqual(lines, ['1,Babo,Dog,available', '2,Dodle,Cat,sold', '3,Fify,Small & furry,pending'])
  assert.deepEqual(ids, ['90000001', '90000002', '90000003'])
  assert.deepEqual(
    refused.map(({ line, id, reason }) => [line, id, reason.split(';')[0]]),
    [
      [4, '90000004', 'The status "Transferred" has no counterpart'],
      [5, '90000005', 'No category is known for the species "Dragon"'],
      [6, '90000006', 'There is no status'],
    ],
  )
})

test("RescueGroups' JSON, a page or an animal a line, says the same", async (t) => {
  const page = JSON.stringify(JSON.parse(readFileSync(new URL('rescuegroups.json', SAMPLES), 'utf8')))
  const animal = '{"id": 7, "name": "Pamo", "species": "Horses", "status": "Adopted"}'
  const resource = '{"type": "animals", "id": "8", "attributes": {"name": "Sox", "status": "Hold"}}'
  const lined = [page, animal, resource, 'null', '[]', ''].join('\n')

  const { lines, refused, ids } = await importSample(t, 'rescuegroups', [Buffer.from(lined)], 'ndjson')

  assert.deepEqual(ids, ['90000001', '90000002', '90000003', '7'])
  assert.equal(lines[3], '4,Pamo,Horse,sold')
  assert.deepEqual(
    refused.map(({ line }) => line),
    [1, 1, 1, 3, 4],
  )
})

test("RescueGroups' JSON that is an error, or has something else in place of an animal, is told", async (t) => {
  const denied =
    '{"errors": [{"status": "401", "title": "Not authorized", "detail": "The key is not valid."}]}'
  const odd = `{"type": "animals", "id": "3", "attributes": {"name": "Bo", "status": {"toString": 1}}}`
  const good =
    '{"id": "4", "type": "animals", "attributes": {"name": "Sox", "species": "Cat", "status": "Hold"}}'
  const page = `{"data": [null, 7, ${odd}, ${good}], "included": [null, {"type": null}]}`

  const whole = await importSample(t, 'rescuegroups', [Buffer.from(page)], 'json')
  const lined = await importSample(t, 'rescuegroups', [Buffer.from(`${denied}\n${page}`)], 'ndjson')

  const reasons = [
    [1, 'It must be a JSON object.'],
    [2, 'It must be a JSON object.'],
    [3, 'The status "" has no counterpart; Available, Hold, Pending and Adopted are read.'],
  ]
  assert.deepEqual(
    [whole.lines, whole.refused.map(({ line, reason }) => [line, reason])],
    [['1,Sox,Cat,pending'], reasons],
  )
  assert.deepEqual(lined.lines, ['1,Sox,Cat,pending'])
  assert.deepEqual(lined.refused[0], {
    line: 1,
    reason: 'RescueGroups answered with an error: The key is not valid.',
  })
  assert.deepEqual(
    lined.refused.slice(1).map(({ reason }) => reason),
    reasons.map(([, reason]) => reason),
  )
})

test('words for kinds of animals are known in any case, in the plural, and with any signs between them', () => {
  const words = {
    DOG: 'Dog',
    Cats: 'Cat',
    'Small&Furry': 'Small & furry',
    'Guinea Pigs': 'Small & furry',
    'Scales, Fins & Other': 'Scales, fins & other',
    'Barn yard': undefined,
    Barnyard: 'Barnyard',
    '': undefined,
    s: undefined,
  }
  for (const [word, category] of Object.entries(words)) assert.equal(categoryOfSpecies(word), category, word)
})

test("a category of the store's own comes before the one that others put such animals in", () => {
  const categories = {
    ids: new Set(['8', '9']),
    byName: new Map([
      ['barnyard', 8],
      ['goat', 9],
    ]),
  }
  const categoryOf = (kind: string) => judge({ name: 'Rex', kind }, categories, undefined, 0).categoryId

  assert.deepEqual([categoryOf('GOAT'), categoryOf('Goats'), categoryOf('Sheep')], [9, 8, 8])
})
