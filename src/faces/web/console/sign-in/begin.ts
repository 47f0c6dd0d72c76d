import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { sessionCookie, sessionToken } from '../../../../staff/session-cookie.ts'
import { signOut } from '../../../../staff/sign-in.ts'

/**
 * Gives a browser the session that has begun, and ends the one that it had: whoever put a cookie into it, or
 * had read one, has nothing of that.
 */
export async function takeSession(
  context: Pick<Context, 'write'>,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<void> {
  await signOut(context, sessionToken(request.raw) ?? '')
  reply.header('set-cookie', sessionCookie(token))
}
