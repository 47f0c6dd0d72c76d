import type { Texts } from '../../texts/texts.ts'
import type { Choice, Choices } from '../forms/choices.ts'
import { schemaOf } from './fields.ts'

const listed = ({ organizations }: Choices): Choice[] => (Array.isArray(organizations) ? organizations : [])

/** The choices of a field, with words for each. */
export function choicesOf(
  name: string,
  { common, console: words }: Pick<Texts, 'common' | 'console'>,
  choices: Choices,
): Choice[] {
  const { fields } = words.animal
  if (name === 'categoryId') return [['', fields.choose], ...choices.categories]
  if (name === 'organizationId') return [['', fields.none], ...listed(choices)]
  const named: Record<string, Record<string, string>> = { ...common, coat: fields.coat } as never
  const values = (schemaOf(name).enum ?? []) as string[]
  return [['', fields.notKnown], ...values.map((value): Choice => [value, named[name]?.[value] ?? value])]
}
