import * as categories from '../../../../categories/store.ts'
import type { Context } from '../../../../context.ts'
import type { Caller } from '../../../../http/caller.ts'
import { list as listOrganizations } from '../../../../organizations/search.ts'
import type { Texts } from '../../texts/texts.ts'
import { schemaOf } from './fields.ts'

export type Choice = readonly [value: string, words: string]

/** What can be chosen that the store knows. */
export interface Choices {
  categories: Choice[]
  /** Absent where there is nothing to choose; of too many its number is typed. */
  organizations?: Choice[] | 'many' | undefined
}

const MOST_ORGANIZATIONS = 200

export async function readChoices({ db }: Pick<Context, 'db'>, caller: Caller): Promise<Choices> {
  const all = (await categories.list(db)).map(({ id, name }): Choice => [String(id), name])
  return { categories: all, organizations: await readOrganizations({ db }, caller) }
}

/** Those that somebody of the whole installation chooses from. */
export async function readOrganizations(
  { db }: Pick<Context, 'db'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<Choices['organizations']> {
  if (organizationId !== undefined) return undefined
  const found = await listOrganizations(db, { limit: MOST_ORGANIZATIONS, within: 1 })
  if (found.length > MOST_ORGANIZATIONS) return 'many'
  const choices = found.map(({ id, name, code }): Choice => [String(id), `${name} (${code})`])
  return choices.length > 0 ? choices : undefined
}

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
