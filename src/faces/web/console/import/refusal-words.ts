import { ApiError, type ErrorDetail } from '../../../../errors.ts'
import type { Refusal, Why } from '../../../../transfer/animal.ts'
import { DAY_FIRST } from '../../../../transfer/left-out.ts'
import { isOnlyDayFirst } from '../../../../transfer/source-row.ts'
import type { Texts } from '../../texts/texts.ts'
import { FORM_FIELDS, schemaOf } from '../animals/form.ts'
import { field, NON_FIELD, problemsOf } from '../fields.ts'

/** Why a line or a file is not imported. */
export type Reason = Pick<Refusal, 'reason' | 'why'>

/** The form of an animal has buttons for its status; a file has a column. */
const FIELDS = [...FORM_FIELDS, field('status', 'choice')]
const KINDS = new Map<string, string>(FIELDS.map(({ name, kind }) => [name, kind]))

/** The reasons as people read them who know the fields of the console, and no command. */
export function reasonsIn({ reason, why = [] }: Reason, words: Texts['console']): string[] {
  if (why.length === 0) return [withoutOptions(reason)]
  return [...new Set(why.map((one) => sentenceOf(one, words)))]
}

function sentenceOf(why: Why, words: Texts['console']): string {
  const { code = '', pointer, value = '', message } = why
  const own = words.import.refusals.reasons[code]
  if (own) return own(value)
  if (pointer !== undefined) return ofField(why, words) ?? withoutOptions(message)
  return words.errors[code] ?? withoutOptions(message)
}

/** What was left out of a file, as the summary of the command names it. */
export const leftOutIn = (name: string, { import: { refusals } }: Texts['console']): string =>
  name.endsWith(DAY_FIRST) ? `${name.slice(0, -DAY_FIRST.length)} (${refusals.dayFirst})` : name

/** Undefined where the form of an animal has no such field. */
function ofField({ code, pointer, value, message }: Why, words: Texts['console']): string | undefined {
  const { refusals, columns } = words.import
  const { labels, problems } = words.animal.fields
  // A cell may tell its unit.
  const named = { ...labels, weightGrams: columns.labels.weightGrams ?? '' }
  const detail = { code, pointer, message } as ErrorDetail
  let isQuoted = false
  const [problem] = problemsOf(new ApiError('validation_failed', { details: [detail] }), words, {
    fields: FIELDS,
    labels: named,
    maxLengthOf: (name) => schemaOf(name).maxLength,
    messageOf(name) {
      const label = named[name as keyof typeof named] ?? name
      if (code === 'external_id_exists') return problems.taken(label)
      // No value by itself is wrong with these two.
      if (value === undefined && name === 'age') return problems.age(label)
      if (value === undefined && name === 'birthDateExact') return refusals.exactAlone
      if (value === undefined) return undefined
      const kind = KINDS.get(name) ?? ''
      const isTurned = kind === 'date' && isOnlyDayFirst(value)
      const said = refusals.fields[isTurned ? 'dayFirst' : kind]?.(label, value)
      isQuoted = said !== undefined
      return said
    },
  })
  if (!problem || problem.field === NON_FIELD) return undefined
  return value === undefined || isQuoted ? problem.message : `${problem.message} ${refusals.found(value)}`
}

/** Clauses that name an option of the command: nobody can give one here. */
const WITH_OPTION = /(?:^|[;:.,]) [^;:.,]*(?<= )--[a-z][^;:.,]*/g

function withoutOptions(text: string): string {
  const left = text.replaceAll(WITH_OPTION, '').trim()
  const sentence = left.charAt(0).toUpperCase() + left.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
