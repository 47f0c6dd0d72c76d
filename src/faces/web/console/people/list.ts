import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { type Html, html } from '../../../../http/html.ts'
import * as staff from '../../../../staff/store.ts'
import type { Texts } from '../../texts/texts.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { afterIn, PAGE, paged } from '../pager.ts'
import { PREFIX } from '../pages.ts'

export const PEOPLE = `${PREFIX}/people`

/** Everybody with an account, as far as somebody decides about them. */
export function listPeople(app: App, { db }: Context): void {
  app.get('/people', async (request) => {
    const { people } = wordsFor(request).words
    const { organizationId } = request.caller
    const after = afterIn(request)
    const part = { organizationId, limit: PAGE + 1, ...(after !== undefined && { after }) }
    const { rows, pager } = paged(request, await staff.list(db, part), PEOPLE)
    const main = html`<div class="head"><h1>${people.title}</h1>
<a class="button" href="${PEOPLE}/new">${people.invite}</a></div>
<p class="lead">${people.lead}</p>
<ul class="rows">${rows.map((person) => row(person, request))}</ul>${pager}`
    return consolePage(request, { title: people.title, main })
  })
}

function row(person: staff.Staff, request: FastifyRequest): Html {
  const { words } = wordsFor(request)
  const { id, name, email } = person
  return html`<li><div class="about"><a href="${PEOPLE}/${id}">${name}</a>
${id === request.caller.staff?.id && html`<span class="tag">${words.people.you}</span>`}<small>${email}</small></div>
<div class="state"><span class="tag">${words.roles[person.role]}</span> <small>${placeOf(person, words)}${
    person.password === null && html` · ${words.people.invited}`
  }</small></div></li>`
}

/** The organization that somebody belongs to, or everything. */
export function placeOf(
  { organization }: Pick<staff.Staff, 'organization'>,
  { people }: Texts['console'],
): string {
  return organization ?? people.everywhere
}
