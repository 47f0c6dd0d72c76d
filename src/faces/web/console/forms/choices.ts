import * as categories from '../../../../categories/store.ts'
import type { Context } from '../../../../context.ts'
import type { Caller } from '../../../../http/caller.ts'
import { list as listOrganizations } from '../../../../organizations/search.ts'

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
