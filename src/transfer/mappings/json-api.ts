import type { Fields } from '../animal.ts'
import { isObject } from '../source-row.ts'

// Documents of JSON:API (jsonapi.org): resources that refer to others, which stand in `included`.

/** What a document of JSON:API should hold; anything may be there instead. */
export interface Resource extends Fields {
  type?: unknown
  id?: unknown
  attributes?: Fields
  relationships?: Record<string, { data?: unknown } | null>
}

export function textOf(value: unknown): string {
  return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : ''
}

export function objectsIn(value: unknown): Resource[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject)
}

/** The attributes and the id, side by side. */
export function flat(value: unknown): unknown {
  if (!isObject(value)) return value
  const { attributes, ...resource } = value as Resource
  return attributes ? { ...attributes, id: resource.id } : { ...resource }
}

export function keyOf({ type, id }: Resource): string {
  return `${textOf(type)} ${textOf(id)}`
}

export function allOf({ relationships }: Resource, name: string): string[] {
  return objectsIn(relationships?.[name]?.data).map(keyOf)
}

/** The names of what a relationship leads to, with commas between them. */
export function namesOf(resources: (Fields | undefined)[]): string | undefined {
  const names = resources.flatMap((resource) => textOf(resource?.name) || [])
  return names.length > 0 ? names.join(', ') : undefined
}

export function firstOf({ relationships }: Resource, name: string): string {
  return keyOf(objectsIn(relationships?.[name]?.data)[0] ?? {})
}

export function named(name: string, value: unknown): Fields {
  return value === undefined ? {} : { [name]: value }
}
