import { answersOf, type Given, problemsOf, readApplication, YES_NO } from '../../../applications/forms.ts'
import { MOST_ANSWER, MOST_CHARACTERS, type NewApplication } from '../../../applications/schema.ts'
import type { ErrorDetail } from '../../../errors.ts'
import { type FormBody, textIn } from '../../../http/form-body.ts'
import type { Question } from '../../../organizations/questions.ts'
import type { Problem } from '../forms.ts'
import type { Texts } from '../texts/texts.ts'

/** The fields that every form has. */
export type FieldName = keyof typeof MOST_CHARACTERS
export const FIELD_NAMES = Object.keys(MOST_CHARACTERS) as FieldName[]

/** Those of several lines. */
const LINES: readonly FieldName[] = ['address', 'message']

/** The field of an answer. */
export const answerField = ({ id }: Question): string => `q-${id}`

/** What was typed, by the names of the fields. */
export type Typed = Record<string, string>

/** Only what the form has is read, whatever else was sent. */
export function typedIn(form: FormBody, questions: readonly Question[]): Typed {
  const names = [...FIELD_NAMES, ...questions.map(answerField)]
  return Object.fromEntries(names.map((name) => [name, textIn(form, name)]))
}

/** The application that was typed, or all that is wrong with it, field by field from the top. */
export function applicationIn(
  typed: Typed,
  { petId, questions }: { petId: number; questions: readonly Question[] },
  words: Texts['apply'],
): { application: NewApplication } | { problems: Problem[] } {
  const given: Given = Object.fromEntries(
    questions.map((question) => [question.id, typed[answerField(question)]]),
  )
  const { message, ...applicant } = present(typed)
  const answers = answersOf(questions, given)
  const inAnswers = problemsOf(questions, given).map(({ id, code }): Problem => {
    const question = questions.find((one) => one.id === id) as Question
    return { field: answerField(question), message: answerProblem(code, question, words) }
  })
  // What is wrong with an answer is said in the words of its question.
  const sound = inAnswers.length === 0 ? answers : undefined
  const read = readApplication({
    ...{ petId, applicant },
    ...(message !== undefined && { message }),
    ...(sound && { answers: sound }),
  })
  const inFields = 'problems' in read ? read.problems.map((detail) => fieldProblem(detail, words)) : []
  if ('application' in read && inAnswers.length === 0) return read
  const rank = ({ field }: Problem): number => FIELD_NAMES.indexOf(field as FieldName)
  return { problems: [...inFields.sort((one, other) => rank(one) - rank(other)), ...inAnswers] }
}

function present(typed: Typed): Partial<Record<FieldName, string>> {
  const filled = FIELD_NAMES.filter((name) => typed[name] !== undefined && typed[name] !== '')
  return Object.fromEntries(filled.map((name) => [name, typed[name]]))
}

function fieldProblem({ code, pointer = '' }: ErrorDetail, words: Texts['apply']): Problem {
  const field = (FIELD_NAMES.find((name) => pointer.endsWith(`/${name}`)) ?? 'name') as FieldName
  const label = words.fields[field] ?? field
  const missing = code === 'missing' && words.missing[field]
  if (missing) return { field, message: missing }
  if (code === 'too_long') return { field, message: words.tooLong(label, MOST_CHARACTERS[field]) }
  return { field, message: field === 'email' ? words.email : words.line(label) }
}

function answerProblem(code: string, { text, kind }: Question, words: Texts['apply']): string {
  if (code === 'missing') return words.missingAnswer(text)
  if (code === 'too_long') return words.tooLong(text, MOST_ANSWER)
  return kind === 'text' ? words.line(text) : words.choice(text)
}

export const isLong = (name: FieldName): boolean => LINES.includes(name)

/** What can be answered, and how it is called. */
export function choicesOf(
  { kind, options = [] }: Question,
  { yes, no }: Texts['apply'],
): (readonly [string, string])[] {
  if (kind === 'choice') return options.map((option) => [option, option])
  return YES_NO.map((value) => [value, value === 'yes' ? yes : no])
}
