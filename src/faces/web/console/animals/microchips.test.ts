import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formIn, signIn } from '../../../../testing/console.ts'
import { startApp } from '../../../../testing/start-app.ts'

const NEW = '/console/animals/new'
const WARNING = /has the same microchip[^<]*<a href="\/console\/animals\/(\d+)">([^<]*)<\/a>/

test('an animal with the microchip of another animal is saved, and its page links to that animal', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  for (const code of ['N1', 'S1']) await app.post('/v1/organizations', { name: code, code })
  const add = (name: string, microchip: string, organizationId?: number) =>
    app.post('/v1/pets', { name, categoryId: 1, organizationId, staff: { microchip } })
  await add('Bella', '985-112-006-543-210', 1)
  await add('Milo', '900 000 000 000 001', 2)
  const ana = await signIn(app, { organizationId: 1 })
  const save = async (chip: string, next = 'photos') => {
    const form = formIn((await ana.get(NEW)).text, NEW)
    const sent = { ...form, name: 'Bela', categoryId: '1', 'staff.microchip': chip, next }
    const { status, headers } = await ana.send(NEW, sent)
    assert.equal(status, 303)
    return String(headers.location)
  }
  const warningOn = async (path: string) => WARNING.exec((await ana.get(path)).text)?.slice(1)

  const same = await save('985112006543210', 'another')
  assert.deepEqual(await warningOn(same), ['1', 'Bella'], 'the page of the animal, not the next form')
  assert.deepEqual(await warningOn('/console/animals/1'), ['3', 'Bela'])
  assert.equal(await warningOn(await save('900000000000001')), undefined, 'another shelter’s animal')
  assert.match(await save('none', 'another'), /\/new\?/)
  assert.equal(await warningOn(await save('none')), undefined)
})
