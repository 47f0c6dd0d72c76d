import type TypeBox from 'typebox'
import type { TSchema } from 'typebox'
import { ApiError, type ErrorCode } from '../errors.ts'
import { parseInt64 } from './int64.ts'
import { MULTILINE, ONE_LINE } from './text.ts'

export type { Static, TProperties, TSchema } from 'typebox'

/** Schemas of optional members. JSON Schema has none: the object lists the required members instead. */
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

/** Marks operations and members that were added to the contract and may still change, with notice. */
export const BETA = { 'x-stability': 'beta' } as const

const text = (pattern: string, maxLength: number, description?: string) =>
  Type.String({ ...(description && { description }), minLength: 1, maxLength, pattern })

export const line = (maxLength: number, description?: string) => text(ONE_LINE, maxLength, description)
export const lines = (maxLength: number, description?: string) => text(MULTILINE, maxLength, description)

/** @param rows what the list consists of, such as `orders` */
export const limitOf = (rows: string, maximum = 100, usual = 20) =>
  Type.Integer({ description: `Maximum number of ${rows} returned.`, minimum: 1, maximum, default: usual })

/** The schema of an id in a path: an integer, but read as text, so an invalid id is a 404 and not a 400. */
export const pathId = (description: string) =>
  Type.Unsafe<string>({ type: 'integer', format: 'int64', description })

/** Parses an id in a path. @throws {ApiError} with this code if the text is not an int64 */
export function parsePathId(text: string, notFound: ErrorCode): number {
  const id = parseInt64(text)
  if (id === undefined) throw new ApiError(notFound)
  return id
}

// JSON Merge Patch (RFC 7396): members that are not named stay, null removes one, and objects are merged.

/** A patch of a value. Null removes the value. An object may contain only some members. */
export type MergePatch<Value> =
  | null
  | (Value extends unknown[]
      ? Value
      : Value extends object
        ? { [Name in keyof Value]?: MergePatch<Value[Name]> }
        : Value)

/** The parts of a schema that `toPatchSchema` reads. */
export interface PatchableSchema {
  title?: string
  type?: unknown
  enum?: unknown[]
  properties?: Record<string, PatchableSchema>
  required?: unknown
}

/** Makes the schema of a patch: allows null and partial objects. The merged result is validated again. */
export function toPatchSchema({
  title,
  type,
  enum: values,
  properties,
  required: _,
  ...rules
}: PatchableSchema): TSchema {
  const parts = Object.entries(properties ?? {}).map(([name, part]) => [name, toPatchSchema(part)])
  return Type.Optional(
    Type.Unsafe({
      ...rules,
      ...(title && { title: `${title}Patch` }),
      type: [type, 'null'],
      ...(values && { enum: [...values, null] }),
      ...(properties && { properties: Object.fromEntries(parts) }),
    }),
  )
}

type Json = Record<string, unknown>

/** Applies a patch to an object. The result has its members in the order of the schemas. */
export function mergeMembers(schemas: Record<string, object>, before: object, patch: object): Json {
  const [oldMembers, patchMembers] = [before as Json, patch as Json]
  const merged: Json = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const value = mergeValue(schema, oldMembers[name], patchMembers[name])
    if (value !== undefined) merged[name] = value
  }
  return merged
}

/** Merges one value. Returns undefined for an object that has no members left, which removes it. */
function mergeValue(schema: object, before: unknown, patch: unknown): unknown {
  if (patch === undefined) return before
  if (patch === null) return undefined
  const { properties } = schema as { properties?: Record<string, object> }
  if (!properties) return patch
  const merged = mergeMembers(properties, before ?? {}, patch as Json)
  return Object.keys(merged).length > 0 ? merged : undefined
}
