import type { ApiError } from '../../../../errors.ts'
import type { Problem } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { type FormOf, problemsOf } from '../forms/problems.ts'
import { FORM_FIELDS, schemaOf } from './fields.ts'

/** What the contract says is wrong with an animal, in words, at the fields of its form. */
export function petProblems(error: ApiError, words: Texts['console']): Problem[] {
  const { labels, problems } = words.animal.fields
  const { externalId = '', age = '' } = labels
  if (error.code === 'external_id_exists')
    return [{ field: 'externalId', message: problems.taken(externalId) }]
  const form: FormOf = {
    fields: FORM_FIELDS,
    labels,
    mostOf: (name) => schemaOf(name).maxLength,
    messageOf: (name, code) => (name === 'age' && code === 'invalid_value' ? problems.age(age) : undefined),
  }
  return problemsOf(error, words, form)
}
