import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config.ts'
import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import type { Hook } from '../../../http/app.ts'
import { NO_STORE } from '../../../http/cache-headers.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Gate } from '../../../http/face.ts'
import { LANGUAGE_VARY } from '../../../http/language.ts'
import { visitorOf } from '../../../keys/identify.ts'
import { charge } from '../../../limits/limiter.ts'
import { may } from '../../../staff/roles.ts'
import { identifyStaff, requireSameOrigin } from '../../../staff/session-cookie.ts'
import { HTML_TYPE, pageHeaders } from '../page.ts'
import { signedOutPage } from './frame.ts'
import { PREFIX } from './visit.ts'

/** Each signed-in person has a rate limit. All other clients share the limit of their IP address. */
export function consoleGate(context: Context): Gate {
  const { config, limiter } = context
  const visitor = (address: string | undefined): Caller => visitorOf(address, config.anonymous)
  return {
    identify: async (request, address) => (await identifyStaff(context, request)) ?? visitor(address),
    visitor,
    async admit(caller) {
      const { headers, refusal } = await charge(limiter, caller)
      return refusal ? { headers, refusal } : { headers: {} }
    },
    // `guardPage` checks the rights, because it knows the route.
    authorize: () => undefined,
  }
}

/** Hook that sets the headers of every answer of the console. */
export function pageHook(config: Config): Hook {
  const headers = { ...pageHeaders(config, { isolated: true }), ...NO_STORE, vary: LANGUAGE_VARY }
  return (_request, reply, done) => {
    reply.headers(headers).type(HTML_TYPE)
    done()
  }
}

/** Hook that checks the origin of a change and the rights of its sender. */
export function guardPage(config: Config): Hook {
  return (request, reply, done) => {
    const { method, url } = request
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead) requireSameOrigin(request, config)
    if (isRead && /^[^/?]*\/[^/?]*(?:\?|$)/.test(url)) return reply.redirect(withSlash(url), 308) as never
    const { needs } = request.routeOptions.config ?? {}
    const { staff } = request.caller
    if (needs === 'anybody') return done()
    if (!staff) return sendToSignIn(request, reply, isRead)
    if (needs === undefined || needs === 'anyStaff' || may(staff.role, needs)) return done()
    done(new ApiError('insufficient_access', { message: 'Your role does not let you do this.' }))
  }
}

/**
 * Adds a slash to the address of the first page, because the router also accepts the address without a slash.
 */
function withSlash(url: string): string {
  return `${PREFIX}/${url.slice(url.includes('?') ? url.indexOf('?') : url.length)}`
}

/**
 * For a form, answers with a page instead of a redirect. People can then sign in in another tab and send the
 * form again.
 */
function sendToSignIn(request: FastifyRequest, reply: FastifyReply, isRead: boolean): void {
  if (isRead) void reply.redirect(`${PREFIX}/sign-in?to=${encodeURIComponent(request.url)}`, 303)
  else void reply.code(403).send(signedOutPage(request.headers))
}
