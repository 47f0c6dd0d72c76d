import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { cleanup } from './cleanup.ts'

/** The browser of the operating system. Tests do not download a browser. */
const executablePath = '/usr/bin/chromium'

/** Options for a test that needs a browser. Without an installed browser, the test is skipped. */
export const NEEDS_BROWSER = { skip: !existsSync(executablePath) && 'not installed: chromium' }

/** Keeps the browser from contacting other servers. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts a browser with its own profile. The caller must close it. */
export function startBrowser(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? [...QUIET, '--no-sandbox'] : QUIET
  return chromium.launch({ executablePath, args })
}

/** Starts a browser that is closed after the test. */
export async function openBrowser(t: TestContext): Promise<Browser> {
  const browser = await startBrowser()
  cleanup(t).defer(() => browser.close())
  return browser
}

/** Fails if a page is wider than its window, or if axe-core finds a violation. @param about names the page */
export async function assertGoodPage(page: Page, about: string): Promise<void> {
  await assertNotTooWide(page, about)
  await page.evaluate(axe.source)
  await assertAccessible(page, about)
}

/**
 * Like `assertGoodPage`, in each of the widths, with light and dark colors. A page is loaded only once, and
 * dark colors change only contrasts.
 */
export async function assertGoodInAllColors(page: Page, about: string, widths: number[]): Promise<void> {
  await page.evaluate(axe.source)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    await assertNotTooWide(page, `${about} ${width}`)
    await assertAccessible(page, `${about} ${width}`)
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertAccessible(page, `${about} ${width} dark`, { runOnly: 'color-contrast' })
  }
}

export async function assertNotTooWide(page: Page, about: string): Promise<void> {
  const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  assert.equal(await page.evaluate<boolean>(isTooWide), false, about)
}

/** Runs axe-core, which the page has loaded. */
async function assertAccessible(page: Page, about: string, options: axe.RunOptions = {}): Promise<void> {
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`)
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
  assert.deepEqual(found, [], about)
}
