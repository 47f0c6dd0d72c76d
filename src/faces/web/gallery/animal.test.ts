import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, linkOf, startGallery } from '../../../testing/gallery.ts'

const DAY_MS = 86_400_000

test('an animal has one address, to which all others lead', async (t) => {
  const { add, visit, patch } = await startGallery(t)
  const id = await add({ name: 'Señor Ñandú & Co.' })
  const own = `/animals/${id}-senor-nandu-co`
  for (const path of [`/animals/${id}`, `/animals/${id}-`, `/animals/${id}-rex`, `/animals/${id}-x?utm=1`]) {
    const moved = await visit(path)
    assert.deepEqual([moved.status, moved.headers.location], [301, own], path)
    assert.equal(moved.headers['cache-control'], 'no-cache')
  }
  const page = await visit(own)
  assert.equal(page.status, 200)
  assert.match(page.text, new RegExp(`<link rel="canonical" href="http://pets.example${own}">`))
  assert.equal((await visit(`${own}?utm=1`)).status, 200)

  await patch(`/v1/pets/${id}`, { name: '犬' })
  assert.equal((await visit(own)).headers.location, `/animals/${id}`)
  assert.equal((await visit(`/animals/${id}`)).status, 200)
})

test('what is the address of no animal that everybody sees answers 404 in words', async (t) => {
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
    assert.match(page.text, /There is nothing at this address/)
    // As every page: with what stands around it, and a way on.
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

test('an adopted animal says so for 30 days, and is then gone', async (t) => {
  const { add, visit, patch, clock } = await startGallery(t)
  const id = await add({ name: 'Ada' })
  const path = `/animals/${id}-ada`
  assert.match((await visit(path)).text, /Apply for Ada/)
  await patch(`/v1/pets/${id}`, { status: 'pending' })
  assert.match((await visit(path)).text, /Ada is reserved/)
  assert.match((await visit(path)).text, /Apply for Ada/, 'since it does not always work out')
  await patch(`/v1/pets/${id}`, { status: 'sold' })
  const sold = await visit(path)
  assert.equal(sold.status, 200)
  assert.match(sold.text, /Ada has found a home/)
  assert.doesNotMatch(sold.text, /Apply for Ada/)
  assert.equal(dataOf(sold)['@graph'][1].availability, 'https://schema.org/SoldOut')

  clock.now += 30 * DAY_MS - 1
  assert.equal((await visit(path)).status, 200)
  clock.now += 1
  const gone = await visit(path)
  assert.equal(gone.status, 410)
  assert.match(gone.text, /This animal has found a home/)
  assert.doesNotMatch(gone.text, /Ada/)
  assert.equal(gone.headers['cache-control'], 'no-store')
})

test('an animal is shown with all that everybody may know, for people and for machines', async (t) => {
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
      Kind: 'Dog',
      Breed: 'Beagle mix',
      Age: 'Adult, 3 years',
      Sex: 'Female',
      Size: 'Small',
      Weight: '9.5 kg (21 lb)',
      Coat: 'Short',
      Colors: 'White, Brown',
      'Good with': 'children and dogs',
      'Better without': 'cats',
      'Spayed or neutered': 'Yes',
      'House trained': 'Yes',
      'Special needs': 'No',
      'Adoption fee': '$250',
      'Looking for a home since': 'December 1, 2026',
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
  assert.equal(linkOf(page, 'Apply for Ada'), `/animals/${id}/apply`)
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

test('an age grows with the days, also where nothing else changes', async (t) => {
  const { add, visit, clock } = await startGallery(t)
  const id = await add({ name: 'Ada', birthDate: '2026-09-09' })
  const path = `/animals/${id}-ada`
  assert.match((await visit(path)).text, /Baby, 11 weeks/)
  assert.match((await visit('/')).text, /11 weeks/)
  clock.now += DAY_MS
  assert.match((await visit(path)).text, /Baby, 12 weeks|Baby, 2 months/)
  assert.doesNotMatch((await visit('/')).text, /11 weeks/)
})

test('a shelter with a form of its own leads there; bonded animals lead to each other', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  const { id: organizationId } = await shelter({ adoptionUrl: 'https://shelter.example/apply' })
  const one = await add({ name: 'Ada', organizationId })
  const other = await add({ name: 'Bo', organizationId, status: undefined })
  const third = await add({ name: 'Cleo', organizationId, bondedWith: [one, other] })

  const page = await visit(`/animals/${third}-cleo`)
  assert.equal(linkOf(page, 'Apply on the shelter’s own pages'), 'https://shelter.example/apply')
  assert.equal(linkOf(page, 'Ada'), `/animals/${one}-ada`)
  assert.doesNotMatch(page.text, /\bBo\b/)
})
