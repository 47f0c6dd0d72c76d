import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { applyFor } from '../../testing/applicant.ts'
import { NEEDS_BROWSER, openBrowser } from '../../testing/browser.ts'
import { signIn } from '../../testing/console.ts'
import { startGallery } from '../../testing/gallery.ts'
import { addHostile, hostileText, SCRIPT } from '../../testing/hostile.ts'
import { until } from '../../testing/redis.ts'
import { startSite } from '../../testing/site.ts'
import type { TestApp } from '../../testing/start-app.ts'
import { PAGES } from './console/pages.ts'

/** A browser page of a signed-in admin. */
async function openAsAdmin(t: TestContext, app: TestApp) {
  const { token } = await signIn(app, { role: 'admin', name: hostileText(200) })
  const at = `http://127.0.0.1:${app.port}`
  const context = await (await openBrowser(t)).newContext({ locale: 'en-US' })
  // The cookie as our answer sets it.
  const cookie = { name: '__Host-session', value: token, secure: true, httpOnly: true } as const
  await context.addCookies([{ ...cookie, sameSite: 'Lax', url: at.replace('http:', 'https:') }])
  return { page: await context.newPage(), at }
}

test(
  'no page of gallery or console violates its Content-Security-Policy or runs hostile text',
  NEEDS_BROWSER,
  async (t) => {
    const app = await startGallery(t)
    const { id, code } = await addHostile(app)
    const link = await applyFor(app, id, { name: hostileText(200), message: SCRIPT })
    const { page, at } = await openAsAdmin(t, app)
    const complaints: string[] = []
    page.on('dialog', (dialog) => {
      complaints.push(`${page.url()}: an injected script ran`)
      return dialog.dismiss()
    })
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`))
    page.on('console', (message) => {
      const [type, text] = [message.type(), message.text()]
      // The browser logs the status of error pages.
      if (['error', 'warning'].includes(type) && !/status of (?:4\d\d|503) /.test(text))
        complaints.push(`${page.url()}: ${text}`)
    })
    // Browsers download .csv files instead of showing them.
    const ofConsole = Object.keys(PAGES).flatMap((name) =>
      name.startsWith('GET ') && !name.endsWith('.csv')
        ? [`/console${name.slice(4).replace(/:\w+/, '1')}`]
        : [],
    )
    const all = [
      ...['/', '/animals', '/animals?kind=none', `/animals/${id}`, `/animals/${id}/apply`, link, '/nowhere'],
      ...[`/organizations/${code}`, `/embed?organization=${code}`, '/embed?organization=none'],
      ...[...ofConsole, '/console/applications?petId=1'],
    ]
    for (const path of all) {
      const answer = await page.goto(at + path, { waitUntil: 'load' })
      assert.match(String(answer?.headers()['content-security-policy']), /script-src 'self'/, path)
    }
    // Check the page of a refused form, too.
    await page.goto(`${at}/console/animals/new`)
    await page.getByRole('button', { name: 'Add animal' }).click()
    await page.getByRole('alert').waitFor()
    assert.deepEqual(complaints, [])
  },
)

test(
  'a site on another port or host cannot change anything for its visitor, or frame any page except /embed',
  NEEDS_BROWSER,
  async (t) => {
    const app = await startGallery(t)
    await app.shelter({ code: 'CO12' })
    await app.add({ name: 'Rex', organizationId: 1 })
    const { page, at } = await openAsAdmin(t, app)
    const site = await startSite(
      t,
      `<!doctype html><title>Elsewhere</title>
<iframe src="${at}/console/"></iframe><iframe src="${at}/"></iframe>
<iframe src="${at}/embed?organization=CO12"></iframe>
<form method="post" action="${at}/console/animals/1"><input name="name" value="Max"><button>Change</button></form>
<form method="post" action="${at}/console/sign-out"><button>Sign out</button></form>
<form method="post" action="${at}/animals/1/apply"><button>Apply</button></form>`,
    )
    // The first origin is the same site, so its requests carry the cookie. The other is another site.
    for (const elsewhere of [site, site.replace('127.0.0.1', 'localhost')])
      for (const button of ['Change', 'Sign out', 'Apply']) {
        await page.goto(elsewhere)
        // A blocked resource can be reported after the page has loaded.
        await until(async () => {
          const urls = page.frames().map((frame) => frame.url())
          const refused = urls.filter((url) => url.startsWith('chrome-error:'))
          return refused.length === 2 && urls.at(-1) === `${at}/embed?organization=CO12`
        })
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.request().method() === 'POST'),
          page.getByRole('button', { name: button }).click(),
        ])
        assert.equal(answer.status(), 403, `${button} from ${elsewhere}`)
      }
    assert.equal((await app.get('/v1/pets/1')).body.name, 'Rex')
    await page.goto(`${at}/console/`)
    assert.equal(page.url(), `${at}/console/`, 'still signed in')
    await page.goto(`${at}/console/animals/1`)
    await page.getByLabel('Name', { exact: true }).fill('Max')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Changes saved.').waitFor()
  },
)
