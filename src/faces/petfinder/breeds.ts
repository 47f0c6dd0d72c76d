import type { Db } from '../../db/tables.ts'
import * as vocabulary from '../../vocabulary/store.ts'
import type { Categories, Type } from './types.ts'

/** Of one category; an operator's list may be longer than the first one, and not without end. */
const MOST_WORDS = 2_000

/** The names of breeds of a type, each once, in the order of the alphabet. */
export async function breedsOf(db: Db, { typeOf }: Categories, type: Type): Promise<string[]> {
  const names = new Set<string>()
  for (const [categoryId, other] of typeOf) {
    if (other !== type) continue
    const words = await vocabulary.list(db, 'breed', { categoryId, limit: MOST_WORDS })
    for (const { name } of words) names.add(name)
  }
  return [...names].sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
}
