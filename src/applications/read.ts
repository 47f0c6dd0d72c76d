import { ApiError, type ErrorDetail } from '../errors.ts'
import { validatorCompiler } from '../http/validate.ts'
import { NewApplication } from './schema.ts'

type Validate = (sent: unknown) => { value?: unknown; error?: Error }

const validate = validatorCompiler({
  ...{ schema: NewApplication, httpPart: 'body', method: 'POST', url: '/applications' },
}) as unknown as Validate

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
