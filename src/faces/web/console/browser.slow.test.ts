import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { applyFor } from '../../../testing/applicant.ts'
import {
  assertGoodInAllColors,
  assertNotTooWide,
  NEEDS_BROWSER,
  openBrowser,
} from '../../../testing/browser.ts'
import { signIn } from '../../../testing/console.ts'
import { JPEG, picture } from '../../../testing/pictures.ts'
import { until } from '../../../testing/redis.ts'
import { startApp, type TestApp, UNLIMITED } from '../../../testing/start-app.ts'

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 390, height: 844 }

/** A service with data for every page. */
async function startFull(t: TestContext) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/organizations', { name: 'Harbour Shelter', code: 'CO12' })
  const names = ['Luna', 'Max', 'Milo', 'Nala', 'Oscar', 'W'.repeat(200)]
  for (const [index, name] of names.entries()) {
    const status = ['available', 'available', undefined, 'pending', 'sold', 'available'][index]
    await app.post('/v1/pets', {
      ...{ name, status, categoryId: 1 + (index % 3), sex: 'female', age: 'adult', organizationId: 1 },
      description: 'A calm friend.\n\nLoves walks.',
      breed: { primary: index === 3 ? 'x'.repeat(80) : 'Beagle' },
      tags: ['calm', 'friendly'],
      staff: { notes: 'Likes fish.' },
    })
  }
  for (const number of [1, 2, 3]) {
    const body = await picture({ number, width: 800, height: 600 })
    await app.request('/v1/pets/1/photos', { method: 'POST', headers: JPEG, body })
  }
  await app.post('/v1/pets', { name: 'Pip', categoryId: 1, status: 'available' })
  const address = `https://localhost/${'w'.repeat(300)}`
  const types = ['pet.created', 'pet.status_changed', 'order.placed']
  await app.post('/v1/webhooks', { url: address, types, organizationId: 1 })
  await app.post('/v1/webhooks', { url: 'https://hooks.example.org/', enabled: false })
  await app.post('/v1/webhooks/1/test', {})
  const adopter = { name: 'Kim Doe', email: 'kim@doe.example', message: 'We have a garden.' }
  await app.post('/v1/store/orders', { petId: 2, adopter })
  await app.patch('/v1/pets/1', { size: 'medium', staff: { kennel: 'B4' } })
  await applyFor(app, 6, { message: 'We have a garden.' })
  for (const status of ['in_review', 'approved'])
    assert.equal((await app.patch('/v1/applications/1', { status })).status, 200)
  return { app, at: (path: string) => `http://127.0.0.1:${app.port}${path}` }
}

/** A page of a signed-in person. Collects all errors that the browser reports. */
async function openPage(browser: Browser, app: TestApp, options: BrowserContextOptions = {}) {
  const { token } = await signIn(app, { role: 'admin' })
  const context = await browser.newContext({ viewport: WIDE, locale: 'en-US', ...options })
  const url = `http://127.0.0.1:${app.port}`
  await context.addCookies([
    {
      name: '__Host-session',
      value: token,
      url: url.replace('http:', 'https:'),
      secure: true,
      httpOnly: true,
    },
  ])
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser logs the status of refused forms.
    if (/status of (?:400|404|409|412|422) /.test(message.text())) return
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { page, complaints, token }
}

const PAGES = [
  '/console/',
  '/console/animals',
  '/console/animals?q=nobody&status=sold',
  '/console/animals?published=1&published=2&published=6&published=7',
  '/console/animals/new',
  '/console/animals/1',
  '/console/animals/2',
  '/console/animals/3',
  '/console/animals/6',
  '/console/animals/1/delete',
  '/console/animals/1/notes',
  '/console/animals/1/poster',
  '/console/animals/6/kennel-card',
  '/console/applications/1/record',
  '/console/statistics',
  '/console/animals/99',
  '/console/import',
  '/console/organizations',
  '/console/organizations/1',
  '/console/organizations/1/questions',
  '/console/organizations/1/website',
  '/console/organizations/new',
  '/console/usage',
  '/console/events',
  '/console/events?type=order.placed',
  '/console/webhooks',
  '/console/webhooks/new',
  '/console/webhooks/1',
  '/console/webhooks/1/change',
  '/console/webhooks/1/remove',
  '/console/webhooks/2',
]

