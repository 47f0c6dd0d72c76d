import assert from 'node:assert/strict'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import {
  assertGoodInAllColors,
  assertNotTooWide,
  NEEDS_BROWSER,
  openBrowser,
} from '../../../testing/browser.ts'
import { startGallery } from '../../../testing/gallery.ts'
import { until } from '../../../testing/redis.ts'
import { listenAt, startSite } from '../../../testing/site.ts'

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 390, height: 844 }
const NARROWEST = { width: 320, height: 640 }

/** A gallery with animals of every kind. */
async function startFull(t: TestContext) {
  const app = await startGallery(t)
  const { add, shelter, photo } = app
  const { id: organizationId } = await shelter({
    ...{ code: 'CO12', name: 'Harbour Shelter', mission: 'We care for all.', phone: '303 555 0100' },
    address: { street: '1 Quay', city: 'Denver', region: 'CO', country: 'US' },
    hours: { monday: 'closed', saturday: '10 to 16' },
    social: { instagram: 'https://instagram.example/harbour' },
    adoptionPolicy: 'Come and meet us.',
  })
  for (let number = 1; number <= 26; number += 1) {
    const id = await add({
      name: number === 25 ? 'W'.repeat(200) : `Animal ${number}`,
      ...{ organizationId, age: 'adult', sex: 'female', size: 'large', tags: ['Friendly'] },
      breed: { primary: number === 24 ? 'x'.repeat(80) : 'Beagle' },
      status: number % 5 ? 'available' : 'pending',
      description: 'A calm friend.\n\nLoves walks.',
      goodWith: { children: true, cats: false },
      fee: { amount: 12_000, currency: 'USD' },
    })
    if (number % 8 === 2) await photo(id)
  }
  await photo(26)
  await photo(26)
  return { ...app, at: (path: string) => `http://127.0.0.1:${app.port}${path}` }
}

/** Opens a page and collects the errors and warnings of the browser. */
async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: WIDE, locale: 'en-US', ...options })
  const page = await context.newPage()
  const browserErrors: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) browserErrors.push(message.text())
  })
  page.on('pageerror', (error) => browserErrors.push(String(error)))
  return { page, browserErrors }
}

const PAGES = [
  '/',
  '/animals?kind=dog&age=adult&near=Denver,+CO',
  '/animals?q=nobody',
  '/animals/26-animal-26',
  `/animals/25-${'w'.repeat(60)}`,
  '/organizations/CO12',
  '/for-shelters',
  '/favorites?id=1&id=2',
  '/compare?id=1&id=25&id=24&id=26',
  '/embed?organization=CO12',
]

/**
 * Starts a proxy that sends pages in chunks, each after the browser has painted the one before.
 *
 * @returns its origin
 */
async function startSlowLine(t: TestContext, { port }: { port: number }, page: Page): Promise<string> {
  // Before the body exists there is nothing to paint.
  const painted = () =>
    page.evaluate(`new Promise((done) =>
      document.body ? requestAnimationFrame(() => requestAnimationFrame(done)) : done())`)
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, 'accept-encoding': 'identity' }
    http.get({ host: '127.0.0.1', port, path: request.url, headers }, async (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      const body = Buffer.concat(await answer.toArray())
      const isPage = `${answer.headers['content-type']}`.startsWith('text/html')
      for (const piece of isPage ? piecesOf(body) : [body]) {
        response.write(piece)
        // The browser may have left the previous page by now.
        if (isPage) await painted().catch(() => undefined)
      }
      response.end()
    })
  })
  return (await listenAt(t, server)).slice(0, -1)
}

/** Splits a page after each link of the header, and at five more places. */
function piecesOf(page: Buffer): Buffer[] {
  const links = [...page.toString('latin1').matchAll(/<\/a>/g)].slice(0, 4).map(({ index }) => index + 4)
  const parts = Array.from({ length: 5 }, (_, part) => Math.round((page.length * (part + 1)) / 6))
  const ends = [...links, ...parts, page.length].toSorted((one, other) => one - other)
  return ends.map((end, index) => page.subarray(ends[index - 1] ?? 0, end))
}

