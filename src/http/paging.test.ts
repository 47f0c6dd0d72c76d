import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCursor, type Position, pageOf, readCursor } from './paging.ts'

const SECRET = '0'.repeat(64)
const SCOPE = JSON.stringify(['pets', 'full', 'name'])

const POSITIONS: Position[] = [
  [1],
  [Number.MAX_SAFE_INTEGER],
  ['Rex', 7],
  ['"Añá", [\u0000] 🏡 \\', -1.5, '', 0],
  ['x'.repeat(200), 3],
]

test('a cursor carries numbers and any text through a query', () => {
  for (const position of POSITIONS) {
    const cursor = makeCursor(SECRET, SCOPE, position)
    assert.equal(new URLSearchParams(`cursor=${cursor}`).get('cursor'), cursor)
    assert.deepEqual(readCursor(SECRET, SCOPE, cursor), position)
  }
})

test('a cursor that was changed, or belongs to another list or store, is rejected with invalid_cursor', () => {
  const refused = { code: 'invalid_cursor' }
  const cursor = makeCursor(SECRET, SCOPE, ['Rex', 7])
  for (const [index, character] of [...cursor].entries()) {
    const other = character === 'A' ? 'B' : 'A'
    const changed = cursor.slice(0, index) + other + cursor.slice(index + 1)
    assert.throws(() => readCursor(SECRET, SCOPE, changed), refused, changed)
  }
  for (const damaged of ['', cursor.slice(1), cursor.slice(0, -1), cursor.slice(0, 22), `${cursor}=`]) {
    assert.throws(() => readCursor(SECRET, SCOPE, damaged), refused, damaged)
  }
  assert.throws(() => readCursor(SECRET, JSON.stringify(['pets', 'other', 'name']), cursor), refused)
  assert.throws(() => readCursor('1'.repeat(64), SCOPE, cursor), refused)
})

test('the Link header encodes parameters', () => {
  const query = { q: 'big & small #1 🐕', 'a b': ['1,2', '3'], limit: 1 }
  const list = { secret: SECRET, scope: SCOPE, address: 'http://pets.example/v1/pets', query }
  const rows = [
    { name: 'Rex', id: 7 },
    { name: 'Tom', id: 8 },
  ]
  const { page, link } = pageOf(rows, { ...list, limit: 1, positionOf: ({ name, id }) => [name, id] })
  assert.deepEqual(page, rows.slice(0, 1))
  const [, next = '', first = ''] = /^<([^<>" ]+)>; rel="next", <([^<>" ]+)>; rel="first"$/.exec(link) ?? []
  assert.deepEqual(
    [...new URL(first).searchParams],
    [
      ['q', 'big & small #1 🐕'],
      ['a b', '1,2'],
      ['a b', '3'],
      ['limit', '1'],
    ],
  )
  assert.deepEqual(readCursor(SECRET, SCOPE, new URL(next).searchParams.get('cursor') ?? ''), ['Rex', 7])
})
