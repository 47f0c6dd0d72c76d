import type { Compilable, CompiledQuery } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Db } from './tables.ts'

/** Stands for a value while the query is built. */
class Placeholder {
  readonly name: PropertyKey
  constructor(name: PropertyKey) {
    this.name = name
  }
}

/** The maximum number of shapes per query. Every real query has far fewer. */
const MAX_SHAPES = 500

/** Returns a placeholder for a value that is known only when the query runs. */
export type Fill<Values> = <Name extends keyof Values>(name: Name) => NonNullable<Values[Name]>

/**
 * Prepares a query. It is built once per engine and shape, and then run many times with different values,
 * because building takes longer than SQLite needs to run it.
 * @param build builds the query; it may read values that determine the text
 * @param shapeOf returns a string that differs whenever `build` would return another text
 */
export function prepareQuery<Values extends object, Row extends object>(
  build: (db: Db, fill: Fill<Values>, values: Values) => Compilable<unknown>,
  shapeOf: (values: Values) => string = () => '',
): (db: Db, values: Values) => Promise<Row[]> {
  const built = { sqlite: new Map<string, CompiledQuery>(), postgres: new Map<string, CompiledQuery>() }
  const fill = ((name: PropertyKey) => new Placeholder(name)) as never

  return (db, values) => {
    const dialect = dialectOf(db)
    const shapes = built[dialect.engine]
    const shape = shapeOf(values)
    const query = shapes.get(shape) ?? build(db, fill, values).compile()
    if (shapes.size < MAX_SHAPES) shapes.set(shape, query)
    const parameters = query.parameters.map((value) =>
      value instanceof Placeholder ? values[value.name as keyof Values] : value,
    )
    return dialect.run<Row>(db, { ...query, parameters })
  }
}

/** The maximum number of rows in one statement that writes many rows. */
export const MAX_STATEMENT_ROWS = 200

/** The values of many rows. A shared value has its plain name, a value of one row also the row number. */
export type RowValues = Record<string, never>

/** Combines the members of rows, under numbered names, with the values that all rows share. */
export function valuesOf(rows: object[], shared: object): RowValues {
  const values: Record<string, unknown> = { ...shared, rows: rows.length }
  for (const [index, row] of rows.entries()) {
    for (const [name, value] of Object.entries(row)) values[name + index] = value
  }
  return values as RowValues
}

/** Builds each row of the statement. @param toRow gets the function that makes placeholders for this row */
export function rowsOf<Row>(
  values: RowValues,
  fill: Fill<RowValues>,
  toRow: (own: Fill<RowValues>) => Row,
): Row[] {
  return Array.from({ length: Number(values.rows) }, (_, index) => toRow((name) => fill(`${name}${index}`)))
}

/** Returns the number of rows, which determines the text of the statement. */
export const shapeOf = ({ rows }: RowValues): string => String(rows)

const PAGE_SIZE = 1_000

/** Yields all rows by ascending id. @param read returns up to `limit` rows with ids above `after` */
export async function* pagesById<Row extends { id: number }>(
  read: (after: number, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: Row[] = await read(after, PAGE_SIZE)
    yield rows
    after = rows[PAGE_SIZE - 1]?.id
  }
}
