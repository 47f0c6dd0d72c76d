import type { Browser } from 'playwright-core'
import { NEEDS_BROWSER, startBrowser } from '../src/testing/browser.ts'
import { type Spread, spread } from './statistics.ts'

// What a person waits for: pages in a browser that is as slow as a cheap phone, over a slow line.

const PHONE = { width: 390, height: 844 }
const SLOWER = 4
const LINE = {
  offline: false,
  latency: 0,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 1_600_000 / 8,
}

/** Most that is to be reached: largest contentful paint in milliseconds. */
const VIEWS: Record<string, { path: string; lcpMs?: number; isConsole?: true }> = {
  'a page of plain text, to compare': { path: '/livez' },
  gallery: { path: '/animals', lcpMs: 1_200 },
  animal: { path: 'first' },
  'console, list of animals': { path: '/console/animals', lcpMs: 800, isConsole: true },
  'console, form of an animal': { path: '/console/animals/new', lcpMs: 600, isConsole: true },
}
const MOST = { shift: 0, pageKb: 160, scriptKb: 3 } as const

interface View {
  name: string
  lcpMs: Spread
  reachMs?: number | undefined
  /** Sum of all layout shifts, the most of all rounds. */
  shift: number
  /** On the wire, with all pictures. */
  pageKb: number
  scriptKb: number
}

export type Views = View[]

/** @returns nothing without a browser */
export async function measureViews(port: number, link: string, rounds: number): Promise<Views | undefined> {
  if (NEEDS_BROWSER.skip) return undefined
  const browser = await startBrowser()
  try {
    const at = (path: string) => `http://127.0.0.1:${port}${path}`
    const cookies = await signIn(browser, at(link))
    const animal = await firstAnimal(browser, at('/animals'))
    const looked = new Map<string, Look[]>(Object.keys(VIEWS).map((name) => [name, []]))
    for (let round = 0; round < rounds; round += 1)
      for (const [name, { path, isConsole }] of Object.entries(VIEWS)) {
        const address = path === 'first' ? animal : at(path)
        looked.get(name)?.push(await look(browser, address, isConsole ? cookies : []))
      }
    return [...looked].map(([name, looks]) => ({
      name,
      lcpMs: spread(looks.map(({ lcpMs }) => lcpMs)),
      reachMs: VIEWS[name]?.lcpMs,
      shift: Math.max(...looks.map(({ shift }) => shift)),
      pageKb: spread(looks.map(({ bytes }) => bytes / 1_000)).median,
      scriptKb: spread(looks.map(({ scriptBytes }) => scriptBytes / 1_000)).median,
    }))
  } finally {
    await browser.close()
  }
}

type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['cookies']>>

async function signIn(browser: Browser, link: string): Promise<Cookies> {
  const page = await browser.newPage()
  await page.goto(link)
  await page.locator('input[name=password]').fill('a long word for the bench')
  await page.locator('form p button').click()
  await page.waitForURL('**/console**')
  return page.context().cookies()
}

async function firstAnimal(browser: Browser, list: string): Promise<string> {
  const page = await browser.newPage()
  await page.goto(list)
  return page
    .locator('.card a')
    .first()
    .evaluate<string, { href: string }>(({ href }) => href)
}

interface Look {
  lcpMs: number
  shift: number
  bytes: number
  scriptBytes: number
}

/** With nothing in the cache. */
async function look(browser: Browser, address: string, cookies: Cookies): Promise<Look> {
  const context = await browser.newContext({ viewport: PHONE, deviceScaleFactor: 2 })
  await context.addCookies(cookies)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', LINE)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  const scripts = new Set<string>()
  const sizes = new Map<string, number>()
  session.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.add(requestId))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    sizes.set(requestId, encodedDataLength),
  )
  await page.goto(address, { waitUntil: 'networkidle' })
  const lcpMs = await page.evaluate<number>(LCP)
  const shift = await page.evaluate<number>(SHIFT)
  await page.evaluate(ALL_PICTURES)
  await context.close()
  const sum = (ids: Iterable<string>) => [...ids].reduce((all, id) => all + (sizes.get(id) ?? 0), 0)
  return { lcpMs, shift, bytes: sum(sizes.keys()), scriptBytes: sum(scripts) }
}

/** Each page has one such paint at least, and the last one counts. */
const LCP = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true })
})`

/** The sum of all so far, of which there may be none. */
const SHIFT = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) sum += value
  }).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => setTimeout(() => resolve(sum), 100))
})`

/** As for somebody who looks at everything: pictures further down come only when they are near. */
const ALL_PICTURES = `Promise.all([...document.images].map((image) => {
  image.loading = 'eager'
  return image.complete || new Promise((come) => { image.onload = image.onerror = come })
}))`

export function viewsReport(views: Views): string[] {
  const line = ({ name, lcpMs, reachMs, shift, pageKb, scriptKb }: View) =>
    `  ${name}: ${Math.round(lcpMs.median)} ms (${Math.round(lcpMs.least)}..${Math.round(lcpMs.most)})` +
    `${reachMs === undefined ? '' : `, to reach ≤ ${reachMs}`}; moved by ${shift}, to reach ${MOST.shift}; ` +
    `${Math.round(pageKb)} kB, to reach ≤ ${MOST.pageKb}; script ${scriptKb.toFixed(1)} kB, to reach ≤ ${MOST.scriptKb}`
  return [
    `Largest contentful paint, with a processor ${SLOWER} times as slow and 1.6 Mbit/s:`,
    ...views.map(line),
  ]
}
