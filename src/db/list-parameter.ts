import { type RawBuilder, sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Db } from './tables.ts'

// A list of values in one parameter: the text of the statement is the same however many they are.

/** @param list as `listOf` gives it */
export function inList(db: Db, list: unknown, type: 'bigint' | 'text'): RawBuilder<never> {
  if (dialectOf(db).engine === 'sqlite') return sql`(select value from json_each(${list}))`
  return sql`(select unnest(${list}::${sql.raw(type)}[]))`
}

export const listOf = (db: Db, values: unknown[]): unknown =>
  dialectOf(db).engine === 'sqlite' ? JSON.stringify(values) : values