test(
  'every console page passes axe and fits the screen: wide, narrow, light and dark',
  NEEDS_BROWSER,
  async (t) => {
    const { app, at } = await startFull(t)
    const browser = await openBrowser(t)
    const { page } = await openPage(browser, app, { bypassCSP: true })
    const check = (about: string) => assertGoodInAllColors(page, about, [320, 1280])
    for (const path of PAGES) {
      await page.goto(at(path))
      assert.ok(page.url().endsWith(path), `signed in at ${path}`)
      await check(path)
    }
    // A refused form, and later a conflict.
    await page.goto(at('/console/animals/new'))
    await page.getByRole('button', { name: 'Add animal' }).click()
    await page.getByRole('alert').waitFor()
    await check('refused')
    // A spreadsheet with unknown columns, two of which are mapped to the same field.
    const table = Buffer.from(`Who,Kind,${'Very long '.repeat(9)}\nRex,Dog,${'w'.repeat(90)}\n`)
    await page.goto(at('/console/import'))
    const file = { name: 'animals.csv', mimeType: 'text/csv', buffer: table }
    await page.getByLabel('File', { exact: true }).setInputFiles(file)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByLabel('Who', { exact: true }).selectOption('Name')
    await page.getByRole('button', { name: 'Preview again' }).click()
    await page.getByRole('button', { name: 'Import 1 animal' }).waitFor()
    await check('columns')
    await page.getByText('Columns of your file').click()
    await page.getByLabel('Very long').selectOption('Name')
    await page.getByRole('button', { name: 'Import 1 animal' }).click()
    await page.getByRole('link', { name: 'Name: you chose this for two columns' }).waitFor()
    await check('columns refused')
    await page.goto(at('/console/animals/1'))
    await page.getByLabel('Name', { exact: true }).fill('Luna here')
    await app.patch('/v1/pets/1', { name: 'Luna there' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Someone else changed').waitFor()
    await check('conflict')
  },
)

for (const javaScriptEnabled of [false, true])
  test(
    `a volunteer adds an animal with a photo on a phone, scripts ${javaScriptEnabled ? 'on' : 'off'}`,
    NEEDS_BROWSER,
    async (t) => {
      const { app, at } = await startFull(t)
      const browser = await openBrowser(t)
      const { page, complaints } = await openPage(browser, app, {
        ...{ viewport: NARROW, javaScriptEnabled, hasTouch: true, isMobile: true },
      })
      await page.goto(at('/console/'))
      await page.getByRole('link', { name: 'Animals', exact: true }).click()
      await page.getByRole('link', { name: 'Add an animal' }).click()
      await page.getByRole('button', { name: 'Add animal' }).click()
      await page.getByText('Name is required.').first().waitFor()
      await page.getByRole('link', { name: 'Name is required.' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Pip')
      await page.getByLabel('Type', { exact: true }).selectOption('Rabbit')
      await page.locator('summary', { hasText: 'Personality' }).click()
      await page.getByLabel('Description').fill('Small and brave.')
      await page.getByRole('button', { name: 'Add animal' }).click()
      await page.getByText('Animal added.').waitFor()

      const files = [1, 2].map(async (number) => ({
        name: `photo ${number}.jpg`,
        mimeType: 'image/jpeg',
        buffer: await picture({ number, width: 400, height: 300 }),
      }))
      await page.getByLabel('Add photos').setInputFiles(await Promise.all(files))
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByText('Photos added.').waitFor()
      const first = () => page.getByRole('img').first().getAttribute('src')
      const before = await first()
      await page.getByRole('button', { name: 'Move photo 1 back' }).click()
      await page.getByText('Photos updated.').waitFor()
      assert.notEqual(await first(), before)
      await page.getByRole('textbox', { name: 'Description of photo 1' }).fill('Pip in the hay')
      await page.getByRole('button', { name: 'Save the description of photo 1' }).click()
      await page.getByText('Photos updated.').waitFor()
      await page.getByRole('button', { name: 'Publish in the gallery' }).click()
      await page.getByText('The animal is now in the gallery.').waitFor()

      const { name, status, description, photos } = (await app.get('/v1/pets?limit=1')).body[0]
      assert.deepEqual([name, status, description], ['Pip', 'available', 'Small and brave.'])
      assert.deepEqual([photos.length, photos[0].alt], [2, 'Pip in the hay'])
      assert.deepEqual(complaints, [])
    },
  )

for (const javaScriptEnabled of [false, true])
  test(
    `the first admin adds their shelter on a phone, scripts ${javaScriptEnabled ? 'on' : 'off'}`,
    NEEDS_BROWSER,
    async (t) => {
      const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
      const { page, complaints } = await openPage(await openBrowser(t), app, {
        ...{ viewport: NARROW, javaScriptEnabled, hasTouch: true, isMobile: true },
      })
      await page.goto(`http://127.0.0.1:${app.port}/console/`)
      await page.getByRole('link', { name: 'Add the first organization' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Harbour Shelter')
      await page.getByRole('button', { name: 'Add organization' }).click()
      await page.getByRole('link', { name: 'Code is required.' }).click()
      await page.getByLabel('Code', { exact: true }).fill('CO12')
      await assertNotTooWide(page, 'phone')
      await page.getByRole('button', { name: 'Add organization' }).click()
      await page.getByText('Organization added.').waitFor()

      const { name, code } = (await app.get('/v1/organizations/1')).body
      assert.deepEqual([name, code], ['Harbour Shelter', 'CO12'])
      assert.deepEqual(complaints, [])
    },
  )

for (const javaScriptEnabled of [false, true])
  test(
    `animals are put on hold and published from the list, scripts ${javaScriptEnabled ? 'on' : 'off'}`,
    NEEDS_BROWSER,
    async (t) => {
      const { app, at } = await startFull(t)
      const { page, complaints } = await openPage(await openBrowser(t), app, { javaScriptEnabled })
      const reason = page.getByLabel('On hold because')
      await page.goto(at('/console/animals'))
      for (const name of ['Luna', 'Milo', 'Oscar']) await page.getByLabel(`Select ${name}`).check()
      assert.equal(await reason.isVisible(), false)
      await page.getByLabel('Action', { exact: true }).selectOption('Put on hold')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByRole('link', { name: 'Enter why the animals are on hold.' }).click()
      await page.keyboard.type('Kennel cough.')
      await page.keyboard.press('Enter')
      await page.getByText('Done for 2 animals.').waitFor()
      const holds = [1, 3].map(async (id) => (await app.get(`/v1/pets/${id}`)).body.staff.holdReason)
      assert.deepEqual(await Promise.all(holds), ['Kennel cough.', 'Kennel cough.'])
      await page.getByText('The status is “Adopted”.').waitFor()

      await app.patch('/v1/pets/3', { staff: { holdReason: null } })
      await page.goto(at('/console/animals'))
      await page.getByRole('button', { name: 'Publish Milo' }).click()
      await page.getByText('In the gallery without a photo').getByRole('link', { name: 'Milo' }).click()
      await page.getByText('In the gallery without a photo').waitFor()
      assert.deepEqual(complaints, [])
    },
  )

test(
  'dropped and pasted photos are uploaded, and dragging one moves it to the front',
  NEEDS_BROWSER,
  async (t) => {
    const { app, at } = await startFull(t)
    const { page, complaints } = await openPage(await openBrowser(t), app)
    await page.goto(at('/console/animals/3'))
    const bytes = (await picture({ number: 9, width: 300, height: 300 })).toString('base64')
    const give = (kind: 'drop' | 'paste', base64: string) =>
      page.evaluate(`{
      const data = new DataTransfer()
      const bytes = Uint8Array.from(atob(${JSON.stringify(base64)}), (sign) => sign.charCodeAt(0))
      data.items.add(new File([bytes], 'a.jpg', { type: 'image/jpeg' }))
      const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data }
      const event = ${kind === 'drop'} ? new DragEvent('drop', init) : new ClipboardEvent('paste', init)
      document.querySelector('[data-photos] h2').dispatchEvent(event)
    }`)
    await give('drop', bytes)
    await page.getByText('Photos added.').waitFor()
    await page.goto(at('/console/animals/3'))
    await give('paste', (await picture({ number: 10, width: 300, height: 300 })).toString('base64'))
    await page.getByText('Photos added.').waitFor()
    const ids = async () =>
      ((await app.get('/v1/pets/3/photos')).body as { id: number }[]).map(({ id }) => id)
    const before = await ids()
    assert.equal(before.length, 2)

    await page.getByLabel('Name', { exact: true }).fill('Typed before')
    await page.locator('[data-photo] img').nth(1).dragTo(page.locator('[data-photo] img').nth(0))
    await page.getByText('Photos updated.').waitFor()
    assert.deepEqual(await ids(), before.toReversed())
    const makeFirst = page.getByRole('button', { name: 'Make first: photo 2' })
    await makeFirst.press('Enter')
    await until(async () => (await ids())[0] === before[0])
    await page.getByText('Photos updated.').waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed before')

    await give('drop', Buffer.from('not a picture').toString('base64'))
    await page.getByText('This file is not a valid image').waitFor()
    assert.deepEqual(complaints, [])
  },
)

test('leaving a form with unsaved changes asks first; saving does not', NEEDS_BROWSER, async (t) => {
  const { app, at } = await startFull(t)
  const { page, complaints } = await openPage(await openBrowser(t), app)
  let dialogs = 0
  page.on('dialog', async (dialog) => {
    dialogs += 1
    await dialog.dismiss()
  })
  await page.goto(at('/console/animals/1'))
  await page.getByLabel('Name', { exact: true }).fill('Luna again')
  await page.getByRole('link', { name: 'Animals', exact: true }).click()
  await until(() => dialogs === 1)
  assert.equal(page.url(), at('/console/animals/1'))
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Changes saved.').waitFor()
  await page.getByRole('link', { name: 'Animals', exact: true }).click()
  await page.waitForURL(at('/console/animals'))
  assert.equal(dialogs, 1)
  assert.deepEqual(complaints, [])
})

test('the suggested breeds follow the type, in the console and in the gallery', NEEDS_BROWSER, async (t) => {
  const { app, at } = await startFull(t)
  const { page, complaints } = await openPage(await openBrowser(t), app)
  const suggested = page.locator('#breeds option')
  for (const [path, dog, cat] of [
    ['/console/animals/new', '1', '2'],
    ['/animals?sex=female', 'dog', 'cat'],
  ] as const) {
    await page.goto(at(path))
    const type = page.getByLabel('Type', { exact: true })
    assert.equal(await suggested.count(), 0)
    await type.selectOption(dog)
    await suggested.getByText('Affenpinscher', { exact: true }).waitFor({ state: 'attached' })
    await type.selectOption(cat)
    await suggested.getByText('Abyssinian', { exact: true }).waitFor({ state: 'attached' })
    assert.equal(await suggested.getByText('Affenpinscher', { exact: true }).count(), 0)
    await type.selectOption('')
    await until(async () => (await suggested.count()) === 0)
  }
  assert.deepEqual(complaints, [])
})

test('an animal is added with the keyboard alone', NEEDS_BROWSER, async (t) => {
  const { app, at } = await startFull(t)
  const { page, complaints } = await openPage(await openBrowser(t), app)
  await page.goto(at('/console/animals/new'))
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.className'), 'skip')
  await page.keyboard.press('Enter')
  // Skips the summary of the first group.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Pip')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Dog')
  await page.keyboard.press('Enter')
  await page.getByLabel('Name', { exact: true }).press('Enter')
  await page.getByText('Animal added.').waitFor()
  assert.equal((await app.get('/v1/pets?limit=1')).body[0].name, 'Pip')
  assert.deepEqual(complaints, [])
})
