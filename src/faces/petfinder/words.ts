import type { Context } from '../../context.ts'
import type { Db } from '../../db/tables.ts'
import type { Kind } from '../../vocabulary/schema.ts'
import * as vocabulary from '../../vocabulary/store.ts'
import type { Categories, Type } from './types.ts'

/** Of one category; an operator's list may be longer than the first one, and not without end. */
const MOST_WORDS = 2_000

/** The names of breeds or colors of a type, each once, in the order in which they were added. */
export async function wordsOf(db: Db, kind: Kind, { typeOf }: Categories, type: Type): Promise<string[]> {
  const names = new Set<string>()
  for (const [categoryId, other] of typeOf) {
    if (other !== type) continue
    const words = await vocabulary.list(db, kind, { categoryId, limit: MOST_WORDS })
    for (const { name } of words) names.add(name)
  }
  return [...names]
}

/** Reads the names of colors that have commas in them, in lower case. */
export function colorsReader({
  db,
  version,
}: Pick<Context, 'db' | 'version'>): () => Promise<ReadonlySet<string>> {
  let seen: number | undefined
  let known: ReadonlySet<string> = new Set()
  return async () => {
    const at = version('pages')
    if (at === seen) return known
    const words = await vocabulary.list(db, 'color', { limit: MOST_WORDS })
    known = new Set(words.flatMap(({ name }) => (name.includes(',') ? [name.toLowerCase()] : [])))
    seen = at
    return known
  }
}
