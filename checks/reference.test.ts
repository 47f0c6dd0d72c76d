import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { exampleOf } from '../src/faces/native/reference/examples.ts'
import { NEEDS_BROWSER, openBrowser } from '../src/testing/browser.ts'
import { cleanup } from '../src/testing/cleanup.ts'
import { startApp, UNLIMITED } from '../src/testing/start-app.ts'
import { reportFigure, rounds } from '../torture/lab/rounds.ts'

const AXE = resolve('checks/tools/node_modules/axe-core/axe.min.js')
const NEEDS_TOOLS = {
  skip: NEEDS_BROWSER.skip || (!existsSync(AXE) && 'not installed: npm ci --prefix checks/tools'),
}

/** Desktop, phone, and the narrowest width in WCAG 2.2 (1.4.10). The short version uses the first views. */
const VIEWS = [
  { width: 1_200, colorScheme: 'light' },
  { width: 320, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 1_200, colorScheme: 'dark' },
  { width: 320, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

interface View {
  width?: number
  colorScheme?: 'light' | 'dark'
}

/** Opens the reference page of a service in a browser. Fails the test if the page requests another origin. */
async function open(t: TestContext, { width = 1_200, colorScheme = 'light' }: View = {}) {
  const app = await startApp(t, { key: UNLIMITED })
  const origin = `http://127.0.0.1:${app.port}`
  const browser = await openBrowser(t)
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
  const page = await context.newPage()
  const unexpected: string[] = []
  const sent: { method: string; path: string; headers: Record<string, string> }[] = []
  context.on('request', (request: { url(): string; method(): string; headers(): Record<string, string> }) => {
    const { origin: requestedOrigin, pathname, search, protocol } = new URL(request.url())
    if (requestedOrigin !== origin && protocol !== 'data:') unexpected.push(request.url())
    const headers = request.headers()
    if (pathname.startsWith('/v1')) sent.push({ method: request.method(), path: pathname + search, headers })
  })
  page.on('pageerror', (error: Error) => unexpected.push(error.message))
  page.on('console', (line: { type(): string; text(): string }) => {
    // The console also reports answers with an error status, which are expected.
    if (line.type() === 'error' && !/status of 4\d\d/.test(line.text())) unexpected.push(line.text())
  })
  await page.goto(`${origin}/docs`)
  cleanup(t).defer(() => assert.deepEqual(unexpected, []))
  return { ...app, page, context, sent }
}

type Page = Awaited<ReturnType<typeof open>>['page']

/** Opens the form of an operation. @returns the form */
async function openForm(page: Page, operationId: string) {
  const form = page.locator(`#${operationId} .try`)
  await page.evaluate(`location.hash = '#${operationId}'`)
  if ((await form.getAttribute('open')) === null) await form.locator('summary').click()
  return form
}

/** Sends the form of an operation. @returns the answer as the page shows it */
async function sendForm(page: Page, operationId: string): Promise<string> {
  const form = await openForm(page, operationId)
  await form.getByRole('button').click()
  return readAnswer(page, operationId)
}

async function readAnswer(page: Page, operationId: string): Promise<string> {
  await page.locator(`#${operationId} .answer .status`).waitFor()
  return page.locator(`#${operationId} .answer`).innerText()
}

interface Violation {
  id: string
  nodes: { html: string }[]
}

async function assertAccessible(page: Page): Promise<number> {
  const run: { violations: Violation[]; passes: unknown[] } = await page.evaluate('axe.run()')
  const { violations, passes } = run
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`),
    [],
  )
  // Wider content would make the page scroll sideways.
  const widths: [content: number, window: number] = await page.evaluate(
    '[document.documentElement.scrollWidth, innerWidth]',
  )
  const [content, window] = widths
  assert.ok(content <= window, `${content} pixels in a window of ${window}`)
  return passes.length
}

for (const view of VIEWS.slice(0, rounds(VIEWS.length))) {
  const { width, colorScheme } = view
  test(`/docs at ${width} pixels, ${colorScheme}: no violation in axe-core`, NEEDS_TOOLS, async (t) => {
    const { page, key } = await open(t, view)
    await page.evaluate(readFileSync(AXE, 'utf8'))
    await assertAccessible(page)
    await page.locator('details').evaluateAll((all: { open: boolean }[]) => {
      for (const one of all) one.open = true
    })
    await page.locator('#key').fill(key)
    assert.match(await sendForm(page, 'createPet'), /201 Created/)
    assert.match(await sendForm(page, 'listPets'), /200 OK/)

    const rules = await assertAccessible(page)

    reportFigure(t, `${rules} rules of axe-core, 0 violations, at ${width} px, ${colorScheme}`)
  })
}

test(
  'a pasted key: sends real requests, shows the answers, and is stored nowhere',
  NEEDS_BROWSER,
  async (t) => {
    const { page, context, key, get, sent } = await open(t)
    await page.locator('#key').fill(key)
    await openForm(page, 'createPet')
    await page.locator('#createPet-Idempotency-Key').evaluate((input: { value: string }) => {
      input.value = 'once'
    })

    const created = await sendForm(page, 'createPet')
    const listed = await sendForm(page, 'listPets')

    assert.match(created, /^201 Created.*x-ratelimit-remaining.*x-request-id.*"name": "Tom"/s)
    const { body } = await get('/v1/pets')
    assert.deepEqual(body, [{ id: 1, ...(exampleOf('createPet').body as object) }])
    assert.match(listed, /^200 OK.*x-ratelimit-limit.*"id": 1/s)
    assert.deepEqual(
      sent.map(({ method, path, headers }) => [method, path, headers.authorization]),
      [
        ['POST', '/v1/pets', `Bearer ${key}`],
        ['GET', '/v1/pets', `Bearer ${key}`],
      ],
    )
    assert.equal(sent[0]?.headers['idempotency-key'], 'once')
    assert.equal(await page.locator('#key').getAttribute('type'), 'password')
    assert.deepEqual(await page.evaluate('[localStorage.length, sessionStorage.length, location.search]'), [
      0,
      0,
      '',
    ])
    assert.deepEqual(await context.cookies(), [])
    await page.reload()
    assert.equal(await page.locator('#key').inputValue(), '')
  },
)

test('each form sends its fields and shows the answer', NEEDS_BROWSER, async (t) => {
  const { page, key, post, sent } = await open(t)
  for (const name of ['a', 'b']) await post('/v1/pets', { name, categoryId: 1, status: 'available' })
  await page.locator('#key').fill(key)
  await openForm(page, 'listPets')
  await page.locator('#listPets-id').fill('1, 9007199254740993')
  await page.locator('#listPets-sort').selectOption('id')

  assert.match(await sendForm(page, 'listPets'), /200 OK.*"id": 1/s)
  assert.equal(sent[0]?.path, '/v1/pets?id=1&id=9007199254740993&sort=id')
  await openForm(page, 'updatePet')
  await page.locator('#updatePet button').click()
  // The browser requires an id, which has no example value.
  assert.equal(sent.length, 1)
  await page.locator('#updatePet-petId').fill('2')
  assert.match(await sendForm(page, 'updatePet'), /200 OK.*"status": "sold"/s)
  assert.equal(sent[1]?.headers['content-type'], 'application/merge-patch+json')
  await openForm(page, 'deletePet')
  await page.locator('#deletePet-petId').fill('2')
  assert.match(await sendForm(page, 'deletePet'), /^204 No Content/)
})

test('a wrong key and no key: the page shows the 401', NEEDS_BROWSER, async (t) => {
  const { page, key } = await open(t)

  assert.match(await sendForm(page, 'listPets'), /^401 Unauthorized.*www-authenticate.*missing_api_key/s)
  await page.locator('#key').fill(key.slice(0, -1))
  await sendForm(page, 'listPets')
  await page.getByText('"code": "invalid_api_key"').waitFor()
})

test('keyboard only: every control is reachable, with a visible focus', NEEDS_BROWSER, async (t) => {
  const { page, key, sent } = await open(t)
  const tabTo = async (selector: string): Promise<void> => {
    for (let count = 0; count < 200; count += 1) {
      await page.keyboard.press('Tab')
      const matches = await page.evaluate(`document.activeElement.matches('${selector}')`)
      const outline: string = await page.evaluate('getComputedStyle(document.activeElement).outline')
      assert.match(
        outline,
        /solid [2-9]px/,
        await page.evaluate('document.activeElement.outerHTML.slice(0,300)'),
      )
      if (matches) return
    }
    assert.fail(`Tab does not reach ${selector}`)
  }
  await tabTo('#key')
  await page.keyboard.type(key)
  await tabTo('summary:has(+ #listPets)')
  await page.keyboard.press('Enter')
  await tabTo('#listPets .try summary')
  await page.keyboard.press('Enter')
  await tabTo('#listPets-limit')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('5')
  await page.keyboard.press('Enter')

  assert.match(await readAnswer(page, 'listPets'), /^200 OK/)
  assert.equal(sent[0]?.path, '/v1/pets?limit=5')
  assert.equal(await page.locator('#listPets .answer').getAttribute('aria-live'), 'polite')
})

test(
  '/docs opens with every part closed, and a link or a search opens the right one',
  NEEDS_BROWSER,
  async (t) => {
    const { page, port } = await open(t)
    // Open parts and text fields would delay the page for seconds on a phone.
    assert.equal(await page.locator('main details[open], main input, main textarea').count(), 0)
    const [nodes, ms] = await page.evaluate<[number, number]>(
      `[document.querySelectorAll('*').length, performance.getEntriesByType('navigation')[0].loadEventEnd]`,
    )
    reportFigure(t, `${nodes} elements, loaded in ${Math.round(ms)} ms`)

    await page.goto(`http://127.0.0.1:${port}/docs#schema-Breed`)
    await page.locator('#schema-Breed').getByText('secondary').waitFor()
    await page.locator('#search').fill('pet_not_found')
    await page.locator('#results a').first().press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'error-pet_not_found')
    await page.locator('#search').fill('SEARCHES keywords')
    await page.locator('#results').getByText('tags').first().waitFor()
    await page.locator('#search').fill('goodWith.dogs')
    await page.locator('#results li', { hasText: 'NewPet' }).locator('a').press('Enter')
    const focused = page.locator('#schema-NewPet tr:focus')
    await focused.getByText('goodWith.dogs').waitFor()
    assert.equal(new URL(page.url()).hash, '#schema-NewPet')
    await page.locator('#search').fill('nothing has this')
    await page.getByText('Results: 0').waitFor()
    assert.equal(await page.locator('#results a').count(), 0)
  },
)
