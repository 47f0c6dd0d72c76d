import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEEDS_BROWSER, openBrowser } from '../../testing/browser.ts'
import { startGallery } from '../../testing/gallery.ts'

test('the footer link changes the language, with scripts off', NEEDS_BROWSER, async (t) => {
  const app = await startGallery(t)
  await app.add({ name: 'Ada' })
  const browser = await openBrowser(t)
  const context = await browser.newContext({ locale: 'en-US', javaScriptEnabled: false })
  const page = await context.newPage()
  const at = (path: string) => `http://127.0.0.1:${app.port}${path}`
  for (const path of ['/animals?q=ada', '/animals/1-ada', '/console/sign-in']) {
    await page.goto(at(path))
    await page.getByRole('link', { name: 'Español' }).click()
    assert.equal(page.url(), at(path))
    assert.equal(await page.locator('html').getAttribute('lang'), 'es')
    await page.getByRole('link', { name: 'English' }).click()
    assert.equal(page.url(), at(path))
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
  }
})
