import { sql } from 'kysely'

/** How PostgreSQL names the types of the columns of such rows. */
export type Types<Row> = Record<keyof Row & string, 'text' | 'bigint'>

/** The values of rows, an array for each of their columns. */
export type Arrays<Row> = { [Name in keyof Row]: Row[Name][] }

/**
 * Many rows as a table of a statement on PostgreSQL, with their place. Its text is the same however many they
 * are, so that a connection parses it once.
 */
export function givenRows<Row>(types: Types<Row>, fill: (name: keyof Row & string) => unknown) {
  const names = Object.keys(types) as (keyof Row & string)[]
  const arrays = names.map((name) => sql`${fill(name)}::${sql.raw(types[name])}[]`)
  const columns = sql.join([...names, 'place'].map((name) => sql.ref(name)))
  return sql<Row & { place: number }>`unnest(${sql.join(arrays)}) with ordinality`.as<'given'>(
    sql`given (${columns})`,
  )
}

export function arraysOf<Row extends object>(types: Types<Row>, rows: Row[]): Arrays<Row> {
  const names = Object.keys(types) as (keyof Row & string)[]
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])) as Arrays<Row>
}
