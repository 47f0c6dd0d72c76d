import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type TestContext, test } from 'node:test'
import { startGallery } from '../../../testing/gallery.ts'

/** @returns the number of requests that reached a route */
function countRouted(t: TestContext): () => number {
  let routed = 0
  const count = (): void => {
    routed += 1
  }
  subscribe('tracing:fastify.request.handler:start', count)
  t.after(() => unsubscribe('tracing:fastify.request.handler:start', count))
  return () => routed
}

test('a cached page is answered without its route, with the same bytes and headers', async (t) => {
  const routed = countRouted(t)
  const { add, visit, shelter, patch } = await startGallery(t)
  const { id: organizationId } = await shelter({ code: 'CO12' })
  for (const name of ['Ada', 'Bo', 'Cleo']) await add({ name, organizationId, description: 'Loves walks.' })
  for (const path of [
    '/',
    '/animals?kind=dog',
    '/animals/1-ada',
    '/organizations/CO12',
    '/animals.atom',
    '/embed?organization=CO12',
  ]) {
    for (const coding of ['identity', 'br', 'gzip']) {
      const headers = { 'accept-encoding': coding }
      await visit(path, headers)
      const before = routed()
      const short = await visit(path, headers)
      assert.equal(routed(), before, path)
      const long = await visit(path, { ...headers, 'if-match': '*' })
      assert.equal(routed(), before + 1)
      const { date: one, 'x-request-id': id, ...others } = short.headers
      const { date: other, 'x-request-id': otherId, ...same } = long.headers
      assert.deepEqual(others, same)
      assert.equal(short.text, long.text)
      assert.equal(others['cache-control'], 'public, no-cache')
      assert.equal(others['content-encoding'], coding === 'identity' ? undefined : coding)
      assert.equal((await visit(path, { ...headers, 'if-none-match': others.etag })).status, 304)
    }
  }
  const { etag } = (await visit('/')).headers
  await patch('/v1/pets/1', { name: 'Dot' })
  const changed = await visit('/', { 'if-none-match': etag })
  assert.equal(changed.status, 200)
  assert.match(changed.text, />Dot</)
})

test('a page requested with unknown parameters or another encoding is rendered once', async (t) => {
  const routed = countRouted(t)
  const { add, visit, shelter } = await startGallery(t)
  const { id: organizationId } = await shelter({ code: 'CO12' })
  await add({ name: 'Ada', organizationId })
  for (const path of [
    ...['/', '/animals', '/animals?kind=dog', '/animals/1-ada', '/organizations/CO12', '/robots.txt'],
    ...['/animals.atom', '/embed?organization=CO12', '/sitemap.xml', '/sitemap/animals-0.xml'],
  ]) {
    const { text } = await visit(path)
    const before = routed()
    const mark = path.includes('?') ? '&' : '?'
    for (const end of [`${mark}utm_source=x`, `${mark}1`, `${mark}a=1&b[]=%61&%ff`, `${mark}&&`]) {
      const answer = await visit(path + end)
      assert.deepEqual([answer.status, answer.text], [200, text], path + end)
    }
    for (const url of [
      path.replace('s', '%73'),
      path.replace('o', '%6F'),
      path.includes('?') ? path : `${path}#x`,
    ])
      assert.equal((await visit(url)).text, text, url)
    assert.equal(routed(), before, path)
  }
  for (const path of ['/animals?kind[]=dog', '/animals?kind[x]=', '/animals?q=a&q=b'])
    for (const _ of [1, 2]) assert.equal((await visit(path)).status, 400, path)
  for (const path of ['/animals/1', '/animals/1-%41da']) assert.equal((await visit(path)).status, 301, path)
})

test('cached and uncached pages count against one limit per IP address', async (t) => {
  const settings = { ANONYMOUS_PER_MINUTE: '4', TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' }
  const { add, visit } = await startGallery(t, { settings })
  await add({})
  const as = (address: string) => ({ 'x-forwarded-for': address })
  // Written by the client, added by a trusted proxy, and passed through two trusted proxies.
  const same = ['192.0.2.1', '198.51.100.7, 192.0.2.1', 'nonsense, 192.0.2.1, 10.1.2.3', '192.0.2.1,10.0.0.1']
  for (const address of same) assert.equal((await visit('/', as(address))).status, 200, address)
  for (const path of ['/', '/animals', '/animals/1-rex']) {
    const refused = await visit(path, as('192.0.2.1'))
    assert.equal(refused.status, 429, path)
    assert.match(refused.text, /Too many requests/)
  }
  for (const other of ['192.0.2.2', '2001:db8::1', '192.0.2.1, 192.0.2.3', 'nonsense'])
    assert.equal((await visit('/', as(other))).status, 200, other)
  assert.equal((await visit('/')).status, 200)
})

test('X-Forwarded-For without a trusted proxy is ignored', async (t) => {
  const { visit } = await startGallery(t, { settings: { ANONYMOUS_PER_MINUTE: '2' } })
  for (const [index, status] of [200, 200, 429, 429].entries())
    assert.equal((await visit('/', { 'x-forwarded-for': `192.0.2.${index}` })).status, status)
})
