import type { OutgoingHttpHeaders } from 'node:http'
import type { Answer } from './client.ts'
import { formIn, sendForm } from './console.ts'
import type { TestApp } from './start-app.ts'

// Requests of a visitor without a key or an account, as a browser sends them.

type Fields = Record<string, string>

export const visit = (app: TestApp, path: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> =>
  app.request(path, { headers: { authorization: undefined, ...headers } })

export const PERSON = { name: 'Kim Doe', email: 'kim@doe.example' }

/** Opens the application form and waits long enough for a person. @returns its fields */
export async function openForm(app: TestApp, petId: number): Promise<Fields> {
  const path = `/animals/${petId}/apply`
  const form = formIn((await visit(app, path)).text, path)
  app.clock.now += 60_000
  return form
}

/** Applies for an animal with the form. @returns the address of the applicant's page */
export async function applyFor(app: TestApp, petId: number, fields: Fields = {}): Promise<string> {
  const path = `/animals/${petId}/apply`
  const form = await openForm(app, petId)
  const { status, headers, text } = await sendForm(app, path, { ...form, ...PERSON, ...fields })
  if (status !== 303) throw new Error(`the application was refused: ${status} ${text}`)
  return String(headers.location).split('?', 1)[0] as string
}
