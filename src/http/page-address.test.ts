import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageAddress } from './send-page.ts'

const route = { schema: { querystring: { properties: { a: {}, d: {} } } } }

test('pageAddress does not depend on the order and spelling of parameters and path', () => {
  for (const url of [
    '/pets?a=b%20c&d=%C3%A9',
    '/pets?d=%c3%a9&a=b+c',
    '/p%65ts?d=%C3%A9&%61=b%20c',
    '/pets#a=b%20c&d=%C3%A9',
    '/pets?x=1&a=b%20c&y&d=%C3%A9&z=%',
  ])
    assert.equal(pageAddress(url, route), '/pets?a=b%20c&d=%C3%A9', url)
})

test('pageAddress does not depend on parameters that the route does not read', () => {
  for (const url of ['/pets?', '/pets?x', '/pets?x=1&y=2', '/pets#x', '/pets?%78=%61', '/pets?__proto__=1'])
    assert.equal(pageAddress(url, route), '/pets', url)
  assert.equal(pageAddress('/pets?a=1', {}), '/pets')
  assert.equal(pageAddress('/pets?a=1&b=2&a[]=3', { config: { parameters: ['a'] } }), '/pets?a=1')
})

test('pageAddress differs for everything that may change the response', () => {
  const urls = [
    '',
    '?a=b',
    '?a=b&a=c',
    '?a=c&a=b',
    '?a=b%26d',
    '?a=b&d',
    '?a=b%',
    '?a=b%25',
    // Unchanged, because it cannot be decoded.
    '?a=%zz+y',
    '?a=%zz%20y',
    '?a[]=b',
    '?a[0]=b',
  ]
  const addresses = new Set([...urls, '%2f', '/', '+', '%20'].map((url) => pageAddress(`/pets${url}`, route)))
  assert.equal(addresses.size, urls.length + 4)
})
