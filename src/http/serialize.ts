import buildSerializer from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'
import { mapInTurns } from './turns.ts'

type Serialize = (value: unknown) => string

/** Caches compiled schemas, because routes share schemas, such as the schemas of errors. */
const compiled = new WeakMap<object, Serialize>()

/**
 * Serializes responses by their schemas, and drops other members. A schema is compiled on first use, because
 * compiling all hundreds of them at start would take a tenth of a second.
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

/** Serializes and encodes a long list item by item, and lets other requests run. @param schema of an item */
export async function serializeInTurns(items: readonly object[], schema: object): Promise<Buffer> {
  const serialize = serializerCompiler({ schema } as never)
  const parts = await mapInTurns([...items.entries()], ([index, item]) =>
    Buffer.from((index === 0 ? '[' : ',') + serialize(item)),
  )
  return Buffer.concat([...parts, Buffer.from(items.length === 0 ? '[]' : ']')])
}
