import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpDate } from './conditional.ts'

test('httpDate reads the three date formats of HTTP', () => {
  const time = Date.UTC(1994, 10, 6, 8, 49, 37)
  for (const text of [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ]) {
    assert.equal(parseHttpDate(text), time, text)
  }
  assert.equal(parseHttpDate('Tue Nov 16 08:49:37 2027'), Date.UTC(2027, 10, 16, 8, 49, 37))
  assert.equal(parseHttpDate('Tuesday, 16-Nov-27 08:49:37 GMT'), Date.UTC(2027, 10, 16, 8, 49, 37))
})

test('httpDate returns undefined for other text, even if Date.parse accepts the text', () => {
  for (const text of [
    '',
    '0',
    '2026',
    '2026-12-01T00:00:00Z',
    'Tue, 1 Dec 2026 00:00:00 GMT',
    'tue, 01 dec 2026 00:00:00 gmt',
    'Tue, 01 Dec 2026 00:00:00 +0000',
    'Tue, 01 Dec 2026 00:00:00',
    'Tue, 01 Dec 2026 00:00:00 GMT, Tue, 01 Dec 2026 00:00:00 GMT',
    'Tue, 31 Feb 2026 00:00:00 GMT',
    'Tue, 01 Dec 2026 24:00:00 GMT',
    'Tue, 01 Dec 2026 00:60:00 GMT',
    'Tue, 01 Dec 2026 00:00:61 GMT',
  ]) {
    assert.equal(parseHttpDate(text), undefined, text)
  }
})
