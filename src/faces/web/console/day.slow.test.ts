import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { applyFor } from '../../../testing/applicant.ts'
import { assertGoodPage, NEEDS_BROWSER, openBrowser } from '../../../testing/browser.ts'
import { doJobs } from '../../../testing/jobs.ts'
import { picture } from '../../../testing/pictures.ts'
import { linesOf, startSmtp, subjectOf } from '../../../testing/smtp-server.ts'
import { BEN, PASSWORD, startConsole } from '../../../testing/staffed.ts'
import { UNLIMITED } from '../../../testing/start-app.ts'

const WIDE = { viewport: { width: 1280, height: 900 }, locale: 'en-US' }
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const SHELTER = 'shelter@harbour.example'
const LUCIA = 'lucia@ortega.example'
const LEE = { name: 'Lee Park', email: 'lee@park.example', message: 'I work from home.' }

const QUESTIONS = [
  { id: 'garden', text: 'Do you have a garden?', kind: 'yesNo', required: true },
  { id: 'alone', text: 'How long would Pip be alone?', kind: 'text', required: false },
]

/** A shelter that sends e-mails, with Ben, who works there. */
async function startDay(t: TestContext) {
  const smtp = await startSmtp(t)
  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'no-reply@harbour.example',
  }
  const { app, join } = await startConsole(t, { key: { ...UNLIMITED, access: 'admin' }, settings })
  const shelter = { code: 'CO12', name: 'Harbour Shelter', email: SHELTER, applicationQuestions: QUESTIONS }
  assert.equal((await app.post('/v1/organizations', shelter)).status, 201)
  await join({ ...BEN, organizationId: 1 })
  const browser = await openBrowser(t)
  const errors: string[] = []
  /** Sends the waiting e-mails. @returns the new e-mails */
  const deliver = async () => {
    await doJobs(app.service.context)
    return smtp.emails.splice(0).map(({ to, data }) => ({ to: String(to), subject: subjectOf(data), data }))
  }
  return {
    ...{ app, errors, deliver },
    at: (path: string): string => `http://localhost:${app.port}${path}`,
    open: (options: BrowserContextOptions): Promise<Page> => openPage(browser, errors, options),
  }
}

type Day = Awaited<ReturnType<typeof startDay>>

async function openPage(browser: Browser, errors: string[], options: BrowserContextOptions) {
  const context = await browser.newContext({ ...options, bypassCSP: true })
  const page = await context.newPage()
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text())
  })
  return page
}

