import type { ErrorDetail } from '../errors.ts'
import { typedText } from '../http/form-body.ts'
import { bodyJudge, bodyReader } from '../http/judge-body.ts'
import { LINES } from '../http/text.ts'
import type { Question } from '../organizations/questions.ts'
import { type Answers, ApplicationPatch, MAX_ANSWER, NewApplication } from './schema.ts'

// Applications and decisions as the forms of pages send them.

/** What somebody filled in, by the ids of the questions; what was not answered may be absent or empty. */
export type Given = Record<string, string | undefined>

/** What is wrong with the answer to a question. */
export interface AnswerProblem {
  /** Of the question. */
  id: string
  code: 'missing' | 'too_long' | 'invalid_value'
  /** For a person, in English. */
  message: string
}

/** What a yes or no is, in a form and as it is kept. */
export const YES_NO = ['yes', 'no']

const TEXT = new RegExp(LINES, 'u')

/** All that is wrong with the answers of a form, in the order of the questions; nothing where they fit. */
export function problemsOf(questions: readonly Question[], given: Given): AnswerProblem[] {
  return questions.flatMap((question) => {
    const answer = answerTo(question, given)
    if (answer === '') {
      return question.required ? [{ id: question.id, code: 'missing', message: 'Answer this question.' }] : []
    }
    return problemWith(question, answer)
  })
}

function problemWith({ id, kind, options = [] }: Question, answer: string): AnswerProblem[] {
  if (kind !== 'text') {
    const possible = kind === 'choice' ? options : YES_NO
    if (possible.includes(answer)) return []
    return [{ id, code: 'invalid_value', message: `Choose one of these: ${possible.join(', ')}.` }]
  }
  if ([...answer].length > MAX_ANSWER)
    return [{ id, code: 'too_long', message: `This must have at most ${MAX_ANSWER} characters.` }]
  if (TEXT.test(answer)) return []
  return [
    { id, code: 'invalid_value', message: 'This may hold no control characters but line ends and tabs.' },
  ]
}

/**
 * The answers as an application has them, each with its question as it was asked; undefined where nothing was
 * answered. What `problemsOf` refuses is not judged here.
 */
export function answersOf(questions: readonly Question[], given: Given): Answers | undefined {
  const answers = questions.flatMap((question) => {
    const answer = answerTo(question, given)
    return answer === '' ? [] : [{ question: question.text, answer }]
  })
  return answers.length > 0 ? answers : undefined
}

function answerTo({ id }: Question, given: Given): string {
  const answer = Object.hasOwn(given, id) ? given[id] : undefined
  return typedText(answer ?? '')
}

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
