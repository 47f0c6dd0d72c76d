import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { NEEDS_BROWSER, openBrowser } from '../../src/testing/browser.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { picture } from '../../src/testing/pictures.ts'
import { startClient } from './testing/start-client.ts'

/** Serves a page that uses the client, the service itself, and two URLs that redirect. */
async function startSite(t: TestContext, port: number): Promise<string> {
  const photo = await picture({ width: 800, height: 600 })
  const server = http.createServer((request, response) => {
    const { method, url = '', headers } = request
    const [, file] = /^\/client\/([\w-]+\.ts)$/.exec(url) ?? []
    if (url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    else if (url === '/rex.jpg') response.writeHead(200, { 'content-type': 'image/jpeg' }).end(photo)
    else if (file) {
      const code = stripTypeScriptTypes(readFileSync(new URL(file, import.meta.url), 'utf8'))
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(code)
    } else if (url.startsWith('/v1/pets/2/')) {
      request.resume()
      response.writeHead(307, { location: url.replace('/2/', '/1/') }).end()
    } else {
      const onward = http.request({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      request.pipe(onward)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t).defer(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a browser uploads with progress, gets error codes, and rejects responses after redirects', {
  ...NEEDS_BROWSER,
}, async (t) => {
  const { client, app, settings } = await startClient(t)
  await client.createPet({ name: 'Rex', categoryId: 1 })
  const site = await startSite(t, app.port)
  const page = await (await openBrowser(t)).newPage()
  await page.goto(site)

  const met = await page.evaluate(`(async () => {
    const { AdoptableClient } = await import('/client/client.ts')
    const client = new AdoptableClient({
      baseUrl: '${site}/v1', key: ${JSON.stringify(settings.key)}, retries: 0,
    })
    const file = await (await fetch('/rex.jpg')).blob()
    const told = []
    const options = { alt: 'Rex', onProgress: (progress) => told.push(progress) }
    const { data, status, headers, requestId } = await client.photos.add(1, file, options)
    const failed = (...call) => client.photos.add(...call).then(() => 'nothing', ({ code, name }) => code ?? name)
    const aborted = AbortSignal.abort(new RangeError())
    return {
      added: [status, data.alt, data.width, headers.get('content-type'), typeof requestId],
      last: told.at(-1),
      size: file.size,
      again: (await client.photos.add(1, file, options)).status,
      gone: await failed(9, file, options),
      wrong: await failed(1, new Blob(['x'], { type: 'image/png' }), options),
      redirected: await failed(2, file, options),
      ended: await failed(1, file, { ...options, signal: aborted }),
    }
  })()`)

  const { size, ...rest } = met as { size: number }
  assert.deepEqual(rest, {
    added: [201, 'Rex', 800, 'application/json; charset=utf-8', 'string'],
    last: { sent: size, total: size },
    again: 200,
    gone: 'pet_not_found',
    wrong: 'invalid_image',
    redirected: 'connection_failed',
    ended: 'RangeError',
  })
})
