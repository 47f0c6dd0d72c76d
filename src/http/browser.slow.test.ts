import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEEDS_BROWSER, openBrowser } from '../testing/browser.ts'
import { startApp } from '../testing/start-app.ts'

/** A date so old that, by heuristic freshness, a browser would use its cached copy for weeks. */
const LONG_AGO = Date.UTC(2025, 0, 1)

test(
  'a browser that goes back shows an animal changed elsewhere, and without a valid key shows none',
  NEEDS_BROWSER,
  async (t) => {
    const app = await startApp(t, { now: LONG_AGO })
    await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
    const page = await (await openBrowser(t)).newPage()
    await page.goto(`http://127.0.0.1:${app.port}/docs`)
    const read = (path: string, key: string | undefined = app.key) =>
      page.evaluate(
        async ([path = '', key]) => {
          const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
          const answer = await fetch(path, { headers })
          const body: unknown = await answer.json()
          return {
            status: answer.status,
            names: ([body].flat() as { name?: string }[]).map(({ name }) => name),
          }
        },
        [path, key],
      )
    const latest = () => JSON.parse(app.log.at(-1) ?? '{}')

    let before = 'Rex'
    for (const path of ['/v1/pets/1', '/v1/pets?id=1', '/v1/pets']) {
      const name = `of ${path}`
      assert.deepEqual(await read(path), { status: 200, names: [before] })
      assert.deepEqual(await read(path), { status: 200, names: [before] })
      assert.equal(latest().status, 304, 'the browser revalidated its copy')

      const headers = { 'content-type': 'application/json' }
      await app.request('/v1/pets/1', { method: 'PATCH', headers, body: { name } })
      assert.deepEqual(await read(path), { status: 200, names: [name] }, path)

      for (const key of ['', `${app.key}x`]) assert.equal((await read(path, key)).status, 401, path)
      before = name
    }
  },
)
