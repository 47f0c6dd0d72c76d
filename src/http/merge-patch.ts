import { type TSchema, Type } from './type.ts'

// JSON Merge Patch (RFC 7396). A member that the patch does not name stays, null removes a member, and
// objects are merged.

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

/**
 * Makes a schema of patches, which also accepts null and partial objects. Another schema validates the merged
 * result later.
 */
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
