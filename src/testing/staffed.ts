import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { invite } from '../staff/join.ts'
import type { NewPerson } from '../staff/roles.ts'
import { browseAs, sendForm, tokenOf } from './console.ts'
import { startApp } from './start-app.ts'

// People who sign in to the console with a password or a link.

export const PASSWORD = 'correct horse battery'
export const BEN: NewPerson = { email: 'ben@shelter.example', name: 'Ben Lim', role: 'staff' }
export const SIGN_IN = '/console/sign-in'

export async function startConsole(t: TestContext, options: Parameters<typeof startApp>[1] = {}) {
  const app = await startApp(t, options)
  const { context } = app.service
  const send = (path: string, fields: Record<string, string>, headers = {}) =>
    sendForm(app, path, fields, headers)
  const join = async (person: NewPerson = BEN) => {
    const { token, staffId } = await invite(context, person, undefined)
    const answer = await send(`/console/join/${token}`, { name: person.name, password: PASSWORD })
    assert.equal(answer.status, 303, answer.text)
    return { staffId, token: tokenOf(answer) }
  }
  return {
    app,
    context,
    send,
    join,
    signIn: (email = BEN.email, password = PASSWORD, more = {}, headers = {}) =>
      send(SIGN_IN, { email, password, ...more }, headers),
    get: (path: string, headers = {}) => app.get(path, { authorization: undefined, ...headers }),
    isIn: async (token: string) => (await browseAs(app, token).get('/console/')).status === 200,
  }
}
