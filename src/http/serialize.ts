import buildSerializer from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

type Serialize = (value: unknown) => string

/** Routes share schemas, such as those of the errors. */
const compiled = new WeakMap<object, Serialize>()

/**
 * Writes answers by the schemas that describe them: a member that no schema names is left out. A schema is
 * compiled with the first answer that needs it: the hundreds of a start would take a tenth of a second.
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
