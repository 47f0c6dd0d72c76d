import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewPet } from '../../../pets/schema.ts'
import { signIn } from '../../../testing/console.ts'
import { startApp } from '../../../testing/start-app.ts'
import { newPetOf } from './animals/form.ts'

/** The lists of countries and currencies may add this much to a page. */
const MAX_BYTES = 14_500

test('country and currency fields offer names in the language of the page', async (t) => {
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

test('the form of an animal reads a breed like an import', () => {
  const breedOf = (primary: string, secondary = '') =>
    (newPetOf({ 'breed.primary': primary, 'breed.secondary': secondary, 'breed.mixed': '' }) as NewPet).breed

  assert.deepEqual(breedOf('Labrador / Mix'), { primary: 'Labrador', mixed: true })
  assert.deepEqual(breedOf('Lab x Poodle'), { primary: 'Lab', secondary: 'Poodle', mixed: true })
  assert.deepEqual(breedOf('Beagle cross'), { primary: 'Beagle', mixed: true })
  assert.deepEqual(breedOf('Beagle'), { primary: 'Beagle' })
})
