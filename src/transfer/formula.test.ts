import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { cleanup } from '../testing/cleanup.ts'
import { scratchStore } from '../testing/start-app.ts'
import { shieldFormulas, unshieldFormulas } from './columns.ts'
import { exportAnimals } from './export.ts'
import { importAnimals } from './import.ts'
import { ownMapping } from './mappings/own.ts'

/** Characters that a cell must not begin with, according to OWASP. */
const DANGEROUS = [...'=+-@\t\r\n＝＋－＠']
const NASTY = fc
  .array(fc.constantFrom(...DANGEROUS, "'", "'", ' ', '"', ',', ';', 'a', '🐕'), { maxLength: 12 })
  .map((parts) => parts.join(''))

/** The cells as different programs may split them. */
const partsOf = (cell: string): string[] => cell.split(/[;\t\r\n]/)

test('CSV cells never begin like a formula, even after a semicolon or tab, and are restored exactly', () => {
  const check = (name: string): void => {
    const cell = shieldFormulas(name)
    for (const part of partsOf(cell)) assert.ok(!DANGEROUS.includes(part.trimStart()[0] ?? ''), cell)
    assert.equal(unshieldFormulas(cell), name)
  }
  fc.assert(fc.property(NASTY, check), { numRuns: 20_000 })
  fc.assert(fc.property(fc.string(), check))
  assert.deepEqual(['=1+1', "'=1", "O'Malley", "'Tis", 'a-b'].map(shieldFormulas), [
    "'=1+1",
    "''=1",
    "O'Malley",
    "'Tis",
    'a-b',
  ])
})

async function newStore(t: Parameters<typeof cleanup>[0]) {
  const store = await openForCommand(scratchStore(t), changes)
  cleanup(t).defer(() => store.close())
  return store
}

const OPTIONS = {
  mapping: ownMapping,
  source: 'test',
  idColumn: undefined,
  update: false,
  keyId: null,
  category: undefined,
  dryRun: false,
  mayHaveOwnIds: false,
  clock: () => 1_000,
  onRefused: (refusal: unknown) => assert.fail(JSON.stringify(refusal)),
  onBatch: () => undefined,
}

test('names like formulas are quoted in a CSV export and restored exactly, and are unchanged in NDJSON', async (t) => {
  const [one, other] = [await newStore(t), await newStore(t)]
  const sampled = fc
    .sample(NASTY, { numRuns: 300, seed: 17 })
    .map((name) => `${name.replace(/\p{Cc}/gu, '=')}x`)
  const names = ["=cmd|' /C calc'!A0", '@SUM(1+1)', "'=1", "''-Rex", '－Rex', 'a;=1+1;b', ...sampled]
  const ndjson = names.map((name) => `${JSON.stringify({ name, category: 'Dog' })}\n`).join('')
  await importAnimals(
    one,
    { bytes: () => Readable.from([Buffer.from(ndjson)]) },
    { ...OPTIONS, format: 'ndjson' },
  )

  const csv = await text(Readable.from(exportAnimals(one.db, 'csv')))

  const rows: string[][] = parse(csv, { fromLine: 2 } as never)
  for (const row of rows) for (const cell of row) assert.doesNotMatch(cell, /^[\s]*[=+\-@＝＋－＠]/)
  await importAnimals(
    other,
    { bytes: () => Readable.from([Buffer.from(csv)]) },
    { ...OPTIONS, format: 'csv' },
  )
  const back = (await text(Readable.from(exportAnimals(other.db, 'ndjson')))).trimEnd().split('\n')
  assert.deepEqual(
    back.map((line) => JSON.parse(line).name),
    names,
  )
})

test('outcomes and dated notes are exported to CSV and restored exactly by an import', async (t) => {
  const [one, other] = [await newStore(t), await newStore(t)]
  const staff = {
    ...{ holdReason: '=1', fosterName: 'Sam', fosterEmail: 'sam@foster.example', fosterPhone: '+1 555' },
    ...{ outcomeKind: 'died', outcomeDate: '1970-01-01', outcomeNote: 'At\nhome.' },
    datedNotes: [
      { date: '1970-01-01', kind: 'medical', text: 'a;=1+1\n-2 "x"' },
      { date: '1960-01-01', kind: 'behavior', text: '=1' },
    ],
  }
  const ndjson = `${JSON.stringify({ name: 'Rex', category: 'Dog', staff })}\n`
  const importText = (store: typeof one, text: string, format: 'csv' | 'ndjson') =>
    importAnimals(store, { bytes: () => Readable.from([Buffer.from(text)]) }, { ...OPTIONS, format })
  await importText(one, ndjson, 'ndjson')

  const csv = await text(Readable.from(exportAnimals(one.db, 'csv')))
  await importText(other, csv, 'csv')

  const back = await text(Readable.from(exportAnimals(other.db, 'ndjson')))
  assert.deepEqual(JSON.parse(back).staff, staff)
})
