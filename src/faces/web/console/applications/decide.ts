import type { FastifyRequest } from 'fastify'
import { movesOf } from '../../../../applications/application-changes.ts'
import { readDecision } from '../../../../applications/forms.ts'
import type { ApplicationPatch } from '../../../../applications/schema.ts'
import { isClosing } from '../../../../applications/store.ts'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { type FormBody, textIn } from '../../../../http/form-body.ts'
import { viewerOf } from '../../../../orders/store.ts'
import { PREFIX } from '../pages.ts'
import { closingPage, SURE } from './closing.ts'
import { type ById, ownApplication } from './own.ts'
import { applicationPage } from './page.ts'
import { refused } from './refused.ts'

/** Shows an application, and decides about it or writes to it. */
export function decideApplication(app: App, context: Context): void {
  const path = '/applications/:id'
  app.get<ById>(path, async (request: FastifyRequest) =>
    applicationPage(context, request, await ownApplication(context, request)),
  )
  app.post<ById>(path, async (request: FastifyRequest, reply) => {
    const before = await ownApplication(context, request)
    const form = request.body as FormBody
    const typed = { reply: textIn(form, 'reply'), note: textIn(form, 'note') }
    const status = form.get('status') ?? ''
    try {
      // Of a page that is out of date only what it changes is taken.
      requireSame(form, before.status, status)
      if (isClosing(status) && movesOf(before).includes(status) && !form.has(SURE))
        return closingPage(request, before, { status, form })
      const patch = readDecision({ ...(status !== '' && { status }), ...changedTexts(form, typed) })
      const decision = { ...viewerOf(request.caller), id: before.id, now: context.clock() }
      await context.write(changes.updateApplication, patch, decision)
    } catch (error) {
      return refused(context, request, reply, error, typed)
    }
    const done = status === '' || status === before.status ? 'saved' : status
    return reply.redirect(`${PREFIX}/applications/${before.id}?done=application_${done}`, 303)
  })
}

/** What somebody changed: of the text that they did not touch, another may have written a new one. */
function changedTexts(
  form: FormBody,
  typed: { reply: string; note: string },
): Pick<ApplicationPatch, 'reply' | 'note'> {
  const names = (['reply', 'note'] as const).filter(
    (name) => form.has(name) && typed[name] !== textIn(form, `was-${name}`),
  )
  return Object.fromEntries(names.map((name) => [name, typed[name] === '' ? null : typed[name]]))
}

/** @throws {ApiError} invalid_status_transition where it is no longer what the page showed */
function requireSame(form: FormBody, now: string, to: string): void {
  const was = form.get('was')
  if (to !== '' && to !== now && was !== null && was !== now) throw new ApiError('invalid_status_transition')
}
