import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BROWSER, dataOf, startGallery, type TestGallery } from '../../../testing/gallery.ts'

const SCRIPT = `</script><img src=x onerror=alert(1)>"'><svg/onload=alert(2)><!-- ]]> &lt;b&gt; \u202e\u2028\ufffe`

const ADDRESSES = ['javascript:alert(1)', 'data:text/html,x', 'https://a.example/"onmouseover="x']

/** Every text that a shelter can write, with what an attacker would. */
async function addHostile(app: TestGallery): Promise<{ id: number; code: string }> {
  const { add, shelter, photo } = app
  const hostile = (most: number): string => SCRIPT.slice(0, most)
  const { id: organizationId, code } = await shelter({
    name: hostile(200),
    ...{ phone: hostile(40), mission: SCRIPT, adoptionPolicy: SCRIPT, email: "o'x&b=?cc@a.example" },
    address: { street: SCRIPT, city: SCRIPT, region: SCRIPT, postcode: hostile(20), country: 'US' },
    hours: { monday: hostile(100), sunday: hostile(100) },
    website: "https://a.example/'x='",
    social: { x: "https://a.example/?'&<".slice(0, 20) },
  })
  const id = await add({
    name: hostile(200),
    ...{ organizationId, externalId: hostile(80), species: hostile(60), description: SCRIPT },
    breed: { primary: hostile(80), secondary: hostile(80) },
    colors: [hostile(60)],
    tags: [hostile(40)],
    contact: { name: SCRIPT, phone: hostile(40), email: 'a&b=c?d@a.example' },
    place: { city: SCRIPT, region: SCRIPT, postcode: hostile(20) },
    videos: ["https://a.example/?'=1"],
  })
  await photo(id, `?alt=${encodeURIComponent(SCRIPT)}`)
  await app.request(`/v1/categories/1`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: { name: hostile(100) },
  })
  return { id, code }
}

/** Tags that a page may have; each attribute is in quotes, and none is one of an event or a style. */
const TAG = /^<(?:\/?[a-z][a-z0-9]*|!doctype html)(?: [a-zA-Z:-]+(?:="[^"<>]*")?)*\/?>/

function assertSound(text: string, about: string): void {
  const withoutData = text.replace(/<script type="application\/ld\+json">[^<]*<\/script>/, '')
  for (let at = withoutData.indexOf('<'); at >= 0; at = withoutData.indexOf('<', at + 1)) {
    const tag = TAG.exec(withoutData.slice(at, at + 20_000))?.[0]
    assert.ok(tag, `${about}: ${withoutData.slice(at, at + 200)}`)
    assert.doesNotMatch(tag.replaceAll(/"[^"]*"/g, '""'), / on[a-z]+=| style=/, about)
    assert.doesNotMatch(tag, /(?:href|src)="(?:javascript|data:text)/, about)
  }
  assert.doesNotMatch(withoutData, /<img src=x|<svg\/|<!--/)
}

test('what shelters write is shown as text on every page', async (t) => {
  const app = await startGallery(t)
  const { id, code } = await addHostile(app)
  const { location = '' } = (await app.visit(`/animals/${id}`)).headers
  const pages = ['/', '/animals?kind=x%22%3E%3Cscript%3E', location, `/organizations/${code}`]
  for (const path of [
    ...pages,
    `/embed?organization=${code}`,
    '/nowhere%3Cscript%3E',
    '/embed?organization=%3Cb%3E',
  ]) {
    const page = await app.visit(path)
    assertSound(page.text, path)
    assert.doesNotMatch(page.text, /<script>/, path)
  }
  const query = Object.entries({
    q: SCRIPT,
    near: SCRIPT,
    breed: SCRIPT,
    kind: SCRIPT,
    cursor: SCRIPT,
    age: SCRIPT,
  })
  const search = await app.visit(`/animals?${new URLSearchParams(query)}`)
  assert.equal(search.status, 400)
  assertSound(search.text, 'search')
  const found = await app.visit(`/animals?${new URLSearchParams({ q: '<b>" onerror' })}`)
  assertSound(found.text, 'found')
})

test('what shelters write ends no block of data, and is in it as it was written', async (t) => {
  const app = await startGallery(t)
  const { id, code } = await addHostile(app)
  const { location = '' } = (await app.visit(`/animals/${id}`)).headers
  const page = await app.visit(location)
  assert.equal(page.text.match(/<\/script>/g)?.length, 2, 'that of the data, and that of gallery.js')
  const [webPage, , home] = dataOf(page)['@graph']
  assert.equal(webPage.name, SCRIPT)
  assert.equal(home.name, SCRIPT)
  assert.equal(dataOf(await app.visit(`/organizations/${code}`))['@graph'][1].name, SCRIPT)
})

test('the feed and the sitemap stay XML, whatever is in a name', async (t) => {
  const app = await startGallery(t)
  await addHostile(app)
  for (const path of [
    '/animals.atom',
    '/sitemap.xml',
    '/sitemap/animals-0.xml',
    '/sitemap/organizations-0.xml',
  ]) {
    const { text } = await app.visit(path)
    assertSound(
      text
        .replace(/^<\?xml version="1\.0" encoding="utf-8"\?>\n/, '')
        .replace(/(?<=<feed) xmlns="[^"]*"/, ''),
      path,
    )
    assert.doesNotMatch(text, /[\ufffe\uffff]/)
    const open = text.match(/<[a-z][^>]*[^/]>/g)?.length
    assert.equal(open, text.match(/<\/[a-z]+>/g)?.length, path)
  }
})

test('only addresses that begin with https are taken at all, and no letter gets a header from one', async (t) => {
  const app = await startGallery(t)
  const { id, code } = await addHostile(app)
  for (const website of ADDRESSES)
    assert.equal((await app.post('/v1/organizations', { name: 'a', website })).status, 400, website)
  const { location = '' } = (await app.visit(`/animals/${id}`)).headers
  for (const path of [location, `/organizations/${code}`]) {
    const { text } = await app.get(path, BROWSER)
    for (const [, address = ''] of text.matchAll(/href="mailto:([^"]*)"/g))
      assert.match(address, /^[\w%.'&;#-]+@a\.example$/)
  }
})
