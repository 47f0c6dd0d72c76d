import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewPet } from '../../../pets/schema.ts'
import { signIn } from '../../../testing/console.ts'
import { startApp } from '../../../testing/start-app.ts'
import { newPetOf } from './animals/form.ts'

/** The largest size of a form, without the lists that an organization adds. */
const MAX_BYTES = 26_000

test('the forms are small: they have no lists of all countries and currencies', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  await app.post('/v1/organizations', { name: 'Harbour Shelter', code: 'CO12' })
  const admin = await signIn(app, { role: 'admin' })
  const forms = ['/console/animals/new', '/console/organizations/new', '/console/organizations/1']
  for (const path of [...forms, '/console/import'])
    for (const language of ['en', 'es']) {
      const { text } = await admin.get(path, { 'accept-language': language })
      assert.ok(Buffer.byteLength(text) <= MAX_BYTES, `${path} ${Buffer.byteLength(text)}`)
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
