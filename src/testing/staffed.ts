import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { invite } from '../staff/join.ts'
import type { NewPerson } from '../staff/person.ts'
import { browsing } from './console.ts'
import { cookieOf, OWN_PAGE } from './desk-face.ts'
import { startApp } from './start-app.ts'

// People who come to the console with a password or a link.

export const PASSWORD = 'correct horse battery'
export const BEN: NewPerson = { email: 'ben@shelter.example', name: 'Ben Lim', role: 'staff' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const SIGN_IN = '/console/sign-in'

export async function startConsole(t: TestContext, options: Parameters<typeof startApp>[1] = {}) {
  const app = await startApp(t, options)
  const { context } = app.service
  const send = (path: string, fields: Record<string, string>, headers = {}) =>
    app.request(path, {
      method: 'POST',
      headers: { authorization: undefined, ...FORM, ...OWN_PAGE, ...headers },
      body: String(new URLSearchParams(fields)),
    })
  const join = async (person: NewPerson = BEN) => {
    const { token, staffId } = await invite(context, person, undefined)
    const answer = await send(`/console/join/${token}`, { name: person.name, password: PASSWORD })
    assert.equal(answer.status, 303, answer.text)
    return { staffId, token: tokenOf(cookieOf(answer).cookie) }
  }
  return {
    app,
    context,
    send,
    join,
    signIn: (email = BEN.email, password = PASSWORD, more = {}, headers = {}) =>
      send(SIGN_IN, { email, password, ...more }, headers),
    get: (path: string, headers = {}) => app.get(path, { authorization: undefined, ...headers }),
    isIn: async (token: string) => (await browsing(app, token).get('/console/')).status === 200,
  }
}

export const tokenOf = (cookie: string): string => cookie.split('=')[1] ?? ''