async function signIn({ at }: Day, page: Page): Promise<void> {
  await page.goto(at('/console/'))
  await page.waitForURL(/sign-in/)
  await assertGoodPage(page, 'sign-in')
  await page.getByLabel('E-mail address').fill(BEN.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await assertGoodPage(page, 'overview')
}

/** An animal arrives in the morning. Ben adds and publishes it with his phone. */
async function takeIn(day: Day): Promise<void> {
  const page = await day.open({ ...PHONE, locale: 'en-US' })
  await signIn(day, page)
  await page.getByRole('link', { name: 'Add an animal' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Pip')
  await page.getByLabel('Type', { exact: true }).selectOption('Dog')
  await page.getByLabel('Sex').selectOption('Female')
  await page.locator('summary', { hasText: 'Staff only' }).click()
  await page.getByLabel('Microchip').fill('985 112 006 543 210')
  await page.getByLabel('Intake date').fill('2026-11-21')
  await page.getByLabel('Kennel', { exact: true }).fill('B7')
  const photo = {
    name: 'pip.jpg',
    mimeType: 'image/jpeg',
    buffer: await picture({ width: 800, height: 600 }),
  }
  await page.getByLabel('Add photos').setInputFiles(photo)
  await assertGoodPage(page, 'intake')
  await page.getByRole('button', { name: 'Add animal' }).click()
  await page.getByText('Animal and photos added.').waitFor()
  await page.getByText('In care for 10 days').waitFor()
  const second = await picture({ number: 2, width: 600, height: 800 })
  await page.getByLabel('Add photos').setInputFiles({ ...photo, name: 'second.jpg', buffer: second })
  await page.getByText('Photos added.').waitFor()
  await page.getByRole('button', { name: 'Make first: photo 2' }).click()
  await page.getByText('Photos updated.').waitFor()
  await page.getByRole('button', { name: 'Publish in the gallery' }).click()
  await page.getByText('The animal is now in the gallery.').waitFor()
  await assertGoodPage(page, 'published animal')
  await page.context().close()
}

/** Lucía applies in Spanish. @returns the address of her application */
async function apply(day: Day): Promise<string> {
  const page = await day.open({ ...PHONE, locale: 'es-ES' })
  await page.goto(day.at('/animals'))
  await page.getByRole('link', { name: 'Pip' }).click()
  await assertGoodPage(page, 'animal in Spanish')
  await page.getByRole('link', { name: 'Solicitar la adopción de Pip' }).last().click()
  await page.getByLabel('Su nombre').fill('Lucía Ortega')
  await page.getByLabel('Correo electrónico').fill(LUCIA)
  await page.getByRole('group', { name: 'Do you have a garden?' }).getByLabel('Sí').check()
  await page.getByLabel('How long would Pip be alone?').fill('Dos horas.')
  await assertGoodPage(page, 'application in Spanish')
  day.app.clock.now += 60_000
  await page.getByRole('button', { name: 'Enviar la solicitud' }).click()
  await page.getByText('Su solicitud se envió.').waitFor()
  await assertGoodPage(page, 'status in Spanish')
  const { pathname } = new URL(page.url())
  await page.context().close()
  return pathname
}

/** Ben compares both applications, and approves Lucía's. */
async function decide(day: Day, page: Page): Promise<void> {
  await signIn(day, page)
  await page.getByRole('link', { name: '2 applications need a decision' }).click()
  await page.getByRole('heading', { name: 'Applications', exact: true }).waitFor()
  await assertGoodPage(page, 'queue')
  await page.getByRole('link', { name: 'Compare 2 side by side' }).click()
  await page.getByText('I work from home.').waitFor()
  await assertGoodPage(page, 'comparison')
  await page.getByLabel('Compare the answers to').selectOption('How long would Pip be alone?')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('I work from home.').waitFor({ state: 'detached' })
  await page.getByText('Dos horas.').waitFor()
  await assertGoodPage(page, 'one question')
  await page.getByRole('link', { name: 'Lucía Ortega', exact: true }).click()
  await page.getByRole('button', { name: 'Start review' }).click()
  await page.getByText('The application is now in review.').waitFor()
  await page.getByLabel('Reply to the applicant').fill('Venga el sábado.')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Application approved.').waitFor()
  await assertGoodPage(page, 'approved application')
}

/** The family takes the animal home. */
async function adopt(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('link', { name: 'Pip', exact: true }).click()
  await page.getByRole('link', { name: 'Mark as adopted' }).click()
  assert.equal(await page.getByLabel('Lucía Ortega (Approved)').isChecked(), true)
  await page.getByText('People who applied with the form get an e-mail').waitFor()
  await assertGoodPage(page, 'who adopts')
  await page.getByRole('button', { name: 'Mark as adopted' }).click()
  await page.getByText('Animal marked as adopted.').waitFor()
  await assertGoodPage(page, 'adopted animal')
}

/** A vet asks about a chip, and Ben looks for its animal. */
async function findByChip({ at }: Day, page: Page): Promise<void> {
  await page.goto(at('/console/animals'))
  await page.getByRole('searchbox').fill('985.112.006.543210')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Pip', exact: true }).waitFor()
  await assertGoodPage(page, 'found by chip')
}

/** The number of sheets that a page needs. */
async function countSheets(page: Page, format: string): Promise<number> {
  const pdf = await page.pdf({ format, preferCSSPageSize: true })
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
}

test(
  'a day of a shelter: intake, photos, applications, decision, adoption, statistics',
  NEEDS_BROWSER,
  async (t) => {
    const day = await startDay(t)
    const { app, at, deliver } = day
    await takeIn(day)
    const application = await apply(day)
    await applyFor(app, 1, { ...LEE, 'q-garden': 'no', 'q-alone': 'All day.' })

    const [receipt, ...others] = await deliver()
    assert.deepEqual([receipt?.to, receipt?.subject], [LUCIA, 'Su solicitud de adopción de Pip'])
    assert.ok(linesOf(receipt?.data ?? '').includes(`http://pets.example${application}`))
    assert.deepEqual(new Set(others.map(({ to }) => to)), new Set([LEE.email, SHELTER]))

    const page = await day.open(WIDE)
    await decide(day, page)
    const [approval, ...none] = await deliver()
    assert.equal(approval?.to, LUCIA)
    assert.ok(linesOf(approval?.data ?? '').includes('Venga el sábado.'))
    assert.deepEqual(none, [])

    await t.test('the kennel card, the poster, the application and its record fit on one sheet', async () => {
      const application = 'applications/1'
      for (const path of [
        'animals/1/kennel-card',
        'animals/1/poster',
        application,
        `${application}/record`,
      ]) {
        await page.goto(at(`/console/${path}`))
        await assertGoodPage(page, path)
        for (const format of ['A4', 'Letter'])
          assert.equal(await countSheets(page, format), 1, `${path} ${format}`)
      }
      await page.goto(at('/console/applications/1'))
    })

    await adopt(page)
    const news = (await deliver()).map(({ to, subject }) => `${to}: ${subject}`)
    assert.deepEqual(news.toSorted(), [
      `${LEE.email}: Your application to adopt Pip: declined`,
      `${LUCIA}: Su solicitud de adopción de Pip: adopción completada`,
    ])

    await findByChip(day, page)
    await page.getByRole('link', { name: 'Statistics' }).click()
    await page.getByRole('row', { name: 'Dog 1 1 0 0 0' }).waitFor()
    await assertGoodPage(page, 'statistics')
    const counted = (await app.get('/v1/statistics?months=2')).body
    assert.deepEqual(
      counted.months.map(({ intakes, adopted }: Record<string, number>) => [intakes, adopted]),
      [
        [1, 0],
        [0, 1],
      ],
    )
    assert.deepEqual(
      [counted.lengthOfStay.median, counted.liveReleaseRate, counted.applications.received],
      [10, 1, 2],
    )
    await page.goto(at('/animals'))
    assert.equal(await page.getByRole('link', { name: 'Pip' }).count(), 0)
    assert.deepEqual(day.errors, [])
  },
)
