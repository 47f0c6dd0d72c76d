import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cardNames, linkOf, startGallery } from '../../../testing/gallery.ts'

test('GET /favorites: lists the requested animals that are public, and offers to compare them', async (t) => {
  const { add, visit } = await startGallery(t)
  const ada = await add({ name: 'Ada' })
  const bo = await add({ name: 'Bo' })
  const gone = await add({ name: 'Gone', status: 'sold' })
  const hidden = await add({ name: 'Hidden', status: undefined })

  const page = await visit(`/favorites?id=${bo}&id=${gone}&id=${hidden}&id=${ada}&id=${bo}&id=x&id=99999`)
  assert.equal(page.status, 200)
  assert.deepEqual(cardNames(page), ['Bo', 'Ada'])
  assert.match(page.text, /3 favorites are no longer listed\. <button[^>]* data-gone="3 4 99999">Remove/)
  assert.match(page.text, /<form class="panel compare-form" action="\/compare">/)
  assert.doesNotMatch(page.text, /Gone|Hidden/)
  assert.equal(page.headers['x-robots-tag'], 'noindex')

  const none = await visit(`/favorites?id=${gone}`)
  assert.match(none.text, /Your favorites are kept[\s\S]*One favorite is no longer listed\./)

  for (const query of ['', '?id=', '?id=%00', '?id[]=1']) {
    const empty = await visit(`/favorites${query}`)
    assert.equal(empty.status, 200, query)
    assert.match(empty.text, /You have no favorites yet/)
  }
})

test('GET /compare: puts the public facts of up to four animals side by side', async (t) => {
  const { add, visit, shelter, photo } = await startGallery(t)
  const { id: organizationId } = await shelter({ address: { city: 'Denver', region: 'CO' } })
  const staff = { notes: 'Pulls.', kennel: 'B7' }
  const ada = await add({ name: 'Ada', organizationId, sex: 'female', goodWith: { cats: true }, staff })
  await photo(ada)
  const bo = await add({ name: 'Bo', categoryId: 2, fee: { amount: 0, currency: 'USD' } })
  const hidden = await add({ name: 'Hidden', status: undefined })
  const more = [await add({ name: 'Cleo' }), await add({ name: 'Dot' }), await add({ name: 'Eve' })]

  const { text } = await visit(`/compare?id=${ada}&id=${bo}&id=${hidden}`)
  const rows = [...text.matchAll(/<th scope="row">([^<]*)<\/th>((?:<td dir="auto">[^<]*<\/td>)+)/g)]
  const cells = Object.fromEntries(
    rows.map(([, name = '', row = '']) => [
      name,
      [...row.matchAll(/>([^<]*)<\/td/g)].map(([, cell]) => cell),
    ]),
  )
  const { 'Listed on': _, ...facts } = cells
  assert.deepEqual(facts, {
    Type: ['Dog', 'Cat'],
    Sex: ['Female', '–'],
    'Good with': ['Cats', '–'],
    'Adoption fee': ['–', 'No fee'],
    Location: ['Denver, CO', '–'],
    Shelter: ['Harbour Shelter', '–'],
  })
  assert.doesNotMatch(text, /Hidden|Pulls|B7/)
  const five = await visit(`/compare?${[ada, bo, ...more].map((id) => `id=${id}`).join('&')}`)
  assert.equal(five.text.match(/<th scope="col">/g)?.length, 4)
})

test('GET /animals/{slug} of an adopted animal: shows no empty facts, and lists similar animals', async (t) => {
  const { add, visit, shelter, patch } = await startGallery(t)
  const { id: denver } = await shelter({ code: 'CO1', latitude: 39.74, longitude: -104.99 })
  const { id: boulder } = await shelter({ code: 'CO2', latitude: 40.01, longitude: -105.27 })
  const { id: boston } = await shelter({ code: 'MA1', latitude: 42.36, longitude: -71.06 })
  const ada = await add({ name: 'Ada', organizationId: denver })
  await add({ name: 'Same shelter', organizationId: denver })
  await add({ name: 'Cat there', organizationId: denver, categoryId: 2 })
  await add({ name: 'Near', organizationId: boulder })
  await add({ name: 'Far', organizationId: boston })
  await add({ name: 'Near cat', organizationId: boulder, categoryId: 2 })
  await add({ name: 'Hidden', organizationId: denver, status: undefined })
  assert.deepEqual(cardNames(await visit(`/animals/${ada}-ada`)), [], 'an animal that looks for a home')

  await patch(`/v1/pets/${ada}`, { status: 'pending' })
  await patch(`/v1/pets/${ada}`, { status: 'sold' })
  const page = await visit(`/animals/${ada}-ada`)
  assert.deepEqual(cardNames(page), ['Same shelter', 'Near', 'Cat there'])
  assert.doesNotMatch(page.text, /<dd[^>]*><\/dd>/)
  assert.doesNotMatch(page.text, /\/apply"/)
})

test('GET /animals/{slug}: offers to share the page and keeps the link to apply in view', async (t) => {
  const { add, visit } = await startGallery(t)
  const id = await add({ name: 'Ada & Bo' })
  const page = await visit(`/animals/${id}-ada-bo`)
  const url = encodeURIComponent(`http://pets.example/animals/${id}-ada-bo`)
  assert.equal(linkOf(page, 'Send by e-mail'), `mailto:?subject=Adopt%20Ada%20%26%20Bo&body=${url}`)
  assert.match(page.text, /<p class="reach"><a class="button big" href="\/animals\/1\/apply">/)
})

test('GET /for-shelters: says what the service does and how to join before the link to sign in', async (t) => {
  const { visit } = await startGallery(t)
  assert.match((await visit('/')).text, /<a href="\/for-shelters">For shelters<\/a>/)
  const { text } = await visit('/for-shelters')
  assert.match(text, /How to join[\s\S]*href="\/console">Sign in</)
  const spanish = await visit('/for-shelters', { 'accept-language': 'es' })
  assert.match(spanish.text, /Cómo participar[\s\S]*href="\/console">Iniciar sesión</)
})
