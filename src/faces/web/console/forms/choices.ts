import type { FastifyRequest } from 'fastify'
import * as categories from '../../../../categories/store.ts'
import type { Context } from '../../../../context.ts'
import type { Caller } from '../../../../http/caller.ts'
import { list as listOrganizations } from '../../../../organizations/search.ts'
import { kindWords } from '../../kind-words.ts'
import { wordsFor } from '../frame.ts'

export type Choice = readonly [value: string, words: string]

/** What can be chosen that the store knows. */
export interface Choices {
  categories: Choice[]
  /** Absent where there is nothing to choose; of too many its number is typed. */
  organizations?: Choice[] | 'many' | undefined
}

const MOST_ORGANIZATIONS = 200

export async function readChoices({ db }: Pick<Context, 'db'>, request: FastifyRequest): Promise<Choices> {
  const kinds = (await readKinds({ db }, request)).map(({ id, words }): Choice => [String(id), words])
  return { categories: kinds, organizations: await readOrganizations({ db }, request.caller) }
}

/** Categories, each as the store has it and in words of the page's language. */
export async function readKinds({ db }: Pick<Context, 'db'>, request: Pick<FastifyRequest, 'headers'>) {
  const texts = wordsFor(request)
  return (await categories.list(db)).map(({ id, name }) => ({ id, name, words: kindWords(texts, name) }))
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
