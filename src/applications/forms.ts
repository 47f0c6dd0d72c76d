import type { ErrorDetail } from '../errors.ts'
import { normalizeText } from '../http/form-body.ts'
import { MULTILINE } from '../http/text.ts'
import { createBodyParser, createBodyValidator } from '../http/validate.ts'
import type { Question } from '../organizations/schema.ts'
import { type Answers, ApplicationPatch, MAX_ANSWER, NewApplication } from './schema.ts'

// Reads applications, and decisions about applications, from HTML forms.

/**
 * The answers in a form, by the ids of the questions. The answer to a skipped question is absent or empty.
 */
export type FormAnswers = Record<string, string | undefined>

export interface AnswerProblem {
  /** The id of the question. */
  id: string
  code: 'missing' | 'too_long' | 'invalid_value'
  /** A message for people, in English. */
  message: string
}

/** The answers to a yes-or-no question, as forms and the store contain them. */
export const YES_NO = ['yes', 'no']

const TEXT = new RegExp(MULTILINE, 'u')

/** Validates the answers of a form. @returns the problems in the order of the questions */
export function validateAnswers(questions: readonly Question[], answers: FormAnswers): AnswerProblem[] {
  return questions.flatMap((question) => {
    const answer = answerTo(question, answers)
    if (answer === '') {
      return question.required ? [{ id: question.id, code: 'missing', message: 'Answer this question.' }] : []
    }
    return validateAnswer(question, answer)
  })
}

function validateAnswer({ id, kind, options = [] }: Question, answer: string): AnswerProblem[] {
  if (kind !== 'text') {
    const possible = kind === 'choice' ? options : YES_NO
    if (possible.includes(answer)) return []
    return [{ id, code: 'invalid_value', message: `Choose one of: ${possible.join(', ')}.` }]
  }
  if ([...answer].length > MAX_ANSWER)
    return [{ id, code: 'too_long', message: `Write at most ${MAX_ANSWER} characters.` }]
  if (TEXT.test(answer)) return []
  return [
    { id, code: 'invalid_value', message: 'Remove control characters other than line breaks and tabs.' },
  ]
}

/**
 * Converts the answers of a form to answers of an application, which include the text of each question.
 * `validateAnswers` validates them, and this function does not.
 * @returns undefined when no question is answered
 */
export function toAnswers(questions: readonly Question[], answers: FormAnswers): Answers | undefined {
  const answered = questions.flatMap((question) => {
    const answer = answerTo(question, answers)
    return answer === '' ? [] : [{ question: question.text, answer }]
  })
  return answered.length > 0 ? answered : undefined
}

function answerTo({ id }: Question, answers: FormAnswers): string {
  const answer = Object.hasOwn(answers, id) ? answers[id] : undefined
  return normalizeText(answer ?? '')
}

const validateNewApplication = createBodyValidator(NewApplication)

/**
 * Reads an application from a form. Validates the application against the schema of the API.
 * @returns the application, or its problems with JSON pointers such as `/applicant/email`
 */
export function readApplication(
  sent: unknown,
): { application: NewApplication } | { problems: ErrorDetail[] } {
  const { value, error } = validateNewApplication(sent)
  return error ? { problems: error.details ?? [] } : { application: value }
}

/**
 * Reads a decision of staff from a form. Validates the decision against the schema of the API.
 * @throws {ApiError} validation_failed
 */
export const readDecision = createBodyParser(ApplicationPatch)
