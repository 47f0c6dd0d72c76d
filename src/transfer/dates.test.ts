import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOnlyDayFirst, orderShownBy, parseDate } from './dates.ts'

const NOW = Date.UTC(2026, 10, 28)

const DATES: [text: string, read: string | null | undefined][] = [
  ['2021-04-03', '2021-04-03'],
  ['2021-04-03T00:00:00Z', '2021-04-03'],
  ['2021-04-03 23:30:00-05:00', '2021-04-03'],
  ['2021/4/3', '2021-04-03'],
  ['20210403', '2021-04-03'],
  ['44289', '2021-04-03'],
  ['44289.75', '2021-04-03'],
  ['49700', undefined],
  ['12345', undefined],
  ['1617408000', '2021-04-03'],
  ['25/12/2021', '2021-12-25'],
  ['12/25/2021 12:00 AM', '2021-12-25'],
  ['3.4.2021', '2021-04-03'],
  ['03. 04. 2021', '2021-04-03'],
  ['25/12/21', '2021-12-25'],
  ['25/12/98', '1998-12-25'],
  ['29-11-26', undefined],
  ['28-11-26', '2026-11-28'],
  ['05/05/2021', '2021-05-05'],
  ['03/04/2021', undefined],
  ['31/04/2021', undefined],
  ['3-Apr-21', '2021-04-03'],
  ['Saturday, April 3rd, 2021', '2021-04-03'],
  ['3 de abril de 2021', '2021-04-03'],
  ['2021-02-30', undefined],
  ['03/04/2021 or 05/06/2021', undefined],
  ['NA', null],
  ['n/a', null],
  ['-', null],
  ['0000-00-00', null],
  ['1/0/1900', null],
  ['15/ene/2024', '2024-01-15'],
  ['soon', undefined],
  ['x'.repeat(1_000_000), undefined],
]

test('dates of people, programs and Excel are read; a date with two meanings is not guessed', () => {
  for (const [text, read] of DATES) assert.equal(parseDate(text, 'sure', NOW), read, text.slice(0, 60))
  assert.deepEqual(
    (['day', 'month'] as const).map((order) => parseDate('03/04/2021', order, NOW)),
    ['2021-04-03', '2021-03-04'],
  )
  assert.equal(parseDate('25/12/2021', 'month', NOW), undefined)
})

test('a date shows the order in its column only if it has a single meaning', () => {
  const shown = ['25/12/2021', '12/25/21', '03/04/2021', '05/05/2021', '25.12.2021', '2021-12-25', 'x']
  assert.deepEqual(shown.map(orderShownBy), [
    'day',
    'month',
    'either',
    ...[undefined, undefined, undefined, undefined],
  ])
  assert.deepEqual(['31/12/2020', '12/31/2020'].map(isOnlyDayFirst), [true, false])
})
