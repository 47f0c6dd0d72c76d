import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, linkOf, startGallery } from '../../../testing/gallery.ts'

const DAY_MS = 86_400_000

test('GET /animals/{id} with another slug redirects to the canonical path with 301', async (t) => {
  const { add, visit, patch } = await startGallery(t)
  const id = await add({ name: 'Señor Ñandú & Co.' })
  const canonical = `/animals/${id}-senor-nandu-co`
  for (const path of [`/animals/${id}`, `/animals/${id}-`, `/animals/${id}-rex`, `/animals/${id}-x?utm=1`]) {
    const moved = await visit(path)
    assert.deepEqual([moved.status, moved.headers.location], [301, canonical], path)
    assert.equal(moved.headers['cache-control'], 'no-cache')
  }
  const page = await visit(canonical)
  assert.equal(page.status, 200)
  assert.match(page.text, new RegExp(`<link rel="canonical" href="http://pets.example${canonical}">`))
  assert.equal((await visit(`${canonical}?utm=1`)).status, 200)

  await patch(`/v1/pets/${id}`, { name: '犬' })
  assert.equal((await visit(canonical)).headers.location, `/animals/${id}`)
  assert.equal((await visit(`/animals/${id}`)).status, 200)
})

test('GET /animals/{slug} of an unknown or unlisted animal returns a 404 page', async (t) => {
  const { add, visit, get } = await startGallery(t)
  const hidden = await add({ name: 'Hidden', status: undefined })
  const paths = [
    `${hidden}-hidden`,
    hidden,
    '99',
    '0',
    '-1',
    '1e3',
    'abc',
    '9'.repeat(30),
    '01-a',
    '%00',
    '1_a',
  ]
  for (const slug of paths) {
    const page = await visit(`/animals/${slug}`)
    assert.equal(page.status, 404, String(slug))
    assert.match(page.text, /Page not found/)
    // The error page has the usual header and footer, and a link to all animals.
    for (const part of [
      '<header class="top">',
      '<a class="button" href="/animals">',
      '<footer class="foot">',
    ])
      assert.ok(page.text.includes(part), part)
    assert.doesNotMatch(page.text, /Hidden/)
  }
  const forPrograms = await get(`/animals/${hidden}`, { authorization: undefined })
  assert.equal(forPrograms.body.code, 'pet_not_found')
})

test('GET /animals/{slug} of an adopted animal says so for 30 days, then returns 410', async (t) => {
  const { add, visit, patch, clock } = await startGallery(t)
  const id = await add({ name: 'Ada' })
  const path = `/animals/${id}-ada`
  assert.match((await visit(path)).text, /Apply to adopt Ada/)
  await patch(`/v1/pets/${id}`, { status: 'pending' })
  assert.match((await visit(path)).text, /Ada is reserved/)
  assert.match((await visit(path)).text, /Apply to adopt Ada/, 'a reservation can fall through')
  await patch(`/v1/pets/${id}`, { status: 'sold' })
  const sold = await visit(path)
  assert.equal(sold.status, 200)
  assert.match(sold.text, /Ada has been adopted/)
  assert.doesNotMatch(sold.text, /Apply to adopt Ada/)
  assert.equal(dataOf(sold)['@graph'][1].availability, 'https://schema.org/SoldOut')

  clock.now += 30 * DAY_MS - 1
  assert.equal((await visit(path)).status, 200)
  clock.now += 1
  const gone = await visit(path)
  assert.equal(gone.status, 410)
  assert.match(gone.text, /This animal has been adopted/)
  assert.doesNotMatch(gone.text, /Ada/)
  assert.equal(gone.headers['cache-control'], 'no-store')
})

