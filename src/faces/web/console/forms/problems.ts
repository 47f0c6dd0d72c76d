import type { ApiError, ErrorDetail } from '../../../../errors.ts'
import type { Problem } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import type { FormField } from './fields.ts'

/** Stands for the field where the problem is that no field has: the form itself has its id. */
export const NON_FIELD = 'form'

/** The form that something is wrong with. */
export interface FormOf {
  fields: readonly FormField[]
  labels: Record<string, string>
  mostOf(name: string): number | undefined
  /** What is said of a field, where that is not what is said of all of its kind. */
  messageOf?(name: string, code: ErrorDetail['code']): string | undefined
}

/** What the contract says is wrong, in words, at the fields of the form. */
export function problemsOf(error: ApiError, words: Texts['console'], form: FormOf): Problem[] {
  const { code, details = [] } = error
  if (details.length === 0) return [{ field: NON_FIELD, message: words.errors[code] ?? words.otherError }]
  const problems = details.map((detail) => problemOf(detail, words, form))
  // One for each field: three tags that are too long are one problem.
  return [...new Map(problems.reverse().map((problem) => [problem.field, problem])).values()].reverse()
}

function problemOf(detail: ErrorDetail, words: Texts['console'], form: FormOf): Problem {
  const field = fieldAt(detail.pointer ?? '', form)
  if (!field) return { field: NON_FIELD, message: words.otherError }
  return { field: field.name, message: messageOf(detail, field, words, form) }
}

/** The field of the value that a pointer (RFC 6901) names, or is in. */
function fieldAt(pointer: string, { fields }: FormOf): FormField | undefined {
  const name = pointer.slice(1).replaceAll('/', '.')
  return fields.find((field) => name === field.name || name.startsWith(`${field.name}.`))
}

function messageOf(
  { code }: ErrorDetail,
  { name, kind }: FormField,
  words: Texts['console'],
  { labels, mostOf, messageOf: ownMessageOf }: FormOf,
): string {
  const { problems } = words.animal.fields
  const label = labels[name] ?? name
  const most = mostOf(name)
  if (code === 'missing') return problems.missing(label)
  if (code === 'too_long' && most !== undefined) return problems.tooLong(label, most)
  const own = ownMessageOf?.(name, code)
  if (own !== undefined) return own
  switch (kind) {
    case 'choice':
    case 'idChoice':
    case 'yesOrNo':
    case 'check':
      return problems.choice(label)
    case 'date':
      return problems.date(label)
    case 'list':
      return problems.list(label)
    case 'lines':
      return problems.videos(label)
    case 'ids':
      return problems.bond(label)
    case 'number':
    case 'kilograms':
    case 'money':
      return problems.number(label)
    case 'country':
    case 'currency':
      return problems.code(label)
    case 'email':
      return problems.email(label)
    case 'web':
      return problems.web(label)
    default:
      return problems.line(label)
  }
}
