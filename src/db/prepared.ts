import type { Compilable, CompiledQuery } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Db } from './tables.ts'

/** Stands for a value while its query is built. */
class Blank {
  readonly name: PropertyKey
  constructor(name: PropertyKey) {
    this.name = name
  }
}

/** Far more than the shapes of any query of ours. */
const MAX_SHAPES = 500

/** Fills the place of a value that is known only when the query runs. */
export type Fill<Values> = <Name extends keyof Values>(name: Name) => NonNullable<Values[Name]>

/**
 * A query that is built once for each engine and shape, and then run with other values: to build one costs
 * more than SQLite needs to answer it.
 *
 * @param build makes the query; what decides about its text may be read from the values, and is their shape
 */
export function prepared<Values extends object, Row extends object>(
  build: (db: Db, fill: Fill<Values>, values: Values) => Compilable<unknown>,
  shapeOf: (values: Values) => string = () => '',
): (db: Db, values: Values) => Promise<Row[]> {
  const built = { sqlite: new Map<string, CompiledQuery>(), postgres: new Map<string, CompiledQuery>() }
  const fill = ((name: PropertyKey) => new Blank(name)) as never

  return (db, values) => {
    const dialect = dialectOf(db)
    const shapes = built[dialect.engine]
    const shape = shapeOf(values)
    const query = shapes.get(shape) ?? build(db, fill, values).compile()
    if (shapes.size < MAX_SHAPES) shapes.set(shape, query)
    const parameters = query.parameters.map((value) =>
      value instanceof Blank ? values[value.name as keyof Values] : value,
    )
    return dialect.run<Row>(db, { ...query, parameters })
  }
}
