import type { ErrorDetail } from '../errors.ts'
import { bodyJudge, bodyReader } from '../http/judge-body.ts'
import { ApplicationPatch, NewApplication } from './schema.ts'

const judge = bodyJudge(NewApplication)

/**
 * An application from a form, judged by the schema that judges those of clients.
 *
 * @returns the application, or all that is wrong with it: `/applicant/email` is where the e-mail address is
 */
export function readApplication(
  sent: unknown,
): { application: NewApplication } | { problems: ErrorDetail[] } {
  const { value, error } = judge(sent)
  return error ? { problems: error.details ?? [] } : { application: value }
}

/** What staff decide and write, from a form: judged in the same way. @throws {ApiError} validation_failed */
export const readDecision = bodyReader(ApplicationPatch)
