import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { type TestContext, test } from 'node:test'
import { ALL_NETWORKS, ClosedAddressError, parseOutbound } from '../http/outbound.ts'
import { cleanup } from '../testing/cleanup.ts'
import { SENDING, untilDelivery } from '../testing/deliveries.ts'
import { startReceiver } from '../testing/receiver.ts'
import { startApp } from '../testing/start-app.ts'

// Addresses that a webhook must not reach (OWASP, Server Side Request Forgery Prevention).

/** Other forms of addresses that are private or special, by kind. */
const CLOSED = {
  'not https': ['http://hooks.example.org/', 'ftp://hooks.example.org/', 'file:///etc/passwd', 'hooks'],
  credentials: ['https://user:secret@hooks.example.org/', 'https://user@hooks.example.org/'],
  loopback: ['https://127.0.0.1/', 'https://127.255.255.254/', 'https://[::1]/'],
  'decimal, octal and hexadecimal': [
    ...['https://2130706433/', 'https://0177.0.0.1/', 'https://017700000001/', 'https://0x7f000001/'],
    ...['https://0x7f.1/', 'https://127.1/', 'https://%31%32%37.0.0.1/', 'https://①②⑦.0.0.1/'],
  ],
  private: ['https://10.1.2.3/', 'https://172.16.0.1/', 'https://172.31.255.255/', 'https://192.168.0.1/'],
  'link-local': ['https://169.254.1.1/', 'https://[fe80::1]/'],
  CGNAT: ['https://100.64.0.1/', 'https://100.127.255.255/'],
  benchmarking: ['https://198.18.0.1/', 'https://198.19.255.255/', 'https://[2001:2::1]/'],
  documentation: ['https://192.0.2.1/', 'https://203.0.113.1/', 'https://[2001:db8::1]/'],
  multicast: ['https://224.0.0.1/', 'https://239.255.255.255/', 'https://[ff02::1]/'],
  'reserved and broadcast': ['https://240.0.0.1/', 'https://255.255.255.255/'],
  unspecified: ['https://0.0.0.0/', 'https://0.1.2.3/', 'https://0/', 'https://[::]/'],
  mapped: ['https://[::ffff:10.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[::ffff:0:10.0.0.1]/'],
  compatible: ['https://[::10.0.0.1]/', 'https://[::7f00:1]/'],
  NAT64: ['https://[64:ff9b::a00:1]/', 'https://[64:ff9b::8.8.8.8]/', 'https://[64:ff9b:1::a00:1]/'],
  '6to4 and Teredo': ['https://[2002:a00:1::]/', 'https://[2002:808:808::]/', 'https://[2001:0:1::1]/'],
  'unique local': ['https://[fc00::1]/', 'https://[fd00::1]/'],
  'site-local': ['https://[fec0::1]/'],
}

/** Addresses of metadata services, also inside addresses that a router may translate. */
const METADATA = [
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '2852039166', '0xa9fea9fe'],
  ...['[fd00:ec2::254]', '[fd00:ec2::23]', '[fd20:ce::254]', '[fe80::a9fe:a9fe]'],
  ...['[::ffff:169.254.169.254]', '[::169.254.169.254]', '[::ffff:0:169.254.169.254]'],
  ...['[64:ff9b::169.254.169.254]', '[64:ff9b:1::169.254.169.254]', '[64:ff9b:1:a9fe:a9:fe00::]'],
  ...['[2002:a9fe:a9fe::1]', '[2001:0:1:2:3:4:5601:5601]'],
]

for (const [kind, urls] of Object.entries(CLOSED))
  test(`a webhook is refused if its address is closed: ${kind}`, async (t) => {
    const { post } = await startApp(t, { key: { access: 'admin' } })
    for (const url of urls) {
      const { status, body } = await post('/v1/webhooks', { url })
      assert.deepEqual([status, body.details?.[0]?.pointer], [400, '/url'], url)
    }
  })

test('metadata services stay closed when all networks are open', async (t) => {
  const settings = { WEBHOOK_ALLOW_NETWORKS: ALL_NETWORKS.join(',') }
  const { post } = await startApp(t, { key: { access: 'admin' }, settings })
  for (const host of METADATA) {
    const { status, body } = await post('/v1/webhooks', { url: `http://${host}/` })
    assert.deepEqual([status, body.details?.[0]?.pointer], [400, '/url'], host)
  }
  for (const host of ['[64:ff9b::8.8.8.8]', '10.0.0.1', '[fd00::1]'])
    assert.equal((await post('/v1/webhooks', { url: `http://${host}/` })).status, 201, host)
})

