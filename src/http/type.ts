import type TypeBox from 'typebox'

export type { Static, TProperties, TSchema } from 'typebox'

/**
 * Schemas of optional members. JSON Schema has no optional members: the object lists the required members
 * instead.
 */
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
 * The TypeBox builders that this project uses, with TypeBox's types. These builders return plain JSON
 * Schemas. TypeBox's own builders are 370 modules, which every process and writer thread would have to load.
 */
export const Type = BUILDERS as unknown as Pick<typeof TypeBox, keyof typeof BUILDERS>
