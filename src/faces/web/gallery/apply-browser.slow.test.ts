import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertGoodPage, NEEDS_BROWSER, openBrowser } from '../../../testing/browser.ts'
import { signIn } from '../../../testing/console.ts'
import { startApp, UNLIMITED } from '../../../testing/start-app.ts'

const QUESTIONS = [
  { id: 'garden', text: 'Do you have a garden?', kind: 'yesNo', required: true },
  { id: 'home', text: 'How do you live?', kind: 'choice', options: [...'ABCDEFGH'], required: false },
  { id: 'pets', text: 'Which animals live with you?', kind: 'text', required: false },
]

test(
  'application on a phone without JavaScript, and its approval by staff: work, and the pages pass axe',
  NEEDS_BROWSER,
  async (t) => {
    const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
    await app.post('/v1/organizations', { name: 'Harbour', code: 'CO12', applicationQuestions: QUESTIONS })
    await app.post('/v1/pets', { name: 'Luna', categoryId: 1, status: 'available', organizationId: 1 })
    const at = (path: string) => `http://127.0.0.1:${app.port}${path}`
    const browser = await openBrowser(t)
    const phone = { viewport: { width: 320, height: 640 }, locale: 'en-US' }
    const visitor = await browser.newContext({ ...phone, javaScriptEnabled: false })
    const page = await visitor.newPage()
    const browserErrors: string[] = []
    page.on('console', (message) => {
      // The browser logs the 400 of the refused form.
      if (!message.text().includes('status of 400')) browserErrors.push(message.text())
    })
    await page.goto(at('/animals/1/apply'))
    app.clock.now += 60_000
    await page.getByRole('button', { name: 'Send application' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('link', { name: 'Enter your name.' }).click()
    await page.keyboard.type('Kim Doe')
    await page.getByLabel('E-mail').fill('kim@doe.example')
    await page.getByRole('group', { name: 'Do you have a garden?' }).getByLabel('Yes').check()
    await page.getByLabel('How do you live?').selectOption('C')
    await page.getByRole('button', { name: 'Send application' }).click()
    await page.getByText('Your application was sent').waitFor()
    const applicantUrl = page.url()

    const desk = await browser.newContext({ ...phone, bypassCSP: true })
    const url = at('/').replace('http:', 'https:')
    const { token } = await signIn(app, { organizationId: 1, role: 'manager' })
    await desk.addCookies([{ name: '__Host-session', value: token, url, secure: true, httpOnly: true }])
    const staff = await desk.newPage()
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [320, 1280]) {
        await staff.emulateMedia({ colorScheme })
        await staff.setViewportSize({ width, height: 900 })
        const paths = ['/console/', '/console/applications', '/console/applications?petId=1']
        const more = ['/console/applications/1', '/console/organizations/1/questions', '/animals/1/apply']
        for (const path of [...paths, ...more, new URL(applicantUrl).pathname]) {
          await staff.goto(at(path))
          await assertGoodPage(staff, `${path} ${colorScheme} ${width}`)
        }
      }
    await staff.goto(at('/animals/1/apply'))
    await staff.getByRole('button', { name: 'Send application' }).click()
    await staff.getByRole('alert').waitFor()
    await assertGoodPage(staff, 'refused form')
    await staff.goto(at('/console/'))
    await staff.getByRole('link', { name: '1 application needs a decision' }).click()
    await staff.getByRole('link', { name: 'Kim Doe' }).click()
    await staff.getByLabel('Reply to the applicant').fill('Come on Saturday.')
    await staff.getByRole('button', { name: 'Approve' }).click()
    await staff.getByText('Application approved').waitFor()
    await assertGoodPage(staff, 'approved')
    await staff.getByRole('button', { name: 'Complete adoption' }).click()
    await staff.getByText('this animal has a home').waitFor()

    await page.goto(applicantUrl)
    await page.getByText('Come on Saturday.').waitFor()
    await page.getByRole('heading', { name: 'Adoption complete' }).waitFor()
    assert.deepEqual(browserErrors, [])
  },
)