test('public addresses are allowed', () => {
  for (const host of ['8.8.8.8', '[2606:4700::1111]', 'hooks.example.org'])
    assert.equal(parseOutbound(`https://${host}/`, []).hostname, host)
  assert.throws(() => parseOutbound('http://8.8.8.8/', []), ClosedAddressError)
})

/** Answers name lookups of this process, as a name server of an attacker would. @returns the names */
function answerLookups(t: TestContext, answer: (count: number) => string[]): string[] {
  const { prototype } = Resolver
  const original = { resolve4: prototype.resolve4, resolve6: prototype.resolve6 }
  const names: string[] = []
  const unknown = (name: string, syscall: string) =>
    Object.assign(new Error(`${syscall} ENOTFOUND ${name}`), { code: 'ENOTFOUND', syscall })
  const resolve4 = async (name: string) => {
    if (!name.endsWith('.example.org')) throw unknown(name, 'queryA')
    names.push(name)
    return answer(names.length)
  }
  const resolve6 = async (name: string) => {
    throw unknown(name, 'queryAaaa')
  }
  Object.assign(prototype, { resolve4, resolve6 })
  cleanup(t).defer(() => void Object.assign(prototype, original))
  return names
}

const REFUSED = 'The name of the address is unknown, or its address is not public.'

/** Only this address of this machine is open. */
const OPEN = { ...SENDING, settings: { WEBHOOK_ALLOW_NETWORKS: '127.0.0.1' } }

test('a name that changes its address between two attempts is checked on each, in the lookup of the socket', async (t) => {
  const app = await startApp(t, OPEN)
  const { until, url, received } = await startReceiver(t)
  // 127.0.0.2 stands for a private address.
  const names = answerLookups(t, (count) => [count === 1 ? '127.0.0.1' : '127.0.0.2'])
  const { port } = new URL(url())
  const { id } = (await app.post('/v1/webhooks', { url: `http://rebind.example.org:${port}/` })).body
  await app.post(`/v1/webhooks/${id}/test`, {})
  await until(1)
  await untilDelivery(app, id, ({ status }) => status === 'delivered')
  assert.equal(names.length, 1)
  await app.post(`/v1/webhooks/${id}/test`, {})
  const { responseBody } = await untilDelivery(
    app,
    id,
    ({ status, responseBody: body }) => status === 'pending' && body !== undefined,
  )

  assert.equal(responseBody, REFUSED)
  assert.equal(names.length, 2)
  assert.equal(received.length, 1)
})

test('a name is refused if one of its addresses is closed', async (t) => {
  const app = await startApp(t, OPEN)
  const { url, received } = await startReceiver(t)
  answerLookups(t, () => ['127.0.0.1', '127.0.0.2'])
  const { port } = new URL(url())
  const { id } = (await app.post('/v1/webhooks', { url: `http://two.example.org:${port}/` })).body
  await app.post(`/v1/webhooks/${id}/test`, {})
  const { responseBody } = await untilDelivery(
    app,
    id,
    ({ attempts, responseBody }) => attempts > 0 && responseBody !== undefined,
  )

  assert.equal(responseBody, REFUSED)
  assert.equal(received.length, 0)
})

test('the stored result of an attempt does not reveal whether a name exists in the network of the service', async (t) => {
  const app = await startApp(t, { key: SENDING.key })
  const results: unknown[] = []
  for (const host of ['localhost', 'unknown.invalid', 'private.example.org']) {
    answerLookups(t, () => ['10.0.0.1'])
    const { id } = (await app.post('/v1/webhooks', { url: `https://${host}/` })).body
    await app.post(`/v1/webhooks/${id}/test`, {})
    const found = await untilDelivery(app, id, ({ responseBody }) => responseBody !== undefined)
    results.push([found.status, found.attempts, found.responseStatus, found.responseBody])
  }
  assert.deepEqual(results, new Array(3).fill(['pending', 1, undefined, REFUSED]))
})

test('a redirect is a failure, and its target gets no request', async (t) => {
  const app = await startApp(t, SENDING)
  const target = await startReceiver(t)
  const { until, url } = await startReceiver(t, () => ({ status: 307, headers: { location: target.url() } }))
  const { id } = (await app.post('/v1/webhooks', { url: url() })).body
  await app.post(`/v1/webhooks/${id}/test`, {})
  const [first] = await until(1)
  const { status } = await untilDelivery(app, id, ({ responseStatus }) => responseStatus === 307)

  assert.equal(status, 'pending')
  assert.equal(target.received.length, 0)
  assert.equal(first?.headers.cookie, undefined)
})
