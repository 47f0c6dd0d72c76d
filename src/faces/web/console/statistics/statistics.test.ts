import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../../../testing/console.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'

const PAGE = '/console/statistics'
const NOW = Date.UTC(2026, 10, 23, 12)

async function startWithTwo(t: Parameters<typeof startApp>[0]) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, now: NOW })
  for (const code of ['A1', 'B2']) await app.post('/v1/organizations', { name: `Shelter ${code}`, code })
  await app.post('/v1/categories', { name: '=Goat' })
  const left = { outcomeKind: 'died', outcomeDate: '2026-11-10' }
  const animals: [organizationId: number, categoryId: number, staff: object][] = [
    [1, 1, { intakeDate: '2026-10-01', ...left }],
    [1, 9, { intakeDate: '2026-11-01', ...left, outcomeKind: 'transferred' }],
    [1, 1, { intakeDate: '2026-11-20' }],
    [2, 2, { intakeDate: '2026-11-20' }],
  ]
  for (const [organizationId, categoryId, staff] of animals)
    await app.post('/v1/pets', { name: 'Rex', categoryId, organizationId, staff })
  return app
}

const figuresIn = (text: string): string[] =>
  [...text.matchAll(/<li><b>([^<]*)<\/b>/g)].map(([, figure = '']) => figure)

test('the page of statistics shows figures, plots and their tables, of one organization or of all', async (t) => {
  const app = await startWithTwo(t)
  const admin = await signIn(app, { role: 'admin' })
  const { status, text } = await admin.get(PAGE)
  assert.equal(status, 200)
  assert.deepEqual(figuresIn(text), ['2', '4', '2', '50%', '9', '–'])
  assert.equal(text.match(/<svg class="plot" role="img" aria-label="/g)?.length, 3)
  assert.match(
    text,
    /<th scope="row">November 2026<\/th><td>3<\/td><td>0<\/td><td>1<\/td><td>0<\/td><td>1<\/td>/,
  )
  assert.match(text, /<th scope="row">0 to 7<\/th><td>2<\/td>/)
  assert.deepEqual(figuresIn((await admin.get(`${PAGE}?organization=2&months=1`)).text), [
    '1',
    '1',
    '0',
    '–',
    '–',
    '–',
  ])
  assert.match((await admin.get(`${PAGE}?organization=99`)).text, /No animals in this period\./)
})

test('people of an organization see only its statistics, whatever the address says', async (t) => {
  const app = await startWithTwo(t)
  const viewer = await signIn(app, { role: 'viewer', organizationId: 2 })
  for (const path of [PAGE, `${PAGE}?organization=1`]) {
    const { text } = await viewer.get(path)
    assert.equal(figuresIn(text)[0], '1')
    assert.doesNotMatch(text, /name="organization"/)
  }
  const { status, text } = await viewer.get(`${PAGE}/types.csv?organization=1`)
  assert.deepEqual([status, /Cat/.test(text), /Dog/.test(text)], [200, true, false])
})

test('GET /console/statistics/NAME.csv downloads each table, safe against formulas', async (t) => {
  const app = await startWithTwo(t)
  const admin = await signIn(app, { role: 'admin' })
  const { text, headers } = await admin.get(`${PAGE}/months.csv?organization=1`)
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
  assert.deepEqual(text.split('\r\n'), [
    '\uFEFFMonth,Type,Intakes,Adopted,Transferred,Returned to owner,Died',
    '2026-10,Dog,1,0,0,0,0',
    '2026-11,Dog,1,0,0,0,1',
    "2026-11,'=Goat,1,0,1,0,0",
    '',
  ])
  for (const name of ['types', 'stays', 'waiting'])
    assert.equal((await admin.get(`${PAGE}/${name}.csv`)).status, 200)
  assert.equal((await admin.get(`${PAGE}/others.csv`)).status, 404)
})
