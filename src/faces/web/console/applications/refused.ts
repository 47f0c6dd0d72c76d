import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import { wordsFor } from '../frame.ts'
import { ownApplication } from './own.ts'
import { applicationPage, type Shown } from './page.ts'

/** The application as it is now, with what was typed and why it was not done. */
export async function refused(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  typed?: Shown['typed'],
): Promise<string> {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  const now = await ownApplication(context, request)
  const { words } = wordsFor(request)
  const { problems } = words.applications
  const field = error.details?.[0]?.pointer?.slice(1) === 'note' ? 'note' : 'reply'
  const at = error.code === 'validation_failed' ? field : 'form'
  reply.code(error.status)
  return applicationPage(context, request, now, {
    ...(typed && { typed }),
    problems: [{ field: at, message: problems[error.code] ?? words.otherError }],
  })
}
