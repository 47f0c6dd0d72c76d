import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { type TestContext, test } from 'node:test'
import { NEEDS_BROWSER, openBrowser } from '../../src/testing/browser.ts'
import { picture } from '../../src/testing/pictures.ts'
import { type Reply, startFront } from './testing/front.ts'
import { startClient } from './testing/start-client.ts'

/** Serves a page that uses the client, the service itself, and two URLs that redirect. */
async function startSite(t: TestContext, port: number): Promise<string> {
  const photo = await picture({ width: 800, height: 600 })
  const replyOf = (type: string, body: string | Buffer): Reply => {
    return { status: 200, headers: { 'content-type': type }, body }
  }
  const { baseUrl } = await startFront(t, port, ({ url = '' }) => {
    const [, file] = /^\/client\/([\w-]+\.ts)$/.exec(url) ?? []
    if (url === '/') return replyOf('text/html', '<!doctype html>')
    if (url === '/rex.jpg') return replyOf('image/jpeg', photo)
    if (file)
      return replyOf(
        'text/javascript',
        stripTypeScriptTypes(readFileSync(new URL(file, import.meta.url), 'utf8')),
      )
    if (!url.startsWith('/v1/pets/2/')) return undefined
    return { status: 307, headers: { location: url.replace('/2/', '/1/') } }
  })
  return new URL(baseUrl).origin
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
    const progress = []
    const options = { alt: 'Rex', onProgress: (one) => progress.push(one) }
    const { data, status, headers, requestId } = await client.photos.add(1, file, options)
    const failed = (...call) => client.photos.add(...call).then(() => 'nothing', ({ code, name }) => code ?? name)
    const aborted = AbortSignal.abort(new RangeError())
    return {
      added: [status, data.alt, data.width, headers.get('content-type'), typeof requestId],
      last: progress.at(-1),
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
