import buildSerializer from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

type Serialize = (value: unknown) => string

/** Caches compiled schemas, because routes share schemas, such as the schemas of errors. */
const compiled = new WeakMap<object, Serialize>()

/**
 * Serializes responses by their schemas, and drops members that the schema does not name. A schema is
 * compiled on first use. Compiling all of them at start would take a tenth of a second, because there are
 * hundreds.
 */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  return (value) => {
    let serialize = compiled.get(schema)
    if (!serialize) {
      serialize = buildSerializer(schema) as Serialize
      compiled.set(schema, serialize)
    }
    return serialize(value)
  }
}
