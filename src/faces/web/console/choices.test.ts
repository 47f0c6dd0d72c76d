import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../../testing/console.ts'
import { startApp, UNLIMITED } from '../../../testing/start-app.ts'
import { upload } from '../../../testing/upload.ts'

const SPANISH = { 'accept-language': 'es' }

test('console and gallery show the built-in categories in the language of the browser', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  // A category named by staff keeps its name, even if it is the name of a member of every object.
  await app.post('/v1/categories', { name: 'constructor' })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 4, status: 'available' })
  const ana = await signIn(app)
  const offered = async (path: string, headers = {}) => {
    const { text } = await ana.get(path, headers)
    const [select = ''] = /<select id="field-category(?:Id)?".*?<\/select>/s.exec(text) ?? []
    return [...select.matchAll(/<option value="([^"]*)"[^>]*>([^<]*)</g)].map(([, ...parts]) => parts)
  }
  for (const path of ['/console/animals', '/console/animals/new', '/console/animals/1']) {
    const [, first, , , fourth, ...others] = await offered(path, SPANISH)
    assert.deepEqual(first, ['1', 'Perro'], path)
    assert.deepEqual(fourth, ['4', 'Pequeños y peludos'], path)
    assert.deepEqual(others.at(-1), ['9', 'constructor'], path)
    assert.deepEqual((await offered(path))[1], ['1', 'Dog'], path)
  }
  for (const path of ['/console/', '/console/animals'])
    assert.match((await ana.get(path, SPANISH)).text, /<small>Pequeños y peludos/, path)

  // The form sends the stored name, which the import expects.
  assert.deepEqual((await offered('/console/import', SPANISH))[1], ['Dog', 'Perro'])
  const file = 'name,category\nRex,Chien\n'
  assert.match((await upload(app, ana, file, { category: 'Dog' })).text, /<b>1<\/b> added/)
})
