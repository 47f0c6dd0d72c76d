import type { Texts } from '../../texts/texts.ts'
import type { Choice, Choices } from '../choices.ts'
import type { FormField } from '../forms/fields.ts'
import { schemaOf } from './fields.ts'

const listed = ({ organizations }: Choices): Choice[] => (Array.isArray(organizations) ? organizations : [])

type Words = Pick<Texts, 'common' | 'console'>

/** What sex means the same by as a value that is not there: one choice stands for both. */
const UNKNOWN = 'unknown'

/** The choices of a field, with words for each. @param now what it holds */
export function choicesOf(
  name: string,
  { common, console: words }: Words,
  choices: Choices,
  now: string | undefined,
): Choice[] {
  const { fields } = words.animal
  if (name === 'categoryId') return [['', fields.choose], ...choices.categories]
  if (name === 'organizationId') return [['', fields.none], ...listed(choices)]
  const named: Record<string, Record<string, string>> = { ...common, coat: fields.coat } as never
  const values = ((schemaOf(name).enum ?? []) as string[]).filter((value) => value !== UNKNOWN)
  const notKnown: Choice = [now === UNKNOWN ? UNKNOWN : '', fields.notKnown]
  return [notKnown, ...values.map((value): Choice => [value, named[name]?.[value] ?? value])]
}

/** The text of a field as its form says it: of a choice the words for it. */
export function saidOf({ name, kind }: FormField, text: string, texts: Words): string {
  if (text === '') return text
  const { yes, no } = texts.console.animal.fields
  if (kind === 'yesOrNo' || kind === 'check') return { yes, no }[text] ?? text
  if (kind !== 'choice') return text
  const chosen = choicesOf(name, texts, { categories: [] }, text).find(([value]) => value === text)
  return chosen?.[1] ?? text
}
