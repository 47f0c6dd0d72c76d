import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unescaped } from '../../../testing/console.ts'
import { BROWSER, dataOf, startGallery } from '../../../testing/gallery.ts'
import { addHostile, assertOwnMarkup, SCRIPT } from '../../../testing/hostile.ts'

const ADDRESSES = ['javascript:alert(1)', 'data:text/html,x', 'https://a.example/"onmouseover="x']

test('HTML in the data of shelters is shown as text on every page', async (t) => {
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
    assertOwnMarkup(page.text, path)
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
  assertOwnMarkup(search.text, 'search')
  const found = await app.visit(`/animals?${new URLSearchParams({ q: '<b>" onerror' })}`)
  assertOwnMarkup(found.text, 'found')
})

test('HTML in the data of shelters cannot close the JSON-LD block, which contains it unchanged', async (t) => {
  const app = await startGallery(t)
  const { id, code } = await addHostile(app)
  const { location = '' } = (await app.visit(`/animals/${id}`)).headers
  const page = await app.visit(location)
  assert.equal(page.text.match(/<\/script/gi)?.length, 3, 'the JSON-LD block and two scripts')
  const [webPage, , home] = dataOf(page)['@graph']
  assert.equal(webPage.name, SCRIPT)
  assert.equal(home.name, SCRIPT)
  assert.equal(dataOf(await app.visit(`/organizations/${code}`))['@graph'][1].name, SCRIPT)
})

test('names that reverse the text after them are shown without these controls on every page and in feeds', async (t) => {
  const app = await startGallery(t)
  const controls = /[\u202a-\u202e\u2066-\u2069]/
  const code = 'CO12'
  await app.shelter({ code, name: 'Hill \u2067Shelter\u202b', address: { city: '\u202dDenver' } })
  const pet = { name: 'Max \u202eevil', description: '\u2066Nice\u2068', breed: { primary: '\u202aPug' } }
  const id = await app.add({ ...pet, organizationId: 1 })
  await app.add({ name: 'ماكس \u200f(كلب)', organizationId: 1 })
  const { location = '' } = (await app.visit(`/animals/${id}`)).headers
  for (const path of [
    ...['/', '/animals', location, `/animals/${id}/apply`, `/organizations/${code}`],
    ...[`/embed?organization=${code}`, '/animals.atom'],
  ]) {
    const { status, text } = await app.visit(path)
    assert.equal(status, 200, path)
    const shown = text.replace(/<script type="application\/ld\+json">.*?<\/script>/s, '')
    assert.doesNotMatch(shown, controls, path)
    if (path !== '/') assert.match(shown, /Max evil/, path)
  }
  assert.match((await app.visit('/animals')).text, /ماكس \u200f\(كلب\)/, 'marks of right-to-left names stay')
})

test('GET /animals.atom and /sitemap.xml with any characters in names return valid XML', async (t) => {
  const app = await startGallery(t)
  await addHostile(app)
  for (const path of [
    '/animals.atom',
    '/sitemap.xml',
    '/sitemap/animals-0.xml',
    '/sitemap/organizations-0.xml',
  ]) {
    const { text } = await app.visit(path)
    assertOwnMarkup(
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

test('GET /animals.atom with HTML in the data of an animal shows the HTML as text', async (t) => {
  const app = await startGallery(t)
  await addHostile(app)
  const { text } = await app.visit('/animals.atom')
  const [, content = ''] = /<content type="html">([^<]*)<\/content>/.exec(text) ?? []
  assert.match(unescaped(content), /^<p><img src="http.*&lt;\/script&gt;&lt;img src=x/)
  assertOwnMarkup(unescaped(content), 'content')
})

test('URLs with another scheme than https get 400; mailto links cannot add headers', async (t) => {
  const app = await startGallery(t)
  const { id, code } = await addHostile(app)
  for (const website of ADDRESSES)
    assert.equal((await app.post('/v1/organizations', { name: 'a', website })).status, 400, website)
  const { location = '' } = (await app.visit(`/animals/${id}`)).headers
  for (const path of [location, `/organizations/${code}`]) {
    const { text } = await app.get(path, BROWSER)
    for (const [, address = ''] of text.matchAll(/href="mailto:([^"]*)"/g))
      assert.match(unescaped(address), /^(?:[\w%.'-]+@a\.example|\?subject=[\w%.()!'-]+&body=[\w%.-]+)$/)
  }
})
