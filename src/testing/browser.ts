import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
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
