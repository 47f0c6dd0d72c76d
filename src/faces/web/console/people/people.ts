import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Role } from '../../../../access.ts'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { publicOrigin } from '../../../../http/face.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { authorityOf } from '../../../../staff/accounts.ts'
import { invite, issueResetLink, joinLink, type PasswordLink, sendLink } from '../../../../staff/join.ts'
import { MAX_EMAIL, MAX_NAME, mayManage, rolesUpTo } from '../../../../staff/roles.ts'
import * as staff from '../../../../staff/store.ts'
import { formatDate } from '../../formats.ts'
import { type Problem, problemSummary, radioField, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { pathId, wholeNumberOf } from '../address.ts'
import { type Choice, organizationField } from '../choices.ts'
import { confirmPage, consolePage, pageOf, shownOnce, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { personProblems } from '../sign-in/sign-in.ts'

const PEOPLE = `${PREFIX}/people`

/** The pages of people with an account: a list, invitations, and a page for each person. */
export function peoplePages(app: App, context: Context): void {
  const { write, clock } = context
  app.get('/people', (request) => listPage(context, request))

  app.get('/people/new', (request) => invitePage(context, request, NOBODY))
  app.post('/people/new', (request, reply) => sendInvitation(context, request, reply))

  app.get('/people/:id', async (request) => personPage(request, await personOf(context, request)))
  app.post('/people/:id', (request, reply) => save(context, request, reply))

  app.post('/people/:id/link', async (request, reply) => {
    const { id, email, name, password } = await personOf(context, request)
    const made = await issueResetLink(context, id, authorityOf(request.caller))
    if (!made) return gone(reply)
    const title = wordsFor(request).words.people.linkTitle(name)
    return linkPage(context, request, { ...made, email, title, isInvitation: password === null })
  })

  app.get('/people/:id/remove', async (request) => removePage(request, await personOf(context, request)))
  app.post('/people/:id/remove', async (request, reply) => {
    const { id } = await personOf(context, request)
    const isRemoved = await write(changes.removeStaff, id, authorityOf(request.caller), clock())
    return isRemoved ? reply.redirect(`${PEOPLE}?done=personRemoved`, 303) : gone(reply)
  })
}

const gone = (reply: FastifyReply) => reply.redirect(`${PEOPLE}?done=personGone`, 303)

/** @throws {ApiError} route_not_found, also for a person of another organization */
async function personOf({ db }: Context, request: FastifyRequest): Promise<staff.Staff> {
  const person = await staff.find(db, pathId(request))
  const { organizationId } = request.caller
  const isOwn = organizationId === undefined || person?.organizationId === organizationId
  if (!person || !isOwn) throw new ApiError('route_not_found')
  return person
}

async function listPage({ db }: Context, request: FastifyRequest): Promise<string> {
  const { people } = wordsFor(request).words
  const { rows, pager } = await pageOf(request, PEOPLE, (part) => staff.list(db, part))
  const main = html`<div class="head"><h1>${people.title}</h1>
<a class="button" href="${PEOPLE}/new">${people.invite}</a></div>
<p class="lead">${people.lead}</p>
<ul class="rows">${rows.map((person) => row(person, request))}</ul>${pager}`
  return consolePage(request, { title: people.title, main })
}

function row({ id, name, email, role, organization, password }: staff.Staff, request: FastifyRequest): Html {
  const { words } = wordsFor(request)
  const { people } = words
  return html`<li><div class="about"><a href="${PEOPLE}/${id}">${name}</a>
${id === request.caller.staff?.id && html`<span class="tag">${people.you}</span>`}<small>${email}</small></div>
<div class="state"><span class="tag">${words.roles[role]}</span> <small>${organization ?? people.everywhere}${
    password === null && html` · ${people.invited}`
  }</small></div></li>`
}

const NOBODY = { name: '', email: '', role: 'staff', organizationId: '' }

async function sendInvitation(context: Context, request: FastifyRequest, reply: FastifyReply) {
  const form = request.body as FormBody
  const names = Object.keys(NOBODY) as (keyof typeof NOBODY)[]
  const typed = Object.fromEntries(names.map((name) => [name, readField(form, name)])) as typeof NOBODY
  const { name, email, role } = typed
  const { words } = wordsFor(request)
  try {
    const organizationId = readOrganizationId(typed.organizationId, request)
    const person = { name, email, role: role as Role, organizationId }
    const invited = await invite(context, person, authorityOf(request.caller))
    const title = words.people.invitedTitle(name)
    return await linkPage(context, request, { ...invited, email, title, isInvitation: true })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    reply.code(error.status)
    return invitePage(context, request, typed, personProblems(error, typed, words))
  }
}

/** The caller's organization, or else the chosen one. @throws {ApiError} validation_failed */
function readOrganizationId(text: string, { caller }: FastifyRequest): number | undefined {
  if (caller.organizationId !== undefined) return caller.organizationId
  if (text === '') return undefined
  const id = wholeNumberOf(text)
  if (id !== undefined) return id
  const message = 'This organization does not exist.'
  const details = [{ pointer: '/organizationId', code: 'invalid_value' as const, message }]
  throw new ApiError('validation_failed', { details })
}

async function invitePage(
  context: Context,
  request: FastifyRequest,
  { name, email, role, organizationId: value }: typeof NOBODY,
  problems: readonly Problem[] = [],
): Promise<string> {
  const { words } = wordsFor(request)
  const { people, signIn } = words
  const { organizationId, staff: by } = request.caller
  return consolePage(request, {
    title: people.inviteTitle,
    main: html`<div class="narrow"><h1>${people.inviteTitle}</h1><p class="lead">${people.inviteLead}</p>
<form class="card" method="post" action="${PEOPLE}/new" novalidate>${problemSummary(signIn.wrong, problems)}
${textField({ name: 'name', label: people.name, value: name, required: true, problems, autocomplete: 'off', maxLength: MAX_NAME })}
${textField({
  ...{ name: 'email', label: signIn.email, value: email, type: 'email', required: true, problems },
  ...{ autocomplete: 'off', maxLength: MAX_EMAIL },
})}
${radioField({
  ...{ name: 'role', label: people.role, value: role, problems },
  choices: rolesFor(by?.role ?? 'viewer', organizationId, words),
})}
${await organizationField(context, request, { value, problems, hint: people.organizationHint })}
<div class="row"><button>${people.inviteButton}</button><a class="quiet" href="${PEOPLE}">${words.animal.cancel}</a></div></form></div>`,
  })
}

/** The roles that a person with the role `by` may give. Only people without an organization can be admins. */
function rolesFor(
  by: Role,
  organizationId: number | undefined,
  { roles, people }: Texts['console'],
): Choice[] {
  const offered = rolesUpTo(by).filter((role) => role !== 'admin' || organizationId === undefined)
  return offered.map((role) => [role, `${roles[role]}: ${people.roleHints[role]}`])
}

/**
 * Shows the link once. If there is a mail server, also sends the link. For an invitation with a mail server,
 * a manager does not see the link, because opening it would reveal whether the address has an account at
 * another shelter.
 */
async function linkPage(
  context: Context,
  request: FastifyRequest,
  {
    token,
    email,
    title,
    isInvitation,
  }: PasswordLink & { email: string; title: string; isInvitation: boolean },
): Promise<string> {
  const { language, words } = wordsFor(request)
  const { people } = words
  const origin = publicOrigin(context.config, request)
  const isSent = await sendLink(context, token, { origin, language })
  const back = { path: PEOPLE, text: people.toList }
  if (context.mail && isInvitation && request.caller.organizationId !== undefined)
    return shownOnce(request, { title, lead: isSent ? people.sentAlone(email) : people.notSent(email), back })
  return shownOnce(request, {
    ...{ title, lead: isSent ? people.sent(email) : people.handOver(email) },
    ...{ label: people.link, secret: joinLink(origin, token), back },
  })
}

async function save(context: Context, request: FastifyRequest, reply: FastifyReply) {
  const person = await personOf(context, request)
  const form = request.body as FormBody
  const typed = { name: readField(form, 'name'), role: form.get('role') ?? '' }
  try {
    const patch = { name: typed.name, role: typed.role as Role }
    const isSaved = await context.write(changes.updateStaff, person.id, patch, authorityOf(request.caller))
    return isSaved ? reply.redirect(`${PEOPLE}/${person.id}?done=saved`, 303) : gone(reply)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    reply.code(error.status)
    return personPage(request, person, typed, personProblems(error, {}, wordsFor(request).words))
  }
}

/** The fields of the form of a person. */
type PersonInput = Pick<staff.Staff, 'name'> & { role: string }

function personPage(
  request: FastifyRequest,
  person: staff.Staff,
  typed: PersonInput = person,
  problems: readonly Problem[] = [],
): string {
  const { language, words } = wordsFor(request)
  const { people, signIn } = words
  const { name, email, role, organization, createdAt, password } = person
  return consolePage(request, {
    title: name,
    main: html`<div class="narrow"><h1>${name}</h1>
<dl class="facts card"><dt>${signIn.email}</dt><dd>${email}</dd><dt>${people.role}</dt><dd>${words.roles[role]}</dd>
<dt>${people.organization}</dt><dd>${organization ?? people.everywhere}</dd>
<dt>${people.since}</dt><dd>${formatDate(language, createdAt)}${password === null && ` · ${people.invited}`}</dd></dl>
${decisions(request, person, typed, problems)}
<p><a href="${PEOPLE}">${people.toList}</a></p></div>`,
  })
}

function decisions(
  request: FastifyRequest,
  { id, role, password, organizationId: own }: staff.Staff,
  typed: PersonInput,
  problems: readonly Problem[],
): Html {
  const { words } = wordsFor(request)
  const { people, signIn } = words
  const by = authorityOf(request.caller)
  const organizationId = own ?? undefined
  if (by.id === id)
    return html`<p>${people.thisIsYou} <a href="${PREFIX}/account">${words.account.title}</a></p>`
  if (!mayManage(by, { role, organizationId })) return html`<p>${people.above}</p>`
  return html`<form class="card" method="post" action="${PEOPLE}/${id}" novalidate>${problemSummary(signIn.wrong, problems)}
${textField({ name: 'name', label: people.name, value: typed.name, required: true, problems, autocomplete: 'off', maxLength: MAX_NAME })}
${radioField({
  ...{ name: 'role', label: people.role, value: typed.role, problems },
  choices: rolesFor(by.role, organizationId, words),
})}
<button>${words.animal.save}</button></form>
<section class="card" aria-labelledby="link"><h2 id="link">${people.newLink}</h2>
<p>${password === null ? people.newLinkInvited : people.newLinkHint}</p>
<form method="post" action="${PEOPLE}/${id}/link"><button class="plain">${people.newLinkButton}</button></form></section>
<p class="end"><a class="danger" href="${PEOPLE}/${id}/remove">${people.remove}</a></p>`
}

function removePage(request: FastifyRequest, { id, name }: staff.Staff): string {
  const { people } = wordsFor(request).words
  return confirmPage(request, {
    title: people.removeTitle(name),
    text: html`<p>${people.removeHint}</p>`,
    yes: people.remove,
    back: `${PEOPLE}/${id}`,
  })
}
