import type { FastifyRequest } from 'fastify'
import * as categories from '../../../categories/store.ts'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Html } from '../../../http/html.ts'
import { list as listOrganizations } from '../../../organizations/list.ts'
import { listBreeds } from '../breeds.ts'
import { categoryLabel } from '../formats.ts'
import { type Problem, selectField, textField } from '../forms.ts'
import { wholeNumberOf } from './address.ts'
import { wordsFor } from './frame.ts'

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

export async function readChoices({ db }: Pick<Context, 'db'>, request: FastifyRequest): Promise<Choices> {
  const kinds = (await readKinds({ db }, request)).map(({ id, words }): Choice => [String(id), words])
  return { categories: kinds, organizations: await readOrganizations({ db }, request.caller) }
}

/** The choices of the form of an animal. */
export async function readFormChoices(
  context: Pick<Context, 'db'>,
  request: FastifyRequest,
  { categoryId }: { categoryId?: string },
): Promise<Choices> {
  const breeds = await listBreeds(context.db, wholeNumberOf(categoryId))
  return { ...(await readChoices(context, request)), breeds }
}

/** The categories, each with its stored name and its label in the language of the page. */
export async function readKinds({ db }: Pick<Context, 'db'>, request: Pick<FastifyRequest, 'headers'>) {
  const texts = wordsFor(request)
  return (await categories.list(db)).map(({ id, name }) => ({ id, name, words: categoryLabel(texts, name) }))
}

/**
 * Reads the organizations to choose from. @returns undefined if the caller belongs to an organization or none
 * exist
 */
export async function readOrganizations(
  { db }: Pick<Context, 'db'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<Choices['organizations']> {
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
  context: Pick<Context, 'db'>,
  request: FastifyRequest,
  { value, problems, hint }: OrganizationField,
): Promise<Html | undefined> {
  const { people } = wordsFor(request).words
  const found = await readOrganizations(context, request.caller)
  if (found === undefined) return undefined
  const field = { name: 'organizationId', label: people.organization, value, problems, hint }
  if (found === 'many') return textField({ ...field, inputMode: 'numeric' })
  return selectField({ ...field, choices: [['', people.everywhere], ...found] })
}
