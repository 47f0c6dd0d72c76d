import type { FastifyRequest } from 'fastify'
import * as categories from '../../../categories/store.ts'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Html } from '../../../http/html.ts'
import { list as listOrganizations } from '../../../organizations/search.ts'
import { type Problem, selectField, textField } from '../forms.ts'
import { kindWords } from '../kind-words.ts'
import { wordsFor } from './frame.ts'

// The choices of a form that the store knows: categories and organizations.

export type Choice = readonly [value: string, words: string]

export interface Choices {
  categories: Choice[]
  /** Absent if there is nothing to choose. If there are too many to list, people type the id. */
  organizations?: Choice[] | 'many' | undefined
}

const MAX_ORGANIZATIONS = 200

export async function readChoices({ db }: Pick<Context, 'db'>, request: FastifyRequest): Promise<Choices> {
  const kinds = (await readKinds({ db }, request)).map(({ id, words }): Choice => [String(id), words])
  return { categories: kinds, organizations: await readOrganizations({ db }, request.caller) }
}

/** The categories, each with its name in the store and its words in the language of the page. */
export async function readKinds({ db }: Pick<Context, 'db'>, request: Pick<FastifyRequest, 'headers'>) {
  const texts = wordsFor(request)
  return (await categories.list(db)).map(({ id, name }) => ({ id, name, words: kindWords(texts, name) }))
}

/** The organizations that a caller of the whole installation chooses from. */
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

interface OrganizationField {
  value: string
  problems: readonly Problem[]
  hint: string
}

/** The organization of a person or a key. A caller who belongs to an organization chooses none. */
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
