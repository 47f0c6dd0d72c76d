import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import { type FormBody, textIn } from '../../../../http/form-body.ts'
import type { Html } from '../../../../http/html.ts'
import { type Problem, selectField, textField } from '../../forms.ts'
import { wordsFor } from '../frame.ts'
import { wholeNumberOf } from '../whole-number.ts'
import { readOrganizations } from './choices.ts'

interface Shown {
  value: string
  problems: readonly Problem[]
  hint: string
}

/** The organization that something is for; whoever belongs to one chooses none. */
export async function organizationField(
  context: Pick<Context, 'db'>,
  request: FastifyRequest,
  { value, problems, hint }: Shown,
): Promise<Html | undefined> {
  const { people } = wordsFor(request).words
  const found = await readOrganizations(context, request.caller)
  if (found === undefined) return undefined
  const field = { name: 'organizationId', label: people.organization, value, problems, hint }
  if (found === 'many') return textField({ ...field, inputMode: 'numeric' })
  return selectField({ ...field, choices: [['', people.everywhere], ...found] })
}

/**
 * The organization that was chosen: the own one for whoever belongs to one.
 *
 * @throws {ApiError} validation_failed
 */
export function readOrganizationId(form: FormBody, { caller }: FastifyRequest): number | undefined {
  if (caller.organizationId !== undefined) return caller.organizationId
  const text = textIn(form, 'organizationId')
  if (text === '') return undefined
  const id = wholeNumberOf(text)
  if (id !== undefined) return id
  const message = 'There is no such organization.'
  const details = [{ pointer: '/organizationId', code: 'invalid_value' as const, message }]
  throw new ApiError('validation_failed', { details })
}
