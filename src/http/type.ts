import type TypeBox from 'typebox'

export type { Static, TProperties, TSchema } from 'typebox'

/** Schemas whose member may be absent: a mark beside them, since JSON Schema says it in the object around. */
const OPTIONAL = new WeakSet<object>()

type Members = Record<string, object>

function object(properties: Members, options?: object): object {
  const required = Object.keys(properties).filter((name) => !OPTIONAL.has(properties[name] as object))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

function optional(schema: object): object {
  const marked = { ...schema }
  OPTIONAL.add(marked)
  return marked
}

const BUILDERS = {
  Array: (items: object, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Enum: (values: unknown[], options?: object) => ({ enum: values, ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Object: object,
  Optional: optional,
  Record: (_key: object, value: object, options?: object) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: (options?: object) => ({ type: 'string', ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: object) => schema,
}

/**
 * TypeBox's builders that are used here, with its types, as plain JSON Schemas. Its own come in 370 modules,
 * which each process would load, and each writer thread again.
 */
export const Type = BUILDERS as unknown as Pick<typeof TypeBox, keyof typeof BUILDERS>
