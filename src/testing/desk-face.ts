import type { FastifyReply } from 'fastify'
import { ROLES } from '../access.ts'
import type { Context } from '../context.ts'
import { readBody } from '../faces/native/read-body.ts'
import type { Face } from '../http/face.ts'
import { Type } from '../http/type.ts'
import { visitorOf } from '../keys/identify.ts'
import { charge } from '../limits/charge.ts'
import { authorityOf } from '../staff/accounts.ts'
import { identifyStaff } from '../staff/identify.ts'
import { invite, join } from '../staff/join.ts'
import {
  mayHaveCookies,
  NEEDS_HTTPS,
  NO_SESSION,
  requireSameOrigin,
  sessionCookie,
  sessionToken,
} from '../staff/session-cookie.ts'
import { changePassword, type SignIn, signIn, signOut } from '../staff/sign-in.ts'
import type { Answer } from './client.ts'

/** The smallest console: it signs people in and out, and says who they are. */
export function deskFace(context: Context): Face {
  const { config, limiter } = context
  const visitor = (address: string | undefined) => visitorOf(address, config.anonymous)
  const answer = (reply: FastifyReply, signedIn: SignIn | undefined) => {
    if (signedIn?.outcome === 'signedIn') reply.header('set-cookie', sessionCookie(signedIn.token))
    const { outcome, ...more } = signedIn ?? { outcome: 'over' }
    const retryAfterSeconds = 'retryAfterSeconds' in more ? more.retryAfterSeconds : undefined
    return reply.send({ outcome, retryAfterSeconds })
  }
  return {
    prefix: '/desk',
    gate: {
      visitor,
      recall: () => undefined,
      identify: async (request, address) => (await identifyStaff(context, request)) ?? visitor(address),
      admit: (caller) => charge(limiter, caller),
      authorize: () => undefined,
    },
    readBody,
    writeError: ({ status, code, message, details }) => {
      return { type: 'application/json', body: JSON.stringify({ status, code, message, details }) }
    },
    routes(app) {
      const Signing = Type.Object({ email: Type.String(), password: Type.String() })
      app.get('/me', ({ caller }, reply) => reply.send(caller))
      app.get('/cookies', (request, reply) =>
        reply.send({ may: mayHaveCookies(request, config), told: NEEDS_HTTPS }),
      )
      app.addHook('preHandler', async (request) => {
        if (request.method !== 'GET') requireSameOrigin(request, config)
      })
      app.post('/sign-in', { schema: { body: Signing } }, async (request, reply) =>
        answer(reply, await signIn(context, { ...request.body, address: request.ip })),
      )
      app.post('/sign-out', async ({ raw }, reply) => {
        await signOut(context, sessionToken(raw) ?? '')
        return reply.header('set-cookie', NO_SESSION).send({ outcome: 'signedOut' })
      })
      const Changing = Type.Object({ current: Type.String(), password: Type.String() })
      app.post('/password', { schema: { body: Changing } }, async (request, reply) => {
        const { staff } = request.caller
        const change = { ...request.body, address: request.ip }
        return answer(reply, staff && (await changePassword(context, staff.id, change)))
      })
      const Inviting = Type.Object({ email: Type.String(), name: Type.String(), role: Type.Enum(ROLES) })
      app.post('/people', { schema: { body: Inviting } }, async ({ caller, body }, reply) => {
        const { staffId } = await invite(context, body, authorityOf(caller))
        return reply.send({ staffId })
      })
      const params = Type.Object({ token: Type.String() })
      const Joining = Type.Object({
        password: Type.String(),
        email: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
      })
      app.post('/join/:token', { schema: { params, body: Joining } }, async ({ params, body }, reply) => {
        const joined = await join(context, params.token, body)
        return answer(reply, joined && { outcome: 'signedIn', ...joined })
      })
    },
  }
}

/** What a browser sends with a form of the same origin. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer): { cookie: string } {
  const [first = ''] = headers['set-cookie'] ?? []
  return { cookie: first.split(';')[0] ?? '' }
}
