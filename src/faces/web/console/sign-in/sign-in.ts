import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { browserCookie } from '../../../../staff/browser-cookie.ts'
import { MAX_EMAIL } from '../../../../staff/person.ts'
import {
  CLEAR_SESSION_COOKIE,
  canSetCookies,
  sessionCookie,
  sessionToken,
} from '../../../../staff/session-cookie.ts'
import { signIn, signOut } from '../../../../staff/sign-in.ts'
import { type Problem, problemSummary, textField } from '../../forms.ts'
import { returnPath } from '../address.ts'
import { barePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { passwordField } from './person-fields.ts'

const PATH = '/sign-in'

/** The pages for signing in and out. */
export function signInPages(app: App, context: Context): void {
  const { config } = context

  app.get(PATH, (request, reply) => {
    const { to } = request.query as { to?: unknown }
    const path = returnPath(to)
    if (request.caller.staff) return reply.redirect(path, 303)
    if (!canSetCookies(request, config)) return needsHttps(request, reply)
    return page(request, { to: path, email: '', problems: [] })
  })

  app.post(PATH, { config: { share: 'signIns' } }, async (request, reply) => {
    if (!canSetCookies(request, config)) return needsHttps(request, reply)
    const form = request.body as FormBody
    const to = returnPath(form.get('to'))
    const email = readField(form, 'email')
    const password = form.get('password') ?? ''
    const result = await signIn(context, { email, password, address: request.ip, request: request.raw })
    if (result.outcome === 'signedIn') {
      await takeSession(context, request, reply, result)
      return reply.redirect(to, 303)
    }
    const { problems } = wordsFor(request).words.signIn
    const input = { to, email: email.slice(0, MAX_EMAIL) }
    if (result.outcome === 'refused') {
      // Shows the problem at the password field in every case, so the answer does not reveal whether the
      // account exists.
      reply.code(400)
      return page(request, { ...input, problems: [{ field: 'password', message: problems.wrong }] })
    }
    const { retryAfterSeconds } = result
    reply.code(429).header('retry-after', String(retryAfterSeconds))
    const message = problems.wait(Math.ceil(retryAfterSeconds / 60))
    return page(request, { ...input, problems: [{ field: 'email', message }] })
  })

  app.post('/sign-out', async (request, reply) => {
    await signOut(context, sessionToken(request.raw) ?? '')
    return reply.header('set-cookie', CLEAR_SESSION_COOKIE).redirect(`${PREFIX}${PATH}?done=signedOut`, 303)
  })
}

interface SignInForm {
  to: string
  email: string
  problems: readonly Problem[]
}

function page(request: FastifyRequest, { to, email, problems }: SignInForm): string {
  const { language, common, words } = wordsFor(request)
  const own = words.signIn
  return barePage(
    language,
    own.title,
    html`${notice(request)}
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

function notice(request: FastifyRequest): Html | undefined {
  const { done } = request.query as { done?: unknown }
  const name = NOTICES.find((one) => one === done)
  return name && html`<p class="notice" role="status">${wordsFor(request).words.signIn.notices[name]}</p>`
}

/**
 * Gives a browser a new session and ends the browser's old session, which an attacker may know. Also sets the
 * cookie that proves that this browser has signed in to this account.
 */
export async function takeSession(
  context: Pick<Context, 'write' | 'clock' | 'cursorSecret'>,
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { token, ...account }: { token: string; email: string; password: string },
): Promise<void> {
  const { cursorSecret, clock } = context
  await signOut(context, sessionToken(raw) ?? '')
  reply.header('set-cookie', [sessionCookie(token), browserCookie(cursorSecret, raw, account, clock())])
}

/**
 * The answer to a sign-in over plain http from another machine. Browsers drop the session cookie in this
 * case.
 */
export function needsHttps(request: FastifyRequest, reply: FastifyReply): string {
  const { language, words } = wordsFor(request)
  reply.code(403)
  const { title, advice, how } = words.signIn.needsHttps
  return barePage(
    language,
    title,
    html`<p>${advice}</p>
<ul>${how.map((way) => html`<li>${way}</li>`)}</ul>`,
  )
}
