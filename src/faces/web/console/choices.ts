import * as categories from '../../../categories/store.ts'
import type { Context } from '../../../context.ts'
import type { Html } from '../../../http/html.ts'
import { wholeNumberOf } from '../../../http/int64.ts'
import { list as listOrganizations } from '../../../organizations/list.ts'
import { listBreeds } from '../breeds.ts'
import { categoryLabel } from '../formats.ts'
import { type Problem, selectField, type TextField, textField } from '../forms.ts'
import type { Visit } from './visit.ts'

// Reads the choices of a form from the database: categories and organizations.

export type Choice = readonly [value: string, words: string]

export interface Choices {
  categories: Choice[]
  /** The breeds to suggest, of the category of the form. */
  breeds?: string[]
  /**
   * Absent if there is nothing to choose. The value is `many` if there are too many to list; people then type
   * an id.
   */
  organizations?: Choice[] | 'many' | undefined
}

const MAX_ORGANIZATIONS = 200

export async function readChoices(visit: Visit): Promise<Choices> {
  const kinds = (await readKinds(visit)).map(({ id, words }): Choice => [String(id), words])
  return { categories: kinds, organizations: await readOrganizations(visit) }
}

export async function readFormChoices(
  visit: Visit,
  { categoryId }: { categoryId?: string },
): Promise<Choices> {
  const breeds = await listBreeds(visit.db, wholeNumberOf(categoryId))
  return { ...(await readChoices(visit)), breeds }
}

/** The categories, each with its stored name and its label in the language of the page. */
export async function readKinds({ db, texts }: Visit) {
  return (await categories.list(db)).map(({ id, name }) => ({ id, name, words: categoryLabel(texts, name) }))
}

/**
 * Reads the organizations to choose from. @returns undefined if the caller belongs to an organization or none
 * exist
 */
export async function readOrganizations(visit: Visit): Promise<Choices['organizations']> {
  const { db } = visit
  const { organizationId } = visit.caller
  if (organizationId !== undefined) return undefined
  const found = await listOrganizations(db, { limit: MAX_ORGANIZATIONS, within: 1 })
  if (found.length > MAX_ORGANIZATIONS) return 'many'
  const choices = found.map(({ id, name, code }): Choice => [String(id), `${name} (${code})`])
  return choices.length > 0 ? choices : undefined
}

/** The organization of the service, if it has only one. */
export async function readOnlyOrganization({ db }: Pick<Context, 'db'>) {
  const [only, ...others] = await listOrganizations(db, { limit: 1, within: 1 })
  return others.length === 0 ? only : undefined
}

/** The value of the only choice, which a form selects. */
export const onlyChoice = (choices: Choices['organizations']): string =>
  Array.isArray(choices) && choices.length === 1 ? (choices[0]?.[0] ?? '') : ''

/** The field that chooses an organization. @param none the label of the choice of no organization */
export const organizationSelect = (
  organizations: NonNullable<Choices['organizations']>,
  field: TextField,
  none: string,
): Html =>
  organizations === 'many'
    ? textField({ ...field, inputMode: 'numeric' })
    : selectField({ ...field, choices: [['', none], ...organizations] })

interface OrganizationField {
  value: string
  problems: readonly Problem[]
  hint: string
}

/**
 * The field for the organization of a person or key. Callers who belong to an organization do not see the
 * field.
 */
export async function organizationField(
  visit: Visit,
  { value, problems, hint }: OrganizationField,
): Promise<Html | undefined> {
  const { people } = visit.words
  const found = await readOrganizations(visit)
  if (found === undefined) return undefined
  const field = { name: 'organizationId', label: people.organization, value, problems, hint }
  return organizationSelect(found, field, people.everywhere)
}