test('the gallery in a browser', NEEDS_BROWSER, async (t) => {
  const app = await startFull(t)
  const { at } = app
  const browser = await openBrowser(t)

  await t.test('every page passes axe and fits the screen: wide and narrow, light and dark', async () => {
    const { page } = await openPage(browser, { bypassCSP: true })
    for (const path of [...PAGES, '/animals?near=nowhere&age=x', '/nowhere']) {
      await page.goto(at(path))
      await assertGoodInAllColors(page, path, [WIDE.width, NARROWEST.width])
    }
    await page.context().close()
  })

  await t.test(
    'no page violates its security policy, or shifts its layout while it loads slowly',
    async () => {
      for (const viewport of [WIDE, NARROW]) {
        const { page, browserErrors } = await openPage(browser, { viewport })
        const slow = await startSlowLine(t, app, page)
        for (const path of PAGES) {
          const sent: string[] = []
          page.on('request', (request) => sent.push(request.url()))
          await page.goto(slow + path, { waitUntil: 'networkidle' })
          const shift = await page.evaluate<number>(`new Promise((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => { for (const one of list.getEntries()) sum += one.value })
          .observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => setTimeout(() => resolve(sum), 50))
      })`)
          assert.equal(shift, 0, path)
          for (const address of sent) assert.match(address, /^(?:http:\/\/127\.0\.0\.1:|data:)/)
        }
        assert.deepEqual(browserErrors, [])
      }
    },
  )

  await t.test('without JavaScript: search, paging, photos and the shelter’s page work', async () => {
    const { page } = await openPage(browser, { javaScriptEnabled: false, viewport: NARROW })
    await page.goto(at('/'))
    await page.getByLabel('Name, breed or keyword').fill('beagle')
    await page.getByText('Filters', { exact: true }).click()
    await page.getByLabel('Type').selectOption('Dog')
    await page.getByLabel('Adult').check()
    await page.getByRole('button', { name: 'Search' }).first().click()
    assert.match(page.url(), /\/animals\?q=beagle&kind=dog&/)
    assert.equal(await page.locator('.card').count(), 24)
    await page.getByRole('link', { name: 'Next page' }).click()
    assert.equal(await page.locator('.card').count(), 1)
    await page.getByRole('link', { name: 'Back to the first page' }).click()
    await page.getByRole('link', { name: 'Remove filter: Adult' }).click()
    await page.getByRole('link', { name: 'Remove all filters' }).click()
    assert.equal(page.url(), at('/animals'))

    await page.getByRole('link', { name: 'Animal 26', exact: true }).click()
    await page.getByRole('link', { name: 'Photo 3 of 3' }).click()
    await page.locator('#photo-3').scrollIntoViewIfNeeded()
    assert.match(page.url(), /#photo-3$/)
    await page.getByRole('link', { name: 'Harbour Shelter', exact: true }).click()
    assert.equal(page.url(), at('/organizations/CO12'))
  })

  await t.test('with the keyboard only: content, cards and photos are reachable', async () => {
    const { page, browserErrors } = await openPage(browser)
    await page.goto(at('/animals/26-animal-26'))
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.className'), 'skip')
    await page.keyboard.press('Enter')
    // The link back to all animals has the focus before the photos.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.className'), 'strip')
    await page.keyboard.press('ArrowRight')
    await page.locator('.thumbs li:nth-child(2) [aria-current]').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('.thumbs li:nth-child(3) [aria-current]').waitFor()
    // Move to the first thumbnail, which shows the first photo.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('.thumbs li:nth-child(1) [aria-current]').waitFor()

    await page.goto(at('/'))
    await page.getByLabel('Name, breed or keyword').focus()
    await page.keyboard.type('animal 3')
    await page.keyboard.press('Enter')
    await page.waitForURL(at('/animals?q=animal+3'))
    await page.getByRole('link', { name: 'Animal 3', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(at('/animals/3-animal-3'))
    assert.deepEqual(browserErrors, [])
  })

  await t.test(
    'favorites: stay in the browser, can be compared, and are hidden without JavaScript',
    async () => {
      const { page, browserErrors } = await openPage(browser, { viewport: NARROW })
      await page.goto(at('/'))
      await page.getByRole('button', { name: 'Favorite: Animal 26' }).click()
      await page.getByRole('link', { name: 'Animal 23', exact: true }).click()
      await page.getByRole('button', { name: 'Favorite' }).click()
      await page.locator('button[aria-pressed=true]').waitFor()
      await page.getByRole('link', { name: 'Favorites' }).click()
      assert.equal(page.url(), at('/favorites?id=23&id=26'))
      await page.getByRole('button', { name: 'Compare' }).click()
      assert.equal(page.url(), at('/compare?id=23&id=26'))
      assert.equal(await page.locator('thead th').count(), 2)
      await assertNotTooWide(page, 'compare')
      await page.goto(at('/favorites'))
      await page.waitForURL(at('/favorites?id=23&id=26'))
      await page.getByRole('button', { name: 'Favorite: Animal 26' }).click()
      await page.locator('button[aria-pressed=false]').waitFor()
      await page.evaluate('localStorage.favorites = "[99999,23]"')
      await page.goto(at('/favorites'))
      await page.getByRole('button', { name: 'Remove from favorites' }).click()
      await page.waitForURL(at('/favorites?id=23'))
      assert.deepEqual(browserErrors, [])

      const plain = await openPage(browser, { javaScriptEnabled: false })
      await plain.page.goto(at('/animals/23-animal-23'))
      assert.equal(await plain.page.getByRole('button').count(), 0)
      await plain.page.getByRole('link', { name: 'Send by e-mail' }).waitFor()
    },
  )

  await t.test(
    '/embed.js on a site with a strict policy: shows the animals in a frame of their height',
    async () => {
      const origin = `http://localhost:${app.port}`
      const site = await startSite(
        t,
        `<!doctype html><title>Shelter</title><p id="before">Before</p>
<script src="${origin}/embed.js" data-organization="CO12" data-limit="6"></script><p id="after">After</p>`,
        {
          'content-security-policy': `default-src 'none'; script-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'`,
          'cross-origin-embedder-policy': 'require-corp',
          'cross-origin-opener-policy': 'same-origin',
        },
      )
      const { page, browserErrors } = await openPage(browser)
      await page.goto(site)
      const frame = page.frameLocator('iframe')
      await frame.getByRole('link', { name: 'Animal 26', exact: true }).waitFor()
      assert.equal(await frame.locator('.card').count(), 6)
      await page.locator('iframe:not([height="600"])').waitFor()
      const inside = page.frames()[1]
      const heights = () =>
        Promise.all([
          page.evaluate<number>('document.querySelector("iframe").clientHeight'),
          inside?.evaluate<number>('Math.ceil(document.body.getBoundingClientRect().height)'),
        ])
      // The frame sends its height in messages, and one may still be on its way.
      await until(async () => {
        const [frameHeight, contentHeight] = await heights()
        return frameHeight === contentHeight
      })
      assert.ok(
        await page.evaluate('document.querySelector("#before").nextElementSibling.tagName === "SCRIPT"'),
      )

      const opened = page.context().waitForEvent('page')
      await frame.getByRole('link', { name: 'Animal 26', exact: true }).click()
      await (await opened).waitForURL(/\/animals\/26-animal-26$/)
      assert.deepEqual(browserErrors, [])
    },
  )
})
