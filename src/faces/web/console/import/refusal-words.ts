import { ApiError, type ErrorDetail } from '../../../../errors.ts'
import { isOnlyDayFirst } from '../../../../transfer/dates.ts'
import type { Refusal, RefusalReason, Summary } from '../../../../transfer/report.ts'
import type { Texts } from '../../texts/texts.ts'
import { FORM_FIELDS, schemaOf } from '../animals/form.ts'
import { field, NON_FIELD, problemsOf } from '../fields.ts'

/** Why a line or a file is not imported. */
export type Reason = Pick<Refusal, 'reason' | 'why'>

/**
 * A file has a column for the status. The form of an animal has buttons for the status instead of a field.
 */
const FIELDS = [...FORM_FIELDS, field('status', 'choice')]
const KINDS = new Map<string, string>(FIELDS.map(({ name, kind }) => [name, kind]))

/** The reasons in the words of the console. They do not mention options of the command. */
export function reasonsIn({ reason, why = [] }: Reason, words: Texts['console']): string[] {
  if (why.length === 0) return [withoutOptions(reason)]
  return [...new Set(why.map((one) => sentenceOf(one, words)))]
}

function sentenceOf(why: RefusalReason, words: Texts['console']): string {
  const { code = '', pointer, value = '', message } = why
  const reasons: Record<string, ((value: string) => string) | undefined> = words.import.refusals.reasons
  const own = reasons[code]
  if (own) return own(value)
  if (pointer !== undefined) return ofField(why, words) ?? withoutOptions(message)
  return words.errors[code] ?? withoutOptions(message)
}

/**
 * The label of data that the import left out, with an example of a value.
 *
 * @param name the name in the import's summary
 */
export function leftOutIn(
  name: string,
  { notUnderstood = [] }: Pick<Summary, 'notUnderstood'>,
  { import: { refusals } }: Texts['console'],
): string {
  const reason = Object.keys(refusals.left).find((one) => name.endsWith(` (${one})`))
  if (reason === undefined) return name
  const column = name.slice(0, -` (${reason})`.length)
  const first = notUnderstood.find((one) => one.column === column)
  const example = first ? `: ${refusals.onLine(first.value, first.line)}` : ''
  return `${column} (${refusals.left[reason]})${example}`
}

/** @returns undefined if the form of an animal has no such field */
function ofField(
  { code, pointer, value, message }: RefusalReason,
  words: Texts['console'],
): string | undefined {
  const { refusals } = words.import
  const { labels, problems } = words.animal.fields
  const detail = { code, pointer, message } as ErrorDetail
  let isQuoted = false
  const [problem] = problemsOf(new ApiError('validation_failed', { details: [detail] }), words, {
    fields: FIELDS,
    labels,
    maxLengthOf: (name) => schemaOf(name).maxLength,
    messageOf(name) {
      const label = labels[name] ?? name
      if (code === 'external_id_exists') return problems.taken(label)
      // Such an error without a value means that the field contradicts the date of birth.
      if (value === undefined && name === 'age') return problems.age(label)
      if (value === undefined && name === 'birthDateExact') return refusals.exactAlone
      if (value === undefined) return undefined
      const kind = KINDS.get(name) ?? ''
      const isDayFirst = kind === 'date' && isOnlyDayFirst(value)
      const options = (schemaOf(name).enum ?? []) as string[]
      const sentence = refusals.fields[isDayFirst ? 'dayFirst' : kind]?.(label, value, options)
      isQuoted = sentence !== undefined
      return sentence
    },
  })
  if (!problem || problem.field === NON_FIELD) return undefined
  return value === undefined || isQuoted ? problem.message : `${problem.message} ${refusals.found(value)}`
}

/** Clauses about options of the command, which do not exist in the console. */
const WITH_OPTION = /(?:^|[;:.,]) [^;:.,]*(?<= )--[a-z][^;:.,]*/g

function withoutOptions(text: string): string {
  const left = text.replaceAll(WITH_OPTION, '').trim()
  const sentence = left.charAt(0).toUpperCase() + left.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
