import { ApiError, type ErrorDetail } from '../errors.ts'
import { validatorCompiler } from '../http/validate.ts'
import { ApplicationPatch, NewApplication } from './schema.ts'

type Validate = (sent: unknown) => { value?: unknown; error?: Error }

const compile = (schema: typeof NewApplication | typeof ApplicationPatch): Validate =>
  validatorCompiler({
    ...{ schema, httpPart: 'body', method: 'POST', url: '/applications' },
  }) as unknown as Validate

const validate = compile(NewApplication)
const validatePatch = compile(ApplicationPatch)

/**
 * An application from a form, judged by the schema that judges those of clients.
 *
 * @returns the application, or all that is wrong with it: `/applicant/email` is where the e-mail address is
 */
export function readApplication(
  sent: unknown,
): { application: NewApplication } | { problems: ErrorDetail[] } {
  const { value, error } = validate(sent)
  if (error instanceof ApiError) return { problems: error.details ?? [] }
  return { application: value as NewApplication }
}

/** What staff decide and write, from a form: judged in the same way. @throws {ApiError} validation_failed */
export function readDecision(sent: unknown): ApplicationPatch {
  const { value, error } = validatePatch(sent)
  if (error) throw error
  return value as ApplicationPatch
}
