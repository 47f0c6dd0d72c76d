import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { cleanup } from './cleanup.ts'

/** The system's own: none is downloaded. */
const executablePath = '/usr/bin/chromium'

/** For the options of a test: without the browser of the system it is skipped by name. */
export const NEEDS_BROWSER = { skip: !existsSync(executablePath) && 'not installed: chromium' }

/** It asks nobody but who it is sent to. Root has no right to the sandbox. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser with a profile of its own; whoever starts it closes it. */
export function startBrowser(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? [...QUIET, '--no-sandbox'] : QUIET
  return chromium.launch({ executablePath, args })
}

/** One that is gone after the test. */
export async function openBrowser(t: TestContext): Promise<Browser> {
  const browser = await startBrowser()
  cleanup(t).defer(() => browser.close())
  return browser
}
