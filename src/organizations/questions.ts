import type { ErrorDetail } from '../errors.ts'
import { describePattern, ONE_LINE } from '../http/text.ts'
import { type Static, Type } from '../http/type.ts'

export const QUESTION_ID = '^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$'
describePattern(
  QUESTION_ID,
  'Use 1 to 40 lowercase letters and digits, with hyphens or underscores between them.',
)

export const MAX_QUESTIONS = 30
export const MAX_QUESTION_CHARACTERS = 500

const Question = Type.Object(
  {
    id: Type.String({
      description: 'Unique among the questions; answers refer to it.',
      pattern: QUESTION_ID,
    }),
    text: Type.String({
      description: 'The question as applicants see it.',
      minLength: 1,
      maxLength: MAX_QUESTION_CHARACTERS,
      pattern: ONE_LINE,
    }),
    kind: Type.Enum(['text', 'yesNo', 'choice'], {
      type: 'string',
      description: 'The kind of answer: text, yes or no, or one of the options.',
    }),
    options: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE }), {
        description: 'The options of a choice; only a choice has options.',
        minItems: 2,
        maxItems: 30,
      }),
    ),
    required: Type.Boolean({ description: 'Whether applicants must answer the question.' }),
  },
  { title: 'ApplicationQuestion', description: 'A question of the application form.' },
)
export type Question = Static<typeof Question>

export const Questions = Type.Array(Question, {
  description: 'The questions of the application form, in order. Public.',
  maxItems: MAX_QUESTIONS,
})

/** Removes unknown members from the questions. @returns undefined if no questions are given */
export function cleanQuestions(questions: Question[] | undefined): Question[] | undefined {
  if (!questions?.length) return undefined
  return questions.map(({ id, text, kind, options, required }) => {
    return { id, text, kind, ...(options && { options }), required }
  })
}

/** Checks rules that a schema cannot express. */
export function findQuestionProblems(questions: Question[] = []): ErrorDetail[] {
  const ids = new Set<string>()
  return questions.flatMap(({ id, kind, options }, index) => {
    const problems: ErrorDetail[] = []
    const at = (member: string): string => `/applicationQuestions/${index}/${member}`
    if (ids.has(id))
      problems.push(invalid(at('id'), 'Another question has this id. Give each question its own.'))
    ids.add(id)
    if (kind === 'choice' && !options) {
      problems.push({ pointer: at('options'), code: 'missing', message: 'This is required for a choice.' })
    }
    if (kind !== 'choice' && options)
      problems.push(invalid(at('options'), 'Only a choice has options. Leave them out.'))
    if (options && new Set(options).size < options.length)
      problems.push(invalid(at('options'), 'An option is repeated. Name each option once.'))
    return problems
  })
}

const invalid = (pointer: string, message: string): ErrorDetail => ({
  pointer,
  code: 'invalid_value',
  message,
})
