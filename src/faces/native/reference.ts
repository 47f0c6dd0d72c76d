import { readFile } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import type { App } from '../../http/app.ts'
import { type Held, hold, sendHeld } from '../../http/held.ts'
import { JSON_TYPE } from '../../http/send-error.ts'
import type { Description } from './reference/description.ts'
import { renderPage } from './reference/page.ts'
import { STYLESHEET } from './reference/stylesheet.ts'

/** The page needs nothing from elsewhere, runs no script but its own, and is in nobody's frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The empty icon, which keeps browsers from asking for one.
  'img-src data:',
  // "Try it" sends to the server that the page came from.
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  // Forms are sent by the script; without it none may put what was typed into an address.
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  // A page in which somebody types a key is in no group with one of another origin that opened it.
  'cross-origin-opener-policy': 'same-origin',
  // Nobody outside has to know the address of a service that may be internal.
  'referrer-policy': 'no-referrer',
}

const PATHS = ['/docs', '/docs/', '/docs/reference.css', '/docs/reference.js']

/** Everybody may read this one: tools on web pages generate clients from it. */
export const DESCRIPTION = '/openapi.json'

/** What the API says of itself, without key: its description, and its reference under /docs. */
export function referenceRoutes(app: App, config: Config): void {
  let description: Held | undefined
  app.get(DESCRIPTION, async (request, reply) => {
    description ??= hold(JSON_TYPE, JSON.stringify(await app.describe()))
    return sendHeld(request, reply, description)
  })
  let files: Promise<Map<string, Held>> | undefined

  for (const path of PATHS) {
    app.get(path, async (request, reply) => {
      files ??= make(app, config)
      const held = (await files).get(path) as Held
      return sendHeld(request, reply.headers(HEADERS), held)
    })
  }
}

/** Made when somebody first asks, and held once, however many clients are slow to take it. */
async function make(app: App, config: Config): Promise<Map<string, Held>> {
  const script = await readFile(new URL('./reference/try-it.js', import.meta.url), 'utf8')
  const page = hold('text/html; charset=utf-8', renderPage((await app.describe()) as Description, config))
  return new Map([
    ['/docs', page],
    ['/docs/', page],
    ['/docs/reference.css', hold('text/css; charset=utf-8', STYLESHEET)],
    ['/docs/reference.js', hold('text/javascript; charset=utf-8', script)],
  ])
}
