import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../../testing/console.ts'
import { startApp } from '../../../testing/start-app.ts'

/** So much may the names of both add to a page. */
const MAX_BYTES = 14_500

test('fields for countries and currencies offer their names in the language of the page', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  await app.post('/v1/organizations', { name: 'Harbour Shelter', code: 'CO12' })
  const admin = await signIn(app, { role: 'admin' })
  for (const [path, lists] of [
    ['/console/animals/new', { 'place.country': 'country', 'fee.currency': 'currency' }],
    ['/console/organizations/new', { 'address.country': 'country' }],
    ['/console/organizations/1', { 'address.country': 'country' }],
    ['/console/import', { currency: 'currency' }],
  ] as const) {
    for (const [language, names] of [
      ['en', { country: ['ES', 'Spain'], currency: ['GBP', 'British Pound'] }],
      ['es', { country: ['ES', 'España'], currency: ['GBP', 'libra esterlina'] }],
    ] as const) {
      const { text } = await admin.get(path, { 'accept-language': language })
      const offered = [...text.matchAll(/<datalist id="(\w+)">(.*?)<\/datalist>/gs)]
      assert.deepEqual(new Set(offered.map(([, id]) => id)), new Set(Object.values(lists)), path)
      for (const [name, list] of Object.entries(lists))
        assert.match(text, new RegExp(`<input id="field-${name}"[^>]* list="${list}"`), path)
      for (const [, id = '', options = ''] of offered) {
        const [code, words] = names[id as keyof typeof names]
        assert.ok(options.includes(`<option value="${code}">${words}`), `${path} ${language}`)
      }
      const bytes = offered.reduce((sum, [list]) => sum + Buffer.byteLength(list), 0)
      assert.ok(bytes <= MAX_BYTES, `${bytes}`)
    }
  }
})
