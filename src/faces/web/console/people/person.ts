import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Role } from '../../../../access.ts'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { type FormBody, textIn } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { authorityOf } from '../../../../staff/accounts.ts'
import { reset } from '../../../../staff/join.ts'
import { MOST_NAME } from '../../../../staff/person.ts'
import { mayManage, rolesUpTo } from '../../../../staff/roles.ts'
import * as staff from '../../../../staff/store.ts'
import { dayIn } from '../../dates.ts'
import { type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { pathId } from '../path-id.ts'
import { personProblems } from '../sign-in/problems.ts'
import { shownLink } from './invite.ts'
import { PEOPLE, placeOf } from './list.ts'

type ById = { Params: { id: string } }

/** Shows somebody, and changes what they may do. */
export function personPages(app: App, context: Context): void {
  const { write, clock } = context
  app.get<ById>('/people/:id', async (request: FastifyRequest) =>
    page(request, await personOf(context, request)),
  )

  app.post<ById>('/people/:id', async (request: FastifyRequest, reply) => {
    const person = await personOf(context, request)
    const form = request.body as FormBody
    const typed = { name: textIn(form, 'name'), role: form.get('role') ?? '' }
    try {
      const patch = { name: typed.name, role: typed.role as Role }
      const isThere = await write(changes.updateStaff, person.id, patch, authorityOf(request.caller))
      return isThere ? reply.redirect(`${PEOPLE}/${person.id}?done=saved`, 303) : gone(reply)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
      reply.code(error.status)
      return page(request, person, { typed, problems: personProblems(error, {}, wordsFor(request).words) })
    }
  })

  app.post<ById>('/people/:id/link', async (request: FastifyRequest, reply) => {
    const { id, email, name } = await personOf(context, request)
    const made = await reset(context, id, authorityOf(request.caller))
    if (!made) return gone(reply)
    const title = wordsFor(request).words.people.linkTitle(name)
    return shownLink(context, request, { ...made, email, title })
  })

  app.get<ById>('/people/:id/remove', async (request: FastifyRequest) =>
    removePage(request, await personOf(context, request)),
  )

  app.post<ById>('/people/:id/remove', async (request: FastifyRequest, reply) => {
    const { id } = await personOf(context, request)
    const isThere = await write(changes.removeStaff, id, authorityOf(request.caller), clock())
    return isThere ? reply.redirect(`${PEOPLE}?done=personRemoved`, 303) : gone(reply)
  })
}

const gone = (reply: FastifyReply) => reply.redirect(`${PEOPLE}?done=personGone`, 303)

/** @throws {ApiError} route_not_found, also for somebody of another organization */
async function personOf({ db }: Context, request: FastifyRequest): Promise<staff.Staff> {
  const person = await staff.find(db, pathId(request))
  const { organizationId } = request.caller
  const isOwn = organizationId === undefined || person?.organizationId === organizationId
  if (!person || !isOwn) throw new ApiError('route_not_found')
  return person
}

interface Refused {
  typed: { name: string; role: string }
  problems: readonly Problem[]
}

function page(request: FastifyRequest, person: staff.Staff, refused?: Refused): string {
  const { language, words } = wordsFor(request)
  const { people, signIn } = words
  const { name, email, role, createdAt, password } = person
  return consolePage(request, {
    title: name,
    main: html`<div class="narrow"><h1>${name}</h1>
<dl class="facts card"><dt>${signIn.email}</dt><dd>${email}</dd><dt>${people.role}</dt><dd>${words.roles[role]}</dd>
<dt>${people.organization}</dt><dd>${placeOf(person, words)}</dd>
<dt>${people.since}</dt><dd>${dayIn(language, createdAt)}${password === null && ` · ${people.invited}`}</dd></dl>
${decisions(request, person, refused)}
<p><a href="${PEOPLE}">${people.toList}</a></p></div>`,
  })
}

function decisions(request: FastifyRequest, person: staff.Staff, refused: Refused | undefined): Html {
  const { words } = wordsFor(request)
  const { people, signIn } = words
  const by = authorityOf(request.caller)
  const { id, role, password } = person
  const organizationId = person.organizationId ?? undefined
  if (by.id === id)
    return html`<p>${people.thisIsYou} <a href="${PREFIX}/account">${words.account.title}</a></p>`
  if (!mayManage(by, { role, organizationId })) return html`<p>${people.above}</p>`
  const { problems = [], typed = person } = refused ?? {}
  const roles = rolesUpTo(by.role).filter((one) => one !== 'admin' || organizationId === undefined)
  return html`<form class="card" method="post" action="${PEOPLE}/${id}" novalidate>${problemSummary(signIn.wrong, problems)}
${textField({ name: 'name', label: people.name, value: typed.name, required: true, problems, autocomplete: 'off', mostCharacters: MOST_NAME })}
${selectField({
  ...{ name: 'role', label: people.role, value: typed.role, problems },
  choices: roles.map((one) => [one, `${words.roles[one]}: ${people.roleHints[one]}`]),
})}
<button>${words.animal.save}</button></form>
<section class="card" aria-labelledby="link"><h2 id="link">${people.newLink}</h2>
<p>${password === null ? people.newLinkInvited : people.newLinkHint}</p>
<form method="post" action="${PEOPLE}/${id}/link"><button class="plain">${people.newLinkButton}</button></form></section>
<p class="end"><a class="danger" href="${PEOPLE}/${id}/remove">${people.remove}</a></p>`
}

function removePage(request: FastifyRequest, { id, name }: staff.Staff): string {
  const { words } = wordsFor(request)
  const { people, animal } = words
  const title = people.removeTitle(name)
  return consolePage(request, {
    title,
    main: html`<div class="narrow"><h1>${title}</h1><p>${people.removeHint}</p>
<form method="post" action="${PEOPLE}/${id}/remove" class="row"><button class="danger">${people.remove}</button>
<a class="button plain" href="${PEOPLE}/${id}">${animal.removeNo}</a></form></div>`,
  })
}
