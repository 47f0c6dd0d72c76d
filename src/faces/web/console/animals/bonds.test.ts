import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../../../testing/console.ts'
import { startApp } from '../../../../testing/start-app.ts'

test('animals adopted together are typed by name, shelter ID or number, and linked', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  for (const code of ['CO1', 'CO2']) await app.post('/v1/organizations', { name: code, code })
  const add = (name: string, externalId: string, organizationId = 1) =>
    app.post('/v1/pets', { name, externalId, organizationId, categoryId: 1 })
  await add('Clover', 'S 1')
  await add('Big Thimble', 'S-2')
  await add('Twin', 'S-3')
  await add('Twin', 'S-4')
  await add('Clover', 'T-1', 2)
  await add('Far Away', 'T-2', 2)
  const ana = await signIn(app, { organizationId: 1 })
  const bonds = async (id: number) => (await app.get(`/v1/pets/${id}`)).body.bondedWith

  const page = '/console/animals/1'
  assert.equal((await ana.fill(page, { bondedWith: 'big thimble, s-3' })).status, 303)
  assert.deepEqual(await bonds(1), [2, 3])
  assert.match(
    (await ana.get(page)).text,
    /Adopted together with: <a href="\/console\/animals\/2">Big Thimble<\/a>, <a href="\/console\/animals\/3">Twin</,
  )
  assert.equal((await ana.fill(page, { bondedWith: '2' })).status, 303)
  assert.deepEqual(await bonds(1), [2])

  for (const bondedWith of ['Twin', 'Nobody', 'Far Away']) {
    const refused = await ana.fill('/console/animals/3', { bondedWith })
    assert.equal(refused.status, 400, bondedWith)
    assert.match(refused.text, /If several animals have a name, enter the shelter ID\./)
    assert.match(refused.text, new RegExp(`name="bondedWith" type="text" value="${bondedWith}"`))
  }
  const added = { name: 'New', categoryId: '1', bondedWith: 'S-4' }
  assert.equal((await ana.fill('/console/animals/new', added)).status, 303)
  assert.deepEqual(await bonds(7), [4])
})
