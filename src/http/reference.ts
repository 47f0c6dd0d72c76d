import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import type { App } from './app.ts'
import { etagOf, isKnown } from './conditional.ts'
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
  // Each file is what its type says, whatever it looks like.
  'x-content-type-options': 'nosniff',
  // Kept, but asked for each time: an upgrade or another setting changes it.
  'cache-control': 'no-cache',
}

interface Held {
  type: string
  body: Buffer
  etag: string
}

const PATHS = ['/docs', '/docs/', '/docs/reference.css', '/docs/reference.js']

/** The API reference under /docs, which can send requests. */
export function reference(app: App, config: Config): void {
  let files: Promise<Map<string, Held>> | undefined

  for (const path of PATHS) {
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      files ??= make(app, config)
      const { type, body, etag } = (await files).get(path) as Held
      reply.headers({ ...HEADERS, etag })
      if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type(`${type}; charset=utf-8`).send(body)
    })
  }
}

/** Made when somebody first asks, and held once, however many clients are slow to take it. */
async function make(app: App, config: Config): Promise<Map<string, Held>> {
  const script = await readFile(new URL('./reference/try-it.js', import.meta.url), 'utf8')
  const page = hold('text/html', renderPage(app.swagger() as unknown as Description, config))
  return new Map([
    ['/docs', page],
    ['/docs/', page],
    ['/docs/reference.css', hold('text/css', STYLESHEET)],
    ['/docs/reference.js', hold('text/javascript', script)],
  ])
}

function hold(type: string, text: string): Held {
  return { type, body: Buffer.from(text), etag: etagOf(text) }
}
