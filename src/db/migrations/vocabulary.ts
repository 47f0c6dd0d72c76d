import { type Kysely, sql } from 'kysely'
import { FIRST_BREEDS, FIRST_COLORS } from './first-words.ts'

/** @param id the column, as the engine makes ids */
export async function addVocabulary(db: Kysely<unknown>, id: string): Promise<void> {
  await sql
    .raw(`create table vocabulary (
    ${id},
    kind text not null check (kind in ('breed', 'color')),
    category_id bigint not null references category (id) on delete cascade,
    name text not null,
    folded_name text not null,
    unique (kind, category_id, folded_name)
  )`)
    .execute(db)
  await sql.raw('create index vocabulary_by_category on vocabulary (category_id)').execute(db)
  if (await isNew(db)) {
    await fill(db, 'breed', FIRST_BREEDS)
    await fill(db, 'color', FIRST_COLORS)
  }
}

/** A store that somebody works with gets new names when its operator asks for them. */
async function isNew(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`
    select id from pet union all select id from api_key limit 1
  `.execute(db)
  return rows.length === 0
}

async function fill(db: Kysely<unknown>, kind: string, words: Record<string, string>): Promise<void> {
  for (const [category, names] of Object.entries(words)) {
    const rows = names.split('; ').map((name) => sql`(${name}, ${name.toLowerCase()})`)
    await sql`
      insert into vocabulary (kind, category_id, name, folded_name)
      select ${kind}, category.id, word.column1, word.column2
      from category, (values ${sql.join(rows)}) as word
      where category.name = ${category}
    `.execute(db)
  }
}
