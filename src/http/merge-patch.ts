import { type TSchema, Type } from './type.ts'

// JSON Merge Patch (RFC 7396): members that are absent stay, null removes one, objects are merged.

/** What null removes: a member that may be absent, and whatever is in it. */
export type Removable<Value> =
  | null
  | (Value extends unknown[]
      ? Value
      : Value extends object
        ? { [Name in keyof Value]?: Removable<Value[Name]> }
        : Value)

/** What of a schema decides about null. */
export interface Rules {
  title?: string
  type?: unknown
  enum?: unknown[]
  properties?: Record<string, Rules>
  required?: unknown
}

/** A schema that takes null too, and of an object a part; what that makes of the whole is judged later. */
export function removable({ title, type, enum: values, properties, required: _, ...rules }: Rules): TSchema {
  const parts = Object.entries(properties ?? {}).map(([name, part]) => [name, removable(part)])
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

/** What a patch makes of an object, its members in the order of their schemas. */
export function mergeMembers(schemas: Record<string, object>, before: object, patch: object): Json {
  const [old, added] = [before as Json, patch as Json]
  const merged: Json = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const value = mergeValue(schema, old[name], added[name])
    if (value !== undefined) merged[name] = value
  }
  return merged
}

/** An object that holds nothing says nothing: it is absent. */
function mergeValue(schema: object, before: unknown, patch: unknown): unknown {
  if (patch === undefined) return before
  if (patch === null) return undefined
  const { properties } = schema as { properties?: Record<string, object> }
  if (!properties) return patch
  const merged = mergeMembers(properties, before ?? {}, patch as Json)
  return Object.keys(merged).length > 0 ? merged : undefined
}
