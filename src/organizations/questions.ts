import type { ErrorDetail } from '../errors.ts'
import { ONE_LINE, setRule } from '../http/text.ts'
import { type Static, Type } from '../http/type.ts'

export const QUESTION_ID = '^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$'
setRule(
  QUESTION_ID,
  'This must have 1 to 40 small letters and digits, with hyphens or underscores between them.',
)

/** How many there are at most, and how long each is. */
export const MAX_QUESTIONS = 30
export const MAX_QUESTION_CHARACTERS = 500

const Question = Type.Object(
  {
    id: Type.String({
      description: 'Its own among the questions; answers belong to it.',
      pattern: QUESTION_ID,
    }),
    text: Type.String({
      description: 'What is asked.',
      minLength: 1,
      maxLength: MAX_QUESTION_CHARACTERS,
      pattern: ONE_LINE,
    }),
    kind: Type.Enum(['text', 'yesNo', 'choice'], {
      type: 'string',
      description: 'What an answer is: words, yes or no, or one of the options.',
    }),
    options: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE }), {
        description: 'Of a choice, and of nothing else.',
        minItems: 2,
        maxItems: 30,
      }),
    ),
    required: Type.Boolean({ description: 'Whether it has to be answered.' }),
  },
  { title: 'ApplicationQuestion', description: 'What applicants are asked.' },
)
export type Question = Static<typeof Question>

export const Questions = Type.Array(Question, {
  description: 'What its form asks those who would like to adopt, in this order; everybody may see it.',
  maxItems: MAX_QUESTIONS,
})

/** Without members that nobody asked for; none of them is as good as absent. */
export function soundQuestions(questions: Question[] | undefined): Question[] | undefined {
  if (!questions?.length) return undefined
  return questions.map(({ id, text, kind, options, required }) => {
    return { id, text, kind, ...(options && { options }), required }
  })
}

/** What no schema can say. */
export function problemsOfQuestions(questions: Question[] = []): ErrorDetail[] {
  const seen = new Set<string>()
  return questions.flatMap(({ id, kind, options }, index) => {
    const problems: ErrorDetail[] = []
    const at = (member: string): string => `/applicationQuestions/${index}/${member}`
    if (seen.has(id)) problems.push(invalid(at('id'), 'Another question has this id: each needs its own.'))
    seen.add(id)
    if (kind === 'choice' && !options) {
      problems.push({ pointer: at('options'), code: 'missing', message: 'This is required of a choice.' })
    }
    if (kind !== 'choice' && options)
      problems.push(invalid(at('options'), 'Only a choice has options: leave them out.'))
    if (options && new Set(options).size < options.length)
      problems.push(invalid(at('options'), 'An option is there twice: name each once.'))
    return problems
  })
}

const invalid = (pointer: string, message: string): ErrorDetail => ({
  pointer,
  code: 'invalid_value',
  message,
})
