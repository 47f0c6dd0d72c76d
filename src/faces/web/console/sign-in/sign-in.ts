import { changes } from '../../../../db/change.ts'
import { ApiError, type ErrorDetail } from '../../../../errors.ts'
import { readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { EMAIL } from '../../../../http/text.ts'
import { join, readLink } from '../../../../staff/join.ts'
import type { OpenLink } from '../../../../staff/links.ts'
import { MAX_CHARACTERS, MIN_CHARACTERS } from '../../../../staff/passwords.ts'
import { MAX_EMAIL, MAX_NAME } from '../../../../staff/roles.ts'
import {
  browserCookie,
  CLEAR_SESSION_COOKIE,
  canSetCookies,
  sessionCookie,
  sessionToken,
} from '../../../../staff/session-cookie.ts'
import { signIn, signOut } from '../../../../staff/sign-in.ts'
import { type Problem, problemSummary, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { barePage } from '../frame.ts'
import { PREFIX, type Routes, returnPath, type Visit } from '../visit.ts'

const PATH = '/sign-in'

export function signInPages({ get, post }: Routes): void {
  get(PATH, (visit) => {
    const path = returnPath(visit.query.to)
    if (visit.caller.staff) return visit.reply.redirect(path, 303)
    return onlySafely(visit, () => page(visit, { to: path, email: '', problems: [] }))
  })
  post(PATH, (visit) => onlySafely(visit, tryPassword), { share: 'signIns' })
  post('/sign-out', async ({ context, request, reply }) => {
    await signOut(context, sessionToken(request.raw) ?? '')
    return reply.header('set-cookie', CLEAR_SESSION_COOKIE).redirect(`${PREFIX}${PATH}?done=signedOut`, 303)
  })
}

/** Answers only if the browser would keep the session cookie. */
function onlySafely(visit: Visit, answer: (visit: Visit) => unknown): unknown {
  return canSetCookies(visit.request, visit.context.config) ? answer(visit) : needsHttps(visit)
}

async function tryPassword(visit: Visit): Promise<unknown> {
  const { request, reply, form } = visit
  const to = returnPath(form.get('to'))
  const email = readField(form, 'email')
  const password = form.get('password') ?? ''
  const sent = { email, password, address: request.ip, request: request.raw }
  const result = await signIn(visit.context, sent)
  if (result.outcome === 'signedIn') {
    await takeSession(visit, result)
    return reply.redirect(to, 303)
  }
  const { problems } = visit.words.signIn
  const input = { to, email: email.slice(0, MAX_EMAIL) }
  if (result.outcome === 'refused') {
    // Shows the problem at the password field in every case, so the answer does not reveal whether the
    // account exists.
    reply.code(400)
    return page(visit, { ...input, problems: [{ field: 'password', message: problems.wrong }] })
  }
  const { retryAfterSeconds } = result
  reply.code(429).header('retry-after', String(retryAfterSeconds))
  const message = problems.wait(Math.ceil(retryAfterSeconds / 60))
  return page(visit, { ...input, problems: [{ field: 'email', message }] })
}

interface SignInForm {
  to: string
  email: string
  problems: readonly Problem[]
}

function page(visit: Visit, { to, email, problems }: SignInForm): string {
  const { language, common, words } = visit
  const own = words.signIn
  return barePage(
    language,
    own.title,
    html`${notice(visit)}
<form class="card" method="post" action="${PREFIX}${PATH}" novalidate>${problemSummary(words.signIn.wrong, problems)}
<input type="hidden" name="to" value="${to}">
${textField({
  ...{ name: 'email', label: own.email, value: email, type: 'email', required: true, problems },
  ...{ autocomplete: 'username', maxLength: MAX_EMAIL },
})}
${passwordField({ name: 'password', label: own.password, isNew: false, problems }, words)}
<p><button>${own.button}</button></p></form>
<p class="hint">${own.lost}</p>
<p><a href="/">${common.toGallery}</a></p>`,
    ['console.js'],
  )
}

const NOTICES = ['signedOut', 'signedOutAll'] as const

function notice({ query, words }: Visit): Html | undefined {
  const { done } = query
  const name = NOTICES.find((one) => one === done)
  return name && html`<p class="notice" role="status">${words.signIn.notices[name]}</p>`
}

/**
 * Gives a browser a new session and ends the browser's old session, which an attacker may know. Also sets the
 * cookie that proves that this browser has signed in to this account.
 */
export async function takeSession(
  { context, clock, request: { raw }, reply }: Visit,
  { token, ...account }: { token: string; email: string; password: string },
): Promise<void> {
  const { cursorSecret } = context
  await signOut(context, sessionToken(raw) ?? '')
  reply.header('set-cookie', [sessionCookie(token), browserCookie(cursorSecret, raw, account, clock())])
}

/**
 * The answer to a sign-in over plain http from another machine. Browsers drop the session cookie in this
 * case.
 */
export function needsHttps({ reply, language, words }: Visit): string {
  reply.code(403)
  const { title, advice, how } = words.signIn.needsHttps
  return barePage(
    language,
    title,
    html`<p>${advice}</p>
<ul>${how.map((way) => html`<li>${way}</li>`)}</ul>`,
  )
}

interface PasswordField {
  name: string
  label: string
  /** Whether the person chooses a new password. */
  isNew: boolean
  problems: readonly Problem[]
}

/**
 * A password field with a button that shows the text. The field never contains a password that was sent
 * before.
 */
export function passwordField(
  { name, label, isNew, problems }: PasswordField,
  { signIn }: Texts['console'],
): Html {
  const field = textField({
    ...{ name, label, type: 'password', required: true, problems },
    autocomplete: isNew ? 'new-password' : 'current-password',
    hint: isNew ? signIn.passwordHint(MIN_CHARACTERS) : undefined,
    maxLength: 2 * MAX_CHARACTERS,
  })
  return html`<div class="secret">${field}
<button class="plain" type="button" data-shows="field-${name}" aria-pressed="false" hidden>${signIn.showPassword}</button></div>`
}

const IS_EMAIL = new RegExp(EMAIL)

/** The order of the fields in the forms. Problems are listed in this order. */
const ORDER = ['name', 'email', 'current', 'password', 'role', 'organizationId']

/** The sent values that messages depend on. */
interface PersonInput {
  email?: string
  password?: string
  current?: string
}

/** The problems of a refused person or password, each with the field of the form. */
export function personProblems(
  { details = [] }: ApiError,
  typed: PersonInput,
  words: Texts['console'],
): Problem[] {
  const problems = details.map((detail) => {
    const field = detail.pointer?.slice(1) ?? ''
    return { field, message: messageOf(field, detail, typed, words) }
  })
  const place = ({ field }: Problem): number => ORDER.indexOf(field)
  return problems.sort((one, other) => place(one) - place(other))
}

function messageOf(
  field: string,
  { message }: ErrorDetail,
  typed: PersonInput,
  words: Texts['console'],
): string {
  const { problems } = words.signIn
  const { email = '', password = '', current } = typed
  const taken = typed.password === undefined ? problems.emailTaken : problems.emailIsYours
  const length = [...password].length
  switch (field) {
    case 'email':
      return IS_EMAIL.test(email) ? taken : problems.email
    case 'name':
      return problems.name
    case 'password':
      if (length < MIN_CHARACTERS) return problems.tooShort(MIN_CHARACTERS)
      if (length > MAX_CHARACTERS) return problems.tooLong(MAX_CHARACTERS)
      return password === current ? problems.samePassword : problems.common
    case 'role':
      return problems.role
    case 'organizationId':
      return problems.organization
    default:
      return message
  }
}

const JOIN_ROUTE = '/join/:token'

interface JoinInput {
  name: string
  email: string
}

/** The page of a one-time link: the first account, an invitation, or a password reset. */
export function joinPages({ app, get, post }: Routes): void {
  app.addHook('onRequest', (request, reply, done) => {
    // The address of this page opens an account, so the address must not appear in a Referer. The policy is
    // not no-referrer, because browsers would then send `Origin: null` with the form.
    if (request.routeOptions.url === PREFIX + JOIN_ROUTE) reply.header('referrer-policy', 'strict-origin')
    done()
  })
  get(JOIN_ROUTE, (visit) => onlySafely(visit, open))
  post(JOIN_ROUTE, (visit) => onlySafely(visit, use), { share: 'signIns' })
}

async function open(visit: Visit): Promise<string> {
  // Mail programs open links in advance, so opening a link does not use it up.
  const link = await readLink(visit.context, visit.params.token)
  if (!link) return overPage(visit)
  return joinPage(visit, link, { name: link.staff?.name ?? '', email: link.staff?.email ?? '' })
}

async function use(visit: Visit): Promise<unknown> {
  const { context, reply, form } = visit
  const link = await readLink(context, visit.params.token)
  if (!link) return overPage(visit)
  const { kind, staff } = link
  const typed = {
    name: kind === 'reset' ? (staff?.name ?? '') : readField(form, 'name'),
    email: staff?.email ?? readField(form, 'email'),
  }
  const password = form.get('password') ?? ''
  try {
    const joined = await join(context, visit.params.token, { ...typed, password })
    if (!joined) return overPage(visit)
    if (staff && typed.name !== staff.name)
      await visit.write(changes.updateStaff, joined.staffId, { name: typed.name }, undefined)
    await takeSession(visit, { ...joined, email: typed.email })
    return reply.redirect(`${PREFIX}/?done=welcome`, 303)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    reply.code(error.status)
    return joinPage(visit, link, typed, personProblems(error, { ...typed, password }, visit.words))
  }
}

function joinPage(
  { language, words }: Visit,
  { kind }: OpenLink,
  { name, email }: JoinInput,
  problems: readonly Problem[] = [],
): string {
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
function overPage({ reply, language, words }: Visit): string {
  const { title, advice, toSignIn } = words.join.over
  reply.code(410)
  return barePage(
    language,
    title,
    html`${advice.map((sentence) => html`<p>${sentence}</p>`)}
<p><a class="button" href="${PREFIX}/sign-in">${toSignIn}</a></p>`,
  )
}
