import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { changes } from '../../../../db/change.ts'
import { newToken } from '../../../../http/token.ts'
import { assertGoodInAllColors, NEEDS_BROWSER, openBrowser } from '../../../../testing/browser.ts'
import { PASSWORD } from '../../../../testing/staffed.ts'
import { startApp } from '../../../../testing/start-app.ts'

const WIDE = { width: 1280, height: 900 }

/** The name of the focused control; empty after the last one. */
const FOCUSED =
  'document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent ?? ""'

/** Moves to a control with the keyboard alone. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    await page.keyboard.press('Tab')
    const label = await page.evaluate<string>(FOCUSED)
    if (label.trim().startsWith(name)) return
  }
  assert.fail(`no Tab leads to ${name}`)
}

async function fill(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

test(
  'first link, invitation and sign-out work with the keyboard alone and scripts off',
  NEEDS_BROWSER,
  async (t) => {
    const app = await startApp(t, { settings: { BASE_URL: '' } })
    const { token, hash } = newToken()
    await app.service.context.write(changes.insertFirstLink, hash, app.clock.now)
    const browser = await openBrowser(t)
    const openPage = async () => {
      const page = await (await browser.newContext({ javaScriptEnabled: false, locale: 'en-US' })).newPage()
      return page
    }
    const at = (path: string): string => `http://localhost:${app.port}${path}`
    const page = await openPage()
    await page.goto(at(`/console/join/${token}`))
    await fill(page, 'Your name', 'Ana Ruiz')
    await fill(page, 'E-mail address', 'ana@shelter.example')
    await fill(page, 'Password', 'short')
    await page.keyboard.press('Enter')
    await page.getByText('The password must have at least 12 characters.').first().waitFor()
    await fill(page, 'Password', PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText('Welcome! You are signed in.').waitFor()

    // A key pressed during a navigation reaches neither page.
    await press(page, 'People')
    await page.waitForURL(at('/console/people'))
    await press(page, 'Invite someone')
    await page.waitForURL(at('/console/people/new'))
    await fill(page, 'Name', 'Kim Doe')
    await fill(page, 'E-mail address', 'kim@shelter.example')
    await press(page, 'Create invitation')
    await page.getByText('Invitation for Kim Doe').first().waitFor()
    const link = new URL(await page.getByLabel('Link').inputValue())

    const other = await openPage()
    await other.goto(at(link.pathname))
    await fill(other, 'Password', `${PASSWORD} too`)
    await other.keyboard.press('Enter')
    await other.getByText('Welcome! You are signed in.').waitFor()
    await press(other, 'Sign out')
    await other.getByText('You are signed out.').waitFor()
    await other.goto(at('/console/animals?q=a'))
    await fill(other, 'E-mail address', 'kim@shelter.example')
    await fill(other, 'Password', `${PASSWORD} too`)
    await other.keyboard.press('Enter')
    await other.waitForURL(at('/console/animals?q=a'))
  },
)

test('the pages of people and keys pass axe and fit the screen', NEEDS_BROWSER, async (t) => {
  const app = await startApp(t, { key: { access: 'admin', plan: 'business' } })
  await app.post('/v1/organizations', { name: 'Harbour Shelter', code: 'CO12' })
  const { token, hash } = newToken()
  await app.service.context.write(changes.insertFirstLink, hash, app.clock.now)
  const at = (path: string): string => `http://localhost:${app.port}${path}`
  const browser = await openBrowser(t)
  const context = await browser.newContext({ viewport: WIDE, locale: 'en-US', bypassCSP: true })
  const page = await context.newPage()
  const check = (about: string): Promise<void> => assertGoodInAllColors(page, about, [1280, 320])
  await page.goto(at('/console/sign-in'))
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Show' }).click()
  assert.equal(await page.getByLabel('Password').getAttribute('type'), 'text')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await check('sign-in')
  await page.goto(at('/console/join/none'))
  await check('over')
  await page.goto(at(`/console/join/${token}`))
  await check('link')
  await page.getByLabel('Your name').fill(`Ana ${'W'.repeat(190)}`)
  await page.getByLabel('E-mail address').fill('ana@shelter.example')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('Welcome! You are signed in.').waitFor()

  await page.goto(at('/console/people/new'))
  await page.getByRole('button', { name: 'Create invitation' }).click()
  await page.getByRole('alert').waitFor()
  await check('invite')
  await page.getByLabel('Name', { exact: true }).fill('Kim Doe')
  await page.getByLabel('E-mail address').fill('kim@shelter.example')
  await page.getByLabel('Organization', { exact: true }).selectOption('Harbour Shelter (CO12)')
  await page.getByRole('button', { name: 'Create invitation' }).click()
  await page.getByText('Invitation for Kim Doe').first().waitFor()
  await check('link-shown')
  await page.goto(at('/console/keys/new'))
  await check('make-key')
  await page.getByLabel('Name', { exact: true }).fill('Our website')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Key “Our website” created').first().waitFor()
  await check('key-shown')
  for (const path of [
    'people',
    'people/1',
    'people/2',
    'people/2/remove',
    'keys',
    'keys/4',
    'keys/4/revoke',
    'account',
  ]) {
    await page.goto(at(`/console/${path}`))
    await check(path.replaceAll('/', '-'))
  }
})
