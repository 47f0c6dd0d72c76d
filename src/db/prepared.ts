import type { Compilable, CompiledQuery } from 'kysely'
import { NodeSqliteAdapter } from './sqlite.ts'
import type { Db } from './tables.ts'

/** Stands for a value while its query is built. */
class Blank {
  readonly name: PropertyKey
  constructor(name: PropertyKey) {
    this.name = name
  }
}

/** Fills the place of a value that is known only when the query runs. */
export type Fill<Values> = <Name extends keyof Values>(name: Name) => NonNullable<Values[Name]>

const names = new Map<string, string>()

/** Under which PostgreSQL keeps, for as long as a connection lives, what it made of such a query's text. */
export function nameOf(sql: string): string | undefined {
  return names.get(sql)
}

/**
 * A query that is built once for each engine and shape, and then run with other values: to build one costs
 * more than SQLite needs to answer it. Its rows are tuples, in the order of the columns: objects cost SQLite's
 * driver 1.4 times as much.
 *
 * @param build makes the query; what decides about its text may be read from the values, and is their shape
 */
export function prepared<Values extends object, Row extends unknown[]>(
  build: (db: Db, fill: Fill<Values>, values: Values) => Compilable<unknown>,
  shapeOf: (values: Values) => string = () => '',
): (db: Db, values: Values) => Promise<Row[]> {
  const engines = new Map<unknown, Map<string, CompiledQuery>>()
  const fill = ((name: PropertyKey) => new Blank(name)) as never

  return async (db, values) => {
    const { adapter } = db.getExecutor()
    const engine = adapter.constructor
    const shapes = engines.get(engine) ?? new Map<string, CompiledQuery>()
    engines.set(engine, shapes)
    const shape = shapeOf(values)
    const query = shapes.get(shape) ?? build(db, fill, values).compile()
    shapes.set(shape, query)
    const parameters = query.parameters.map((value) =>
      value instanceof Blank ? values[value.name as keyof Values] : value,
    )
    // Kysely's way to a connection costs as much as such a query, and the embedded store has but one.
    if (adapter instanceof NodeSqliteAdapter) return adapter.executeQuery<Row>({ ...query, parameters })
    if (!names.has(query.sql)) names.set(query.sql, `adoptable_${names.size}`)
    const { rows } = await db.executeQuery<object>({ ...query, parameters })
    return rows.map((row) => Object.values(row) as Row)
  }
}
