import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cardNames, linkOf, startGallery } from '../../../testing/gallery.ts'

test('GET /embed: shows the animals of a shelter, may be framed by any site, and opens links in a new tab', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  const { id: organizationId } = await shelter({ code: 'CO12' })
  await add({ name: 'Elsewhere' })
  for (const name of ['Ada', 'Bo', 'Cleo']) await add({ name, organizationId })
  await add({ name: 'Dot', organizationId, categoryId: 2, status: 'pending' })
  await add({ name: 'Hidden', organizationId, status: undefined })

  const page = await visit('/embed?organization=co12&limit=2')
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-security-policy']), /frame-ancestors \*/)
  assert.equal(page.headers['x-frame-options'], undefined)
  assert.equal(page.headers['cross-origin-resource-policy'], 'cross-origin')
  assert.deepEqual(cardNames(page), ['Dot', 'Cleo'])
  for (const [link] of page.text.matchAll(/<a [^>]*href="\/(?:animals|organizations)[^>]*>/g))
    assert.match(link, /target="_blank" rel="noopener"/)
  const next = await visit(linkOf(page, 'Next page'))
  assert.deepEqual(cardNames(next), ['Bo', 'Ada'])
  assert.deepEqual(cardNames(await visit('/embed?organization=CO12&kind=cat')), ['Dot'])

  for (const [query, status] of [
    ['', 404],
    ['organization=CO99', 404],
    ['organization=CO12&kind=dragon', 400],
    ['organization=CO12&cursor=x', 400],
  ] as const) {
    const refused = await visit(`/embed?${query}`)
    assert.equal(refused.status, status, query)
    assert.match(String(refused.headers['content-security-policy']), /frame-ancestors \*/)
    assert.match(refused.text, /target="_blank"/)
  }
})

test('pages other than /embed: may not be framed', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  await shelter({ code: 'CO12' })
  const id = await add({ name: 'Ada' })
  for (const path of [
    '/',
    '/animals',
    `/animals/${id}-ada`,
    '/organizations/CO12',
    '/animals?kind=x',
    '/nowhere',
  ]) {
    const { headers } = await visit(path)
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/, path)
    assert.equal(headers['x-frame-options'], 'DENY', path)
  }
})

test('GET /embed.js: may be loaded by any site', async (t) => {
  const { visit } = await startGallery(t)
  const { status, headers, text } = await visit('/embed.js', { origin: 'https://shelter.example' })
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
  assert.ok(text.length < 2_000)
})
