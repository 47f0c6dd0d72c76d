import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import { languageOf } from '../../../http/language.ts'
import { requireSameOrigin } from '../../../staff/session-cookie.ts'
import { textsOf } from '../texts/texts.ts'
import { applyRefusal } from './apply-form.ts'

/** @returns the page for what does not come from one of our own; undefined for what does */
export function refuseForeign(
  { config }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): string | undefined {
  try {
    requireSameOrigin(request, config)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const language = languageOf(request.headers)
    const { apply } = textsOf(language)
    reply.code(error.status)
    return applyRefusal(language, { title: apply.notOurs, advice: apply.notOursAdvice })
  }
}