test('GET /animals/{slug} shows the public data of an animal as text and as JSON-LD', async (t) => {
  const { add, visit, shelter, photo } = await startGallery(t)
  const { id: organizationId, code } = await shelter({
    name: 'Harbour Shelter',
    ...{ phone: '+1 303 555 0100', email: 'hello@harbour.example', website: 'https://www.harbour.example/' },
    address: { street: '1 Quay', city: 'Denver', region: 'CO', country: 'US' },
    adoptionPolicy: 'Come and meet us.\n\nBring your family.',
  })
  const id = await add({
    name: 'Ada',
    ...{ organizationId, breed: { primary: 'Beagle', mixed: true }, birthDate: '2023-11-01', age: undefined },
    ...{ sex: 'female', size: 'small', weightGrams: 9_500, coat: 'short', colors: ['White', 'Brown'] },
    goodWith: { children: true, dogs: true, cats: false },
    traits: { houseTrained: true, spayedNeutered: true, specialNeeds: false },
    fee: { amount: 25_000, currency: 'USD' },
    tags: ['Friendly'],
    description: 'First.\nSecond.\n\nThird <b>paragraph</b>.',
    videos: ['https://video.example/1'],
  })
  await photo(id, '?alt=Ada%20on%20the%20beach')
  await photo(id)
  const page = await visit(`/animals/${id}-ada`)
  const { text } = page

  const facts = Object.fromEntries(
    [...text.matchAll(/<dt>([^<]*)<\/dt><dd dir="auto">([^<]*)</g)].map(([, name, value]) => [name, value]),
  )
  assert.deepEqual(
    { ...facts, Address: undefined },
    {
      Type: 'Dog',
      Breed: 'Beagle mix',
      Age: 'Adult, 3 years',
      Sex: 'Female',
      Size: 'Small',
      Weight: '21 lb (9.5 kg)',
      Coat: 'Short',
      Colors: 'White, Brown',
      'Good with': 'Children and dogs',
      'Not good with': 'Cats',
      'Spayed or neutered': 'Yes',
      'House-trained': 'Yes',
      'Special needs': 'No',
      'Adoption fee': '$250',
      'Listed on': 'December 1, 2026',
      Address: undefined,
    },
  )
  assert.match(
    text,
    /<p dir="auto">First\.<br>Second\.<\/p><p dir="auto">Third &lt;b&gt;paragraph&lt;\/b&gt;\.<\/p>/,
  )
  assert.match(text, /href="tel:\+13035550100"/)
  assert.match(text, /href="mailto:hello@harbour\.example"/)
  assert.match(
    text,
    /<a href="https:\/\/www\.harbour\.example\/" rel="noopener nofollow ugc">harbour\.example</,
  )
  assert.equal(linkOf(page, 'Apply to adopt Ada'), `/animals/${id}/apply`)
  assert.equal(linkOf(page, 'Harbour Shelter'), `/organizations/${code}`)
  assert.match(text, /alt="Ada on the beach" width="800" height="600" fetchpriority="high"/)

  const [webPage, offer, home] = dataOf(page)['@graph']
  assert.deepEqual([webPage['@type'], offer['@type'], home['@type']], ['WebPage', 'Offer', 'AnimalShelter'])
  assert.deepEqual([offer.price, offer.priceCurrency], [250, 'USD'])
  assert.equal(home.url, `http://pets.example/organizations/${code}`)
  const [, image = ''] = /property="og:image" content="([^"]*)"/.exec(text) ?? []
  assert.match(image, /^http:\/\/pets\.example\/photos\/[0-9a-f]{32}-1200\.webp\?format=jpeg$/)
  const jpeg = await visit(image.slice('http://pets.example'.length))
  assert.equal(jpeg.headers['content-type'], 'image/jpeg')
})

test('an age on cached pages changes the next day', async (t) => {
  const { add, visit, clock } = await startGallery(t)
  const id = await add({ name: 'Ada', birthDate: '2026-09-09' })
  const path = `/animals/${id}-ada`
  assert.match((await visit(path)).text, /Baby, 11 weeks/)
  assert.match((await visit('/')).text, /11 weeks/)
  clock.now += DAY_MS
  assert.match((await visit(path)).text, /Baby, 12 weeks|Baby, 2 months/)
  assert.doesNotMatch((await visit('/')).text, /11 weeks/)
})

test('GET /animals/{slug} links to the shelter’s own application form and to bonded animals', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  const { id: organizationId } = await shelter({ adoptionUrl: 'https://shelter.example/apply' })
  const ada = await add({ name: 'Ada', organizationId })
  const bo = await add({ name: 'Bo', organizationId, status: undefined })
  const cleo = await add({ name: 'Cleo', organizationId, bondedWith: [ada, bo] })

  const page = await visit(`/animals/${cleo}-cleo`)
  assert.equal(linkOf(page, 'Apply on the shelter’s website'), 'https://shelter.example/apply')
  assert.equal(linkOf(page, 'Ada'), `/animals/${ada}-ada`)
  assert.doesNotMatch(page.text, /\bBo\b/)
})

test('GET /animals/{id}: shows the units of the country first', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  const { id: organizationId } = await shelter({ name: 'North', address: { country: 'US' } })
  const weightOf = async (animal: object) => {
    const { text } = await visit(`/animals/${await add({ name: 'Ada', ...animal })}-ada`)
    return /<dt>Weight<\/dt><dd dir="auto">([^<]*)</.exec(text)?.[1]
  }
  const place = { country: 'DE' }
  for (const [weightGrams, ofUs, metric] of [
    [200, '7.1 oz (200 g)', '200 g (7.1 oz)'],
    [500, '1.1 lb (500 g)', '500 g (1.1 lb)'],
    [27_000, '60 lb (27 kg)', '27 kg (60 lb)'],
  ] as const) {
    assert.equal(await weightOf({ weightGrams, organizationId }), ofUs)
    assert.equal(await weightOf({ weightGrams, place: { country: 'US' } }), ofUs)
    for (const animal of [{ organizationId, place }, { place }, {}])
      assert.equal(await weightOf({ weightGrams, ...animal }), metric)
  }
})
