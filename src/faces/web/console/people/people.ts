import type { Role } from '../../../../access.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import { publicOrigin } from '../../../../http/face.ts'
import { readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { wholeNumberOf } from '../../../../http/int64.ts'
import { authorityOf } from '../../../../staff/accounts.ts'
import { invite, issueResetLink, joinLink, type PasswordLink, sendLink } from '../../../../staff/join.ts'
import { MAX_EMAIL, MAX_NAME, mayManage, rolesUpTo } from '../../../../staff/roles.ts'
import * as staff from '../../../../staff/store.ts'
import { formatDate } from '../../formats.ts'
import { type Problem, problemSummary, radioField, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { type Choice, organizationField } from '../choices.ts'
import { confirmPage, consolePage, pageOf, shownOnce } from '../frame.ts'
import { personProblems } from '../sign-in/sign-in.ts'
import { PREFIX, pathId, type Routes, type Visit } from '../visit.ts'

const PEOPLE = `${PREFIX}/people`

/** The pages of people with an account: a list, invitations, and a page for each person. */
export function peoplePages({ get, post }: Routes): void {
  get('/people', listPage)

  get('/people/new', (visit) => invitePage(visit, NOBODY))
  post('/people/new', sendInvitation)

  get('/people/:id', async (visit) => personPage(visit, await personOf(visit)))
  post('/people/:id', save)

  post('/people/:id/link', async (visit) => {
    const { id, email, name, password } = await personOf(visit)
    const made = await issueResetLink(visit.context, id, authorityOf(visit.caller))
    if (!made) return gone(visit)
    const title = visit.words.people.linkTitle(name)
    return linkPage(visit, { ...made, email, title, isInvitation: password === null })
  })

  get('/people/:id/remove', async (visit) => removePage(visit, await personOf(visit)))
  post('/people/:id/remove', async (visit) => {
    const { id } = await personOf(visit)
    const isRemoved = await visit.write(changes.removeStaff, id, authorityOf(visit.caller), visit.clock())
    return isRemoved ? visit.reply.redirect(`${PEOPLE}?done=personRemoved`, 303) : gone(visit)
  })
}

const gone = ({ reply }: Visit) => reply.redirect(`${PEOPLE}?done=personGone`, 303)

/** @throws {ApiError} route_not_found, also for a person of another organization */
async function personOf(visit: Visit): Promise<staff.Staff> {
  const person = await staff.find(visit.db, pathId(visit))
  const { organizationId } = visit.caller
  const isOwn = organizationId === undefined || person?.organizationId === organizationId
  if (!person || !isOwn) throw new ApiError('route_not_found')
  return person
}

async function listPage(visit: Visit): Promise<string> {
  const { people } = visit.words
  const { rows, pager } = await pageOf(visit, PEOPLE, (part) => staff.list(visit.db, part))
  const main = html`<div class="head"><h1>${people.title}</h1>
<a class="button" href="${PEOPLE}/new">${people.invite}</a></div>
<p class="lead">${people.lead}</p>
<ul class="rows">${rows.map((person) => row(person, visit))}</ul>${pager}`
  return consolePage(visit, { title: people.title, main })
}

function row({ id, name, email, role, organization, password }: staff.Staff, visit: Visit): Html {
  const { caller, words } = visit
  const { people } = words
  return html`<li><div class="about"><a href="${PEOPLE}/${id}">${name}</a>
${id === caller.staff?.id && html`<span class="tag">${people.you}</span>`}<small>${email}</small></div>
<div class="state"><span class="tag">${words.roles[role]}</span> <small>${organization ?? people.everywhere}${
    password === null && html` · ${people.invited}`
  }</small></div></li>`
}

const NOBODY = { name: '', email: '', role: 'staff', organizationId: '' }

async function sendInvitation(visit: Visit) {
  const { form, words } = visit
  const names = Object.keys(NOBODY) as (keyof typeof NOBODY)[]
  const typed = Object.fromEntries(names.map((name) => [name, readField(form, name)])) as typeof NOBODY
  const { name, email, role } = typed
  try {
    const organizationId = readOrganizationId(typed.organizationId, visit)
    const person = { name, email, role: role as Role, organizationId }
    const invited = await invite(visit.context, person, authorityOf(visit.caller))
    const title = words.people.invitedTitle(name)
    return await linkPage(visit, { ...invited, email, title, isInvitation: true })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    visit.reply.code(error.status)
    return invitePage(visit, typed, personProblems(error, typed, words))
  }
}

/** The caller's organization, or else the chosen one. @throws {ApiError} validation_failed */
function readOrganizationId(text: string, { caller }: Visit): number | undefined {
  if (caller.organizationId !== undefined) return caller.organizationId
  if (text === '') return undefined
  const id = wholeNumberOf(text)
  if (id !== undefined) return id
  const message = 'This organization does not exist.'
  const details = [{ pointer: '/organizationId', code: 'invalid_value' as const, message }]
  throw new ApiError('validation_failed', { details })
}

async function invitePage(
  visit: Visit,
  { name, email, role, organizationId: value }: typeof NOBODY,
  problems: readonly Problem[] = [],
): Promise<string> {
  const { words } = visit
  const { people, signIn } = words
  const { organizationId, staff: by } = visit.caller
  return consolePage(visit, {
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
${await organizationField(visit, { value, problems, hint: people.organizationHint })}
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
  visit: Visit,
  {
    token,
    email,
    title,
    isInvitation,
  }: PasswordLink & { email: string; title: string; isInvitation: boolean },
): Promise<string> {
  const { context, language, words } = visit
  const { people } = words
  const origin = publicOrigin(context.config, visit.request)
  const isSent = await sendLink(context, token, { origin, language })
  const back = { path: PEOPLE, text: people.toList }
  if (context.mail && isInvitation && visit.caller.organizationId !== undefined)
    return shownOnce(visit, { title, lead: isSent ? people.sentAlone(email) : people.notSent(email), back })
  return shownOnce(visit, {
    ...{ title, lead: isSent ? people.sent(email) : people.handOver(email) },
    ...{ label: people.link, secret: joinLink(origin, token), back },
  })
}

async function save(visit: Visit) {
  const { reply, form } = visit
  const person = await personOf(visit)
  const typed = { name: readField(form, 'name'), role: form.get('role') ?? '' }
  try {
    const patch = { name: typed.name, role: typed.role as Role }
    const isSaved = await visit.write(changes.updateStaff, person.id, patch, authorityOf(visit.caller))
    return isSaved ? reply.redirect(`${PEOPLE}/${person.id}?done=saved`, 303) : gone(visit)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    reply.code(error.status)
    return personPage(visit, person, typed, personProblems(error, {}, visit.words))
  }
}

/** The fields of the form of a person. */
type PersonInput = Pick<staff.Staff, 'name'> & { role: string }

function personPage(
  visit: Visit,
  person: staff.Staff,
  typed: PersonInput = person,
  problems: readonly Problem[] = [],
): string {
  const { language, words } = visit
  const { people, signIn } = words
  const { name, email, role, organization, createdAt, password } = person
  return consolePage(visit, {
    title: name,
    main: html`<div class="narrow"><h1>${name}</h1>
<dl class="facts card"><dt>${signIn.email}</dt><dd>${email}</dd><dt>${people.role}</dt><dd>${words.roles[role]}</dd>
<dt>${people.organization}</dt><dd>${organization ?? people.everywhere}</dd>
<dt>${people.since}</dt><dd>${formatDate(language, createdAt)}${password === null && ` · ${people.invited}`}</dd></dl>
${decisions(visit, person, typed, problems)}
<p><a href="${PEOPLE}">${people.toList}</a></p></div>`,
  })
}

function decisions(
  { caller, words }: Visit,
  { id, role, password, organizationId: own }: staff.Staff,
  typed: PersonInput,
  problems: readonly Problem[],
): Html {
  const { people, signIn } = words
  const by = authorityOf(caller)
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

function removePage(visit: Visit, { id, name }: staff.Staff): string {
  const { people } = visit.words
  return confirmPage(visit, {
    title: people.removeTitle(name),
    text: html`<p>${people.removeHint}</p>`,
    yes: people.remove,
    back: `${PEOPLE}/${id}`,
  })
}
