import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyFor } from '../../../../testing/applicant.ts'
import { signIn } from '../../../../testing/console.ts'
import { readQrCode } from '../../../../testing/read-qr-code.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'

test('GET /console/animals/{id}/poster shows public data only; kennel-card also shows kennel and microchip', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['CO1', 'CO2'])
    await app.post('/v1/organizations', { name: `Shelter ${code}`, code, phone: '303 555 0100' })
  const pet = {
    ...{ name: 'Luna', categoryId: 1, organizationId: 1, status: 'available', description: 'Loves <walks>.' },
    staff: { kennel: 'B7', microchip: '985112006543210', intakeDate: '2026-10-01', notes: 'Pulls hard.' },
  }
  assert.equal((await app.post('/v1/pets', pet)).status, 201)
  await app.post('/v1/pets', { ...pet, name: 'Draft', status: undefined })
  const ana = await signIn(app, { organizationId: 1, role: 'viewer' })
  const page = (await ana.get('/console/animals/1')).text
  assert.match(page, /href="\/console\/animals\/1\/poster">Poster<.*1\/kennel-card">Kennel card</)

  const poster = (await ana.get('/console/animals/1/poster')).text
  assert.match(poster, /Looking for a home.*Luna.*Loves &lt;walks&gt;\..*Shelter CO1.*303 555 0100/s)
  assert.match(poster, /http:\/\/pets\.example\/animals\/1-luna</)
  assert.match(poster, /role="img" aria-label="QR code with this address"/)
  assert.doesNotMatch(poster, /B7|985112006543210|Pulls hard/)
  const card = (await ana.get('/console/animals/1/kennel-card')).text
  assert.match(card, /Kennel: <strong>B7<.*985112006543210.*October 1, 2026/s)
  assert.doesNotMatch(card, /Pulls hard/)
  for (const paper of [poster, card]) assert.equal(readQrCode(paper), 'http://pets.example/animals/1-luna')

  const draft = (await ana.get('/console/animals/2/poster')).text
  assert.match(draft, /not in the gallery/)
  assert.doesNotMatch(draft, /animals\/2-draft|<svg/)
  const other = await signIn(app, { organizationId: 2 })
  for (const paper of ['poster', 'kennel-card']) {
    const path = `/console/animals/1/${paper}`
    assert.equal((await other.get(path)).status, 404)
    assert.equal((await app.get(path, { authorization: undefined })).status, 303)
  }
})

test('GET /console/applications/{id}/record: an approved application has a record, for its organization only', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['CO1', 'CO2'])
    await app.post('/v1/organizations', { name: code, code, adoptionPolicy: 'Come back if it fails.' })
  const staff = { microchip: '985112006543210' }
  await app.post('/v1/pets', { name: 'Luna', categoryId: 1, organizationId: 1, status: 'available', staff })
  await applyFor(app, 1, { message: 'We have a garden.', phone: '555-0100' })
  const ana = await signIn(app, { organizationId: 1 })
  const path = '/console/applications/1'
  assert.equal((await ana.get(`${path}/record`)).status, 404, 'an application without a decision')
  assert.doesNotMatch((await ana.get(path)).text, /Adoption record/)

  await ana.fill(path, { status: 'in_review' })
  await ana.fill(path, { status: 'approved', reply: 'The fee is 50.' })
  assert.match((await ana.get(path)).text, /href="\/console\/applications\/1\/record">Adoption record</)
  const record = (await ana.get(`${path}/record`)).text
  assert.match(record, /Adoption record for Luna.*985112006543210.*Kim Doe.*555-0100.*We have a garden\./s)
  assert.match(record, /The fee is 50\..*Come back if it fails\..*Date and signature of the adopter/s)
  const other = await signIn(app, { organizationId: 2 })
  assert.equal((await other.get(`${path}/record`)).status, 404)
  const viewer = await signIn(app, { organizationId: 1, role: 'viewer' })
  assert.equal((await viewer.get(`${path}/record`)).status, 403)
})
