import { hash, randomBytes } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Role } from '../access.ts'
import { changes } from '../db/change.ts'
import { sessionCookie } from '../staff/session-cookie.ts'
import type { Answer } from './client.ts'
import type { TestApp } from './start-app.ts'

// Requests of staff in the console, as a browser sends them.

interface Account {
  role?: Role
  name?: string
  organizationId?: number
}

/** The values of each field of a form. */
type Fields = Record<string, string | string[] | undefined>

export interface Person {
  /** The session token, for a real browser. */
  token: string
  get(path: string, headers?: OutgoingHttpHeaders): Promise<Answer>
  /** Sends a form with these fields. */
  send(path: string, fields: Fields, headers?: OutgoingHttpHeaders): Promise<Answer>
  /** Opens a page and sends its form with some fields changed. The value undefined omits a field. */
  fill(path: string, fields: Fields, action?: string): Promise<Answer>
}

let people = 0

/** Creates an account and signs in. */
export async function signIn(
  app: TestApp,
  { role = 'staff', name = 'Ana Ruiz', organizationId }: Account = {},
): Promise<Person> {
  const { write } = app.service.context
  people += 1
  const token = randomBytes(32).toString('base64url')
  const link = hash('sha256', `link ${people}`)
  const person = { email: `person${people}@shelter.example`, name, role, organizationId }
  await write(changes.inviteStaff, person, undefined, link, app.clock.now)
  const use = { password: 'none that opens', session: hash('sha256', token) }
  await write(changes.followLink, link, use, app.clock.now)
  return browseAs(app, token)
}

/** Returns a person whose browser already has a session. */
export function browseAs(app: TestApp, token: string): Person {
  const own = { authorization: undefined, ...cookieOf(token) }
  const person: Person = {
    token,
    get: (path, headers = {}) => app.request(path, { headers: { ...own, ...headers } }),
    send: (path, fields, headers = {}) => sendForm(app, path, fields, { ...own, ...headers }),
    async fill(path, fields, action = path) {
      const page = await person.get(path)
      return person.send(action, { ...formIn(page.text, action), ...fields })
    },
  }
  return person
}

/** Sends a form as a browser without a session. */
export function sendForm(
  app: TestApp,
  path: string,
  fields: Fields,
  headers: OutgoingHttpHeaders = {},
): Promise<Answer> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  return app.request(path, {
    method: 'POST',
    headers: { authorization: undefined, ...form, ...headers },
    body: String(new URLSearchParams(definedFields(fields))),
  })
}

/** The token of the session that a response begins; empty if the response begins no session. */
export function tokenOf({ headers }: Answer): string {
  const [cookie = ''] = headers['set-cookie'] ?? []
  return /^__Host-session=([^;]*)/.exec(cookie)?.[1] ?? ''
}

/** The cookies that a browser still sends after this response when its session has ended. */
export function browserOf({ headers }: Answer): { cookie: string } {
  const [, cookie = ''] = headers['set-cookie'] ?? []
  return { cookie: /^__Host-browser=[^;]*/.exec(cookie)?.[0] ?? '' }
}

/** The cookie header of a browser with this session token. */
export function cookieOf(token: string): { cookie: string } {
  const [cookie = ''] = sessionCookie(token).split(';')
  return { cookie }
}

const definedFields = (fields: Fields): [string, string][] =>
  Object.entries(fields).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )

const SIGNS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

/** Decodes the HTML escapes that the pages use. */
export const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (sign) => SIGNS[sign] as string)

/** The fields of the form with this action, with their values. */
export function formIn(page: string, action: string): Record<string, string> {
  const start = page.indexOf(` action="${action}"`)
  if (start < 0) throw new Error(`no form has the action ${action}`)
  const form = page.slice(start, page.indexOf('</form>', start))
  const fields: Record<string, string> = {}
  for (const [, tag = ''] of form.matchAll(/<input ([^>]*)>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1]
    const isOff = /type="(?:checkbox|radio)"/.test(tag) && !tag.includes(' checked')
    if (name && !isOff) fields[name] = unescaped(/value="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  for (const [, name = '', text = ''] of form.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>\n?([^<]*)</g))
    fields[name] = unescaped(text)
  for (const [, name = '', options = ''] of form.matchAll(
    /<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs,
  ))
    fields[name] = unescaped(/value="([^"]*)" selected/.exec(options)?.[1] ?? '')
  return fields
}
