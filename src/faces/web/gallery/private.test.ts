import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGallery } from '../../../testing/gallery.ts'

test('staff-only data and unlisted animals are on no page, feed or frame, even for a key with access', async (t) => {
  const { add, visit, get, shelter } = await startGallery(t)
  const { id: organizationId, code } = await shelter({ code: 'CO12' })
  const staff = {
    ...{ microchip: 'secret-chip', intakeKind: 'secret-kind', intakeNote: 'secret-note' },
    ...{ kennel: 'secret-kennel', notes: 'secret-notes', intakeDate: '2020-02-02' },
    ...{ fosterName: 'secret-foster', fosterPhone: 'secret-phone' },
    datedNotes: [{ date: '2020-02-02', kind: 'medical', text: 'secret-note' }],
  }
  const place = { city: 'Denver', region: 'CO', latitude: 39.123456, longitude: -104.987654 }
  const id = await add({ name: 'Ada', organizationId, staff, place })
  const held = { ...staff, holdReason: 'secret-hold' }
  const hidden = await add({ name: 'Unlisted', organizationId, staff: held, status: undefined })
  await add({ name: 'Bo', organizationId, bondedWith: [hidden] })
  const left = { outcomeKind: 'died', outcomeDate: '2020-02-02', outcomeNote: 'secret-outcome' }
  await add({ name: 'Unlisted too', organizationId, staff: { ...staff, ...left }, status: undefined })

  const paths = [
    ...['/', '/animals', '/animals?q=ada', '/animals?near=Denver,+CO', `/animals/${id}-ada`, '/animals.atom'],
    ...['/animals/3-bo', `/organizations/${code}`, `/embed?organization=${code}`, '/sitemap/animals-0.xml'],
  ]
  for (const path of paths) {
    // A key that may see staff data gets the same page.
    const asKey = await get(path, { accept: 'text/html' })
    const asVisitor = await visit(path)
    for (const page of [asKey, asVisitor]) {
      assert.equal(page.status, 200, path)
      const found = /secret-|2020-02|February 2, 2020|39\.123|104\.98[^\d]?7|Unlisted/.exec(page.text)
      assert.equal(found?.[0], undefined, path)
    }
    assert.equal(asKey.text, asVisitor.text)
  }
  for (const q of ['secret-chip', 'Unlisted', 'secret-notes'])
    assert.match((await visit(`/animals?q=${q}`)).text, /No animals match your search/)
})
