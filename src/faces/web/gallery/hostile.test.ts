import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unescaped } from '../../../testing/console.ts'
import { BROWSER, dataOf, startGallery } from '../../../testing/gallery.ts'
import { addHostile, assertSound, SCRIPT } from '../../../testing/hostile.ts'

const ADDRESSES = ['javascript:alert(1)', 'data:text/html,x', 'https://a.example/"onmouseover="x']

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
  assert.equal(page.text.match(/<\/script/gi)?.length, 2, 'that of the data, and that of gallery.js')
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

test('what a feed reader shows of an animal is text too', async (t) => {
  const app = await startGallery(t)
  await addHostile(app)
  const { text } = await app.visit('/animals.atom')
  const [, content = ''] = /<content type="html">([^<]*)<\/content>/.exec(text) ?? []
  assert.match(unescaped(content), /^<p><img src="http.*&lt;\/script&gt;&lt;img src=x/)
  assertSound(unescaped(content), 'content')
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
