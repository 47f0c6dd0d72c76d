import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { US_LOCALE } from './animal.ts'
import { ownMapping } from './mappings/own.ts'
import { shelterManager } from './mappings/shelter-manager.ts'
import type { ReadOptions } from './read.ts'
import { surveyFile } from './survey.ts'

const survey = (rows: string[], options: Partial<ReadOptions> = {}) =>
  surveyFile(
    { bytes: () => Readable.from([Buffer.from(rows.join('\n'))]) },
    { format: 'csv', mapping: shelterManager, idColumn: 'ANIMALCODE', update: true, ...options },
  )

const HEAD = 'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE,ANIMALDOB,ANIMALENTRYDATE'
const rowOf = (id: number, birth: string, entry: string) => `${id},Rex,Dog,,${birth},${entry}`
const datesOf = async (...rows: [string, string][]) => {
  const { reading } = await survey([HEAD, ...rows.map(([birth, entry], index) => rowOf(index, birth, entry))])
  return Object.fromEntries(reading.locale?.dateOrders ?? [])
}

test('one date that can only be day first or month first decides for its whole column', async () => {
  assert.deepEqual(await datesOf(['03/04/2021', '2021-01-01'], ['25/12/2021', '']), { ANIMALDOB: 'day' })
  assert.deepEqual(await datesOf(['03/04/2021', '25/12/2021'], ['12/25/2021', '01/02/2021']), {
    ANIMALDOB: 'month',
    ANIMALENTRYDATE: 'day',
  })
  assert.deepEqual(
    await datesOf(['03/04/2021', '25/12/2021']),
    { ANIMALDOB: 'day', ANIMALENTRYDATE: 'day' },
    'a column without such a date is like the others',
  )
  assert.deepEqual(await datesOf(['05/05/2021', '']), {})
  assert.deepEqual(await datesOf(['25/12/2021', ''], ['12/25/2021', '']), {}, 'each date is certain')
})

test('dates with two meanings stop the import, unless the person has chosen the order', async () => {
  const rows = [HEAD, rowOf(1, '03/04/2021', '')]
  await assert.rejects(
    survey(rows),
    /ANIMALDOB "03\/04\/2021" on line 2 is 2021-04-03 with --day-first or 2021-03-04 with --month-first/,
  )
  await assert.rejects(survey([...rows, rowOf(2, '25/12/2021', ''), rowOf(3, '12/25/2021', '')]))
  const locale = { ...US_LOCALE, dayFirst: true }
  assert.equal((await survey(rows, { locale })).reading.locale?.dayFirst, true)
})

test('repeated ids: the latest intake counts, otherwise the last line', async () => {
  const { repeated } = await survey([
    HEAD,
    rowOf(1, '', '2024-01-01'),
    rowOf(2, '', '2025-01-01'),
    rowOf(1, '', '2023-01-01'),
    rowOf(2, '', ''),
    rowOf(3, '', '31/12/2023'),
    rowOf(3, '', '01/02/2024'),
    '1,Rex,,,,',
  ])
  assert.deepEqual(
    [...repeated].map(([id, { lines, newest }]) => [id.trim(), lines, newest]),
    [
      ['1', [2, 4], 2],
      ['2', [3, 5], 3],
      ['3', [6, 7], 7],
    ],
  )
  const many = Array.from({ length: 5_000 }, (_, index) => `${index},Rex,Dog,,,`)
  const { repeated: again } = await survey([HEAD, ...many, '77,Rex,Dog,,,'])
  assert.deepEqual(
    [...again.keys()].map((id) => id.trim()),
    ['77'],
  )
})

test('rows that are not animals are reported, and headings are found below titles', async () => {
  const own = { mapping: ownMapping, idColumn: undefined, update: false, guessesColumns: true }
  const { notes, reading } = await survey(
    [
      'Happy Tails,,',
      ',,',
      'Animal Name,Species,Status',
      'Ada,Dog,Available',
      'Animal Name,Species,Status',
      'Total,1,',
      'Page 1 of 1,,',
    ],
    own,
  )
  assert.deepEqual(reading.mapping.names, ['name', 'category', 'status'])
  assert.deepEqual(
    notes.find(({ code }) => code === 'no_animal'),
    { code: 'no_animal', count: 4, lines: [1, 5, 6, 7] },
  )
  const total = await survey(['name,category', 'Total,Dog', 'Count,Cat'], own)
  assert.deepEqual(total.notes, [], 'animals may have such names')
})
