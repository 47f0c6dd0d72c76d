import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { int64 } from '../../../../http/int64.ts'
import { bodyReader } from '../../../../http/judge-body.ts'
import { OrganizationPatch } from '../../../../organizations/schema.ts'
import * as organizations from '../../../../organizations/store.ts'
import type { Problem } from '../../forms.ts'
import { NON_FIELD } from '../forms/problems.ts'
import { wordsFor } from '../frame.ts'
import { chooseOrganization, QUESTIONS_PATH, questionsPage } from './questions-page.ts'
import { draftOf, isAsked, marksOf, problemsIn, questionsOf, readDrafts } from './questions-read.ts'

const readPatch = bodyReader(OrganizationPatch)

/** What the form of an organization asks: one page, on which all of it is changed at once. */
export function questionsPages(app: App, context: Context): void {
  const path = '/organization/questions'
  app.get(path, async (request) => {
    const id = organizationIdOf(request)
    if (id === undefined) return chooseOrganization(context, request)
    const organization = await organizations.get(context.db, id)
    const { applicationQuestions: questions = [] } = organization
    const drafts = questions.map(draftOf)
    return questionsPage(request, { organization, drafts, marks: marksOf(questions), problems: [] })
  })
  app.post(path, async (request, reply) => {
    const id = organizationIdOf(request)
    if (id !== undefined) return save(context, request, reply, id)
    reply.code(400)
    return chooseOrganization(context, request)
  })
}

/** Whoever belongs to one changes that alone. */
function organizationIdOf({ caller, query }: FastifyRequest): number | undefined {
  if (caller.organizationId !== undefined) return caller.organizationId
  const { organization } = query as { organization?: unknown }
  return typeof organization === 'string' ? int64(organization) : undefined
}

async function save(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  id: number,
): Promise<string | FastifyReply> {
  const { words } = wordsFor(request)
  const organization = await organizations.get(context.db, id)
  const form = request.body as FormBody
  const drafts = readDrafts(form).filter(isAsked)
  const marks = marksOf(organization.applicationQuestions ?? [])
  const again = (status: number, problems: Problem[]): string => {
    reply.code(status)
    return questionsPage(request, { organization, drafts, marks, problems })
  }
  if (form.get('marks') !== marks)
    return again(409, [{ field: NON_FIELD, message: words.questions.conflict }])
  try {
    const patch = readPatch({ applicationQuestions: questionsOf(drafts) })
    await context.write(changes.updateOrganization, id, patch, context.clock())
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    return again(400, problemsIn(error.details ?? [], words))
  }
  return reply.redirect(`${QUESTIONS_PATH}?organization=${id}&done=questions_saved`, 303)
}
