import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import * as requested from '../../../../pets/requested.ts'
import { returnPath } from '../address.ts'
import { wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { type ById, ownAnimal } from './own.ts'
import { animalPage } from './page.ts'
import { petProblems } from './problems.ts'

/** Publishes an animal, or says that it is reserved or has a home. */
export function changeStatus(app: App, context: Context): void {
  app.post<ById>('/animals/:id/status', async (request: FastifyRequest, reply) => {
    const stored = await ownAnimal(context, request)
    const form = request.body as FormBody
    const status = form.get('status') ?? ''
    try {
      const patch = await requested.readPatch(context, { status })
      const what = { id: stored.id, conditions: { view: request.caller.view } }
      await requested.change(context, { caller: request.caller, key: undefined }, patch, what)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      reply.code(error.status)
      return animalPage(context, request, stored, { problems: petProblems(error, wordsFor(request).words) })
    }
    const to = returnPath(form.get('to'), `${PREFIX}/animals/${stored.id}`)
    return reply.redirect(withNotice(to, status), 303)
  })
}

/** The address, with what was done there. */
function withNotice(to: string, done: string): string {
  const { pathname, searchParams } = new URL(to, 'http://console.invalid')
  searchParams.set('done', done)
  return `${pathname}?${searchParams}`
}
