import type { FastifyReply, FastifyRequest } from 'fastify'
import * as categories from '../../../categories/store.ts'
import { ApiError } from '../../../errors.ts'
import { ONE_LINE } from '../../../http/text.ts'
import { type Static, Type } from '../../../http/type.ts'
import { FILTERS } from '../../../pets/filter-schemas.ts'
import type { PetQuery } from '../../../pets/schema.ts'
import { type Gallery, LISTED } from './animals.ts'

// What the address of a list asks for, and what that means for the search.

export const PER_PAGE = 24

const SORTS = ['newest', 'waiting', 'nearest'] as const

/** In kilometres. */
export const DISTANCES = [10, 25, 50, 100, 200, 500]

const { q, breed, age, size, sex, goodWithChildren, goodWithDogs, goodWithCats, near } = FILTERS

export const AskedQuery = Type.Object({
  /** The name of a category. */
  kind: Type.Optional(Type.String({ maxLength: 100, pattern: ONE_LINE })),
  q,
  breed,
  age,
  size,
  sex,
  goodWithChildren,
  goodWithDogs,
  goodWithCats,
  near,
  within: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
  sort: Type.Optional(Type.Enum([...SORTS], { type: 'string' })),
  cursor: Type.Optional(Type.String()),
})
export type Asked = Static<typeof AskedQuery>

/** Hook, before a query is read: a form sends all its fields, and an empty one asks for nothing. */
export function dropEmpty(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const given = Object.entries(request.query as Record<string, string | string[]>).flatMap(
    ([name, value]) => {
      const values = [value].flat().filter((one) => one.trim() !== '')
      const [first, ...more] = values
      if (first === undefined) return []
      return [[name, more.length > 0 ? values : first] as const]
    },
  )
  request.query = Object.fromEntries(given)
  done()
}

/** The order that nobody has to ask for: who looks near a place wants the nearest. */
const sortOf = ({ sort, near }: Asked): (typeof SORTS)[number] =>
  sort ?? (near === undefined ? 'newest' : 'nearest')

/** Those added last come first. Ids tell that, in an order that costs as much among ten million animals. */
const ORDERS = { newest: '-id', waiting: 'id', nearest: 'distance' } as const

/** @throws {ApiError} invalid_parameter for a kind that is not there */
export async function petQueryOf({ kinds }: Gallery, asked: Asked): Promise<PetQuery> {
  const { kind, cursor, sort, ...filters } = asked
  return {
    ...filters,
    status: [...LISTED],
    ...(kind !== undefined && { categoryId: [await idOfKind(kinds, kind)] }),
    limit: PER_PAGE,
    sort: ORDERS[sortOf(asked)],
  }
}

/** @throws {ApiError} invalid_parameter for one that is not there */
export async function idOfKind(kinds: Gallery['kinds'], kind: string): Promise<number> {
  const wanted = categories.fold(kind)
  for (const { id, name } of (await kinds()).values()) if (categories.fold(name) === wanted) return id
  throw new ApiError('invalid_parameter', {
    details: [{ parameter: 'kind', code: 'invalid_value', message: 'There is no category with this name.' }],
  })
}

/** In the order in which addresses have them, without what goes without saying. */
export function parametersOf(asked: Asked): [name: string, value: string][] {
  const { cursor, within, ...filters } = asked
  const shown = asked.near === undefined ? filters : { ...filters, within }
  return Object.entries(shown).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  )
}

/** The address of a list. */
export function listPath(parameters: [name: string, value: string][], cursor?: string): string {
  const query = new URLSearchParams(parameters)
  if (cursor !== undefined) query.set('cursor', cursor)
  const text = query.toString()
  return text === '' ? '/animals' : `/animals?${text}`
}
