import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as petLists from '../../../pets/list.ts'
import { LISTED_STATUSES } from '../../../pets/rules.ts'
import { cardNames, dataOf, linkOf, startGallery } from '../../../testing/gallery.ts'
import { setNextPetId } from '../../../testing/next-id.ts'

test('GET /organizations/{code}: shows the shelter’s hours, address and animals', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  const { id: organizationId } = await shelter({
    ...{ code: 'CO12', name: 'Harbour Shelter', mission: 'We care.\n\nFor all.', phone: '303 555 0100' },
    address: { street: '1 Quay', city: 'Denver', region: 'CO', postcode: '80202', country: 'US' },
    hours: { monday: 'closed', friday: '25:00-26:00', saturday: '10:00-13:00, 16:30-24:00' },
    social: { instagram: 'https://instagram.example/harbour' },
  })
  for (let number = 1; number <= 25; number += 1) await add({ name: `Animal ${number}`, organizationId })
  await add({ name: 'Elsewhere' })
  await add({ name: 'Gone', organizationId, status: 'sold' })

  const page = await visit('/organizations/CO12')
  assert.equal(page.status, 200)
  assert.match(page.text, /<h1 dir="auto">Harbour Shelter<\/h1>/)
  assert.match(page.text, /<dd dir="auto">1 Quay<br>Denver, CO 80202<br>United States<\/dd>/)
  assert.match(page.text, /<dt>Friday<\/dt><dd dir="auto">25:00-26:00<\/dd>/)
  assert.match(page.text, /<dt>Saturday<\/dt><dd dir="auto">10:00\sAM–1:00\sPM, 4:30\sPM–12:00\sAM<\/dd>/)
  assert.match(page.text, /<p dir="auto">We care\.<\/p><p dir="auto">For all\.<\/p>/)
  assert.match(
    page.text,
    /href="https:\/\/instagram\.example\/harbour" rel="noopener nofollow ugc">Instagram</,
  )
  assert.equal(cardNames(page).length, 24)
  const { '@type': type, openingHours } = dataOf(page)['@graph'][1]
  assert.deepEqual([type, openingHours], ['AnimalShelter', ['Sa 10:00-13:00', 'Sa 16:30-24:00']])

  const next = await visit(linkOf(page, 'Next page'))
  assert.deepEqual(cardNames(next), ['Animal 1'])
  assert.equal(linkOf(next, 'Back to the first page'), '/organizations/CO12')

  const lowerCase = await visit('/organizations/co12')
  assert.deepEqual([lowerCase.status, lowerCase.headers.location], [301, '/organizations/CO12'])
  for (const path of [
    '/organizations/CO13',
    `/organizations/${'a'.repeat(500)}`,
    '/organizations/%3Cb%3E',
    '/organizations/CO12%00',
    '/embed?organization=%00',
  ])
    assert.equal((await visit(path)).status, 404, path)
  assert.equal((await visit('/organizations/CO12?cursor=x')).status, 400)
})

test('GET /animals.atom: has the 50 newest available animals', async (t) => {
  const { add, visit, photo, clock } = await startGallery(t)
  for (let number = 1; number <= 52; number += 1) await add({ name: `Animal ${number}` })
  clock.now += 60_000
  const last = await add({ name: 'Ada & Bo', description: 'One <b>line</b>.' })
  await photo(last)
  await add({ name: 'Reserved', status: 'pending' })

  const { status, headers, text } = await visit('/animals.atom')
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'application/atom+xml; charset=utf-8')
  assert.equal(text.match(/<entry>/g)?.length, 50)
  assert.match(text, /<updated>2026-12-01T00:01:00\.000Z<\/updated>/)
  const [entry = ''] = /<entry>.*?<\/entry>/s.exec(text) ?? []
  assert.match(entry, /<title>Ada &amp; Bo<\/title>/)
  assert.match(entry, new RegExp(`<link href="http://pets\\.example/animals/${last}-ada-bo"/>`))
  assert.match(entry, /One &amp;lt;b&amp;gt;line&amp;lt;\/b&amp;gt;\./)
  assert.match(entry, /&lt;img src=&quot;http:\/\/pets\.example\/photos\/[^&]*\?format=jpeg&quot;/)
  assert.doesNotMatch(text, /Reserved/)
})

test('GET /sitemap.xml: lists every public page; robots.txt names the sitemap', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  await shelter({ code: 'CO12' })
  const ada = await add({ name: 'Ada' })
  await add({ name: 'Hidden', status: undefined })
  await add({ name: 'Sold', status: 'sold' })
  const bo = await add({ name: 'Bo', status: 'pending' })

  const index = await visit('/sitemap.xml')
  const parts = [...index.text.matchAll(/<loc>http:\/\/pets\.example([^<]*)<\/loc>/g)].map(
    ([, path = '']) => path,
  )
  assert.deepEqual(parts, ['/sitemap/animals-0.xml', '/sitemap/organizations-0.xml'])
  const pages: string[] = []
  for (const part of parts) {
    const { status, headers, text } = await visit(part)
    assert.deepEqual([status, headers['content-type']], [200, 'application/xml; charset=utf-8'])
    pages.push(
      ...[...text.matchAll(/<loc>http:\/\/pets\.example([^<]*)<\/loc>/g)].map(([, path = '']) => path),
    )
  }
  assert.deepEqual(pages, [`/animals/${ada}-ada`, `/animals/${bo}-bo`, '/organizations/CO12'])
  for (const path of pages) assert.equal((await visit(path)).status, 200, path)
  for (const file of [
    'animals-1.xml',
    'animals-x.xml',
    'animals-999999999999.xml',
    'pets-0.xml',
    'animals-0',
  ])
    assert.equal((await visit(`/sitemap/${file}`)).status, 404, file)

  const robots = await visit('/robots.txt')
  assert.match(robots.text, /^User-agent: \*\nDisallow: \/console\n/)
  assert.match(robots.text, /\nSitemap: http:\/\/pets\.example\/sitemap\.xml\n$/)
})

test('GET /sitemap/animals-{n}.xml has at most 1,000 ids', async (t) => {
  const { add, visit, databaseUrl } = await startGallery(t)
  const partOf = async (number: number) =>
    [...(await visit(`/sitemap/animals-${number}.xml`)).text.matchAll(/\/animals\/(\d+)/g)].map(([, id]) =>
      Number(id),
    )
  await add({})
  await setNextPetId(databaseUrl, 1_000)
  const last = await add({})
  const other = await add({})
  assert.deepEqual([await partOf(0), await partOf(1)], [[1, last], [other]])
  assert.equal(last, 1_000)
})

test('listIdRanges: returns only ranges of ids that contain listed animals', async (t) => {
  const { add, service } = await startGallery(t)
  const { db } = service.context
  assert.deepEqual(await petLists.listIdRanges(db, LISTED_STATUSES, 2), [])
  for (const status of [
    'sold',
    undefined,
    'available',
    'pending',
    'sold',
    'sold',
    'sold',
    'pending',
    undefined,
  ])
    await add({ status })
  assert.deepEqual(await petLists.listIdRanges(db, LISTED_STATUSES, 2), [1, 3])
  assert.deepEqual(await petLists.listIdRanges(db, LISTED_STATUSES, 3), [0, 1, 2])
  assert.deepEqual(await petLists.listIdRanges(db, LISTED_STATUSES, 10_000), [0])
  const ids = (await petLists.listBetween(db, LISTED_STATUSES, 4, 8)).map(({ id }) => id)
  assert.deepEqual(ids, [4, 8])
})
