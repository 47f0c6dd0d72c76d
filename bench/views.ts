import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type Spread, spread } from './statistics.ts'

// What a person waits for: pages in a browser that is as slow as a cheap phone, over a slow line.

/** The system's own, as in the tests. */
const executablePath = '/usr/bin/chromium'
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
]
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
  /** On the wire, scrolled to its end. */
  pageKb: number
  scriptKb: number
}

export type Views = View[]

/** @returns nothing without a browser */
export async function measureViews(port: number, link: string, rounds: number): Promise<Views | undefined> {
  if (!existsSync(executablePath)) return undefined
  const browser = await chromium.launch({ executablePath, args: ARGS })
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
  const lcpMs = await page.evaluate<number>(lastOf('largest-contentful-paint', 'startTime'))
  const shift = await page.evaluate<number>(lastOf('layout-shift', 'value'))
  await scrollDown(page)
  await context.close()
  const sum = (ids: Iterable<string>) => [...ids].reduce((all, id) => all + (sizes.get(id) ?? 0), 0)
  return { lcpMs, shift, bytes: sum(sizes.keys()), scriptBytes: sum(scripts) }
}

/** Of all entries of a kind so far, the latest value, or the sum of what is not a time. */
const lastOf = (type: string, member: string): string => `new Promise((resolve) => {
  let value = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) value = ${member === 'value' ? 'value + ' : ''}entry.${member}
  }).observe({ type: '${type}', buffered: true })
  requestAnimationFrame(() => setTimeout(() => resolve(value), 100))
})`

/** Pictures further down come only then. */
async function scrollDown(page: Page): Promise<void> {
  await page.evaluate('scrollTo({ top: document.body.scrollHeight, behavior: "instant" })')
  await page.waitForLoadState('networkidle')
}

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
