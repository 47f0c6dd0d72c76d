import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError, type ErrorDetail } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { requireGoodPassword } from '../../../../staff/common-passwords.ts'
import { join, readLink } from '../../../../staff/join.ts'
import type { OpenLink } from '../../../../staff/links.ts'
import { MAX_EMAIL, MAX_NAME, requirePerson } from '../../../../staff/person.ts'
import { canSetCookies } from '../../../../staff/session-cookie.ts'
import { type Problem, problemSummary, textField } from '../../forms.ts'
import { barePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { passwordField, personProblems } from './person-fields.ts'
import { needsHttps, takeSession } from './sign-in.ts'

type ByToken = { Params: { token: string } }
const PATH = '/join/:token'

interface JoinInput {
  name: string
  email: string
}

/** The page of a one-time link: the first account, an invitation, or a password reset. */
export function joinPages(app: App, context: Context): void {
  const { config } = context
  app.addHook('onRequest', (request, reply, done) => {
    // The address of this page opens an account, so the address must not appear in a Referer. The policy is
    // not no-referrer, because browsers would then send `Origin: null` with the form.
    if (request.routeOptions.url === PREFIX + PATH) reply.header('referrer-policy', 'strict-origin')
    done()
  })

  app.get<ByToken>(PATH, async (request: FastifyRequest, reply) => {
    if (!canSetCookies(request, config)) return needsHttps(request, reply)
    // Mail programs open links in advance, so opening a link does not use it up.
    const link = await readLink(context, tokenOf(request))
    if (!link) return overPage(request, reply)
    return page(request, link, { name: link.staff?.name ?? '', email: link.staff?.email ?? '' })
  })

  app.post<ByToken>(PATH, { config: { share: 'signIns' } }, (request: FastifyRequest, reply) =>
    canSetCookies(request, config) ? use(context, request, reply) : needsHttps(request, reply),
  )
}

const tokenOf = ({ params }: FastifyRequest): string => (params as ByToken['Params']).token

async function use(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const link = await readLink(context, tokenOf(request))
  if (!link) return overPage(request, reply)
  const form = request.body as FormBody
  const { kind, staff } = link
  const typed = {
    name: kind === 'reset' ? (staff?.name ?? '') : readField(form, 'name'),
    email: staff?.email ?? readField(form, 'email'),
  }
  const password = form.get('password') ?? ''
  try {
    await requireAll(typed, password)
    const joined = await join(context, tokenOf(request), { ...typed, password })
    if (!joined) return overPage(request, reply)
    if (staff && typed.name !== staff.name)
      await context.write(changes.updateStaff, joined.staffId, { name: typed.name }, undefined)
    await takeSession(context, request, reply, { ...joined, email: typed.email })
    return reply.redirect(`${PREFIX}/?done=welcome`, 303)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    reply.code(error.status)
    return page(request, link, typed, personProblems(error, { ...typed, password }, wordsFor(request).words))
  }
}

/** @throws {ApiError} validation_failed with all problems of the person and the password */
async function requireAll(typed: JoinInput, password: string): Promise<void> {
  const details = [
    ...(await detailsOf(() => requirePerson({ ...typed, role: 'viewer' }))),
    ...(await detailsOf(() => requireGoodPassword(password, typed))),
  ]
  if (details.length > 0) throw new ApiError('validation_failed', { details })
}

async function detailsOf(check: () => void | Promise<void>): Promise<ErrorDetail[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (error instanceof ApiError && error.details) return error.details
    throw error
  }
}

function page(
  request: FastifyRequest,
  { kind }: OpenLink,
  { name, email }: JoinInput,
  problems: readonly Problem[] = [],
): string {
  const { language, words } = wordsFor(request)
  const { join: own, signIn } = words
  const mail = { name: 'email', label: signIn.email, value: email, autocomplete: 'username' }
  return barePage(
    language,
    own.titles[kind],
    html`<p class="lead">${own.leads[kind]}</p>
<form class="card" method="post" novalidate>${problemSummary(signIn.wrong, problems)}
${
  kind !== 'reset' &&
  textField({
    ...{ name: 'name', label: own.name, hint: own.nameHint, value: name, required: true, problems },
    ...{ autocomplete: 'name', maxLength: MAX_NAME },
  })
}
${
  kind === 'first'
    ? textField({ ...mail, type: 'email', required: true, problems, maxLength: MAX_EMAIL })
    : readOnlyEmail(signIn.email, email, problems)
}
${passwordField({ name: 'password', label: own.password, isNew: true, problems }, words)}
<p><button>${own.buttons[kind]}</button></p></form>`,
    ['console.js'],
  )
}

/** A read-only field from which password managers read the user name. The service ignores the field. */
function readOnlyEmail(label: string, email: string, problems: readonly Problem[]): Html {
  const problem = problems.find(({ field }) => field === 'email')
  return html`<div class="field"><label for="field-email">${label}</label>
${problem && html`<p class="problem">${problem.message}</p>`}
<input id="field-email" type="email" value="${email}" autocomplete="username" readonly></div>`
}

/** The page for a link that is used, expired or unknown. It is the same in all three cases. */
function overPage(request: FastifyRequest, reply: FastifyReply): string {
  const { language, words } = wordsFor(request)
  const { title, advice, toSignIn } = words.join.over
  reply.code(410)
  return barePage(
    language,
    title,
    html`${advice.map((sentence) => html`<p>${sentence}</p>`)}
<p><a class="button" href="${PREFIX}/sign-in">${toSignIn}</a></p>`,
  )
}
