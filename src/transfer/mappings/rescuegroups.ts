import type { PetStatus } from '../../pets/fields.ts'
import { type Fields, type Mapping, Refused } from '../animal.ts'

const STATUSES: Record<string, PetStatus> = {
  available: 'available',
  'available for adoption': 'available',
  adopted: 'sold',
  hold: 'pending',
  pending: 'pending',
  'adoption pending': 'pending',
}

/** What a document of JSON:API should hold; anything may be there instead. */
interface Resource extends Fields {
  type?: unknown
  id?: unknown
  attributes?: Fields
  relationships?: Record<string, { data?: unknown } | null>
}

/**
 * Answers of RescueGroups' API v5 (JSON:API): whole documents, in which `included` has what animals refer to;
 * or one animal a line, with its species and status among its attributes.
 */
export const rescueGroups: Mapping = {
  formats: ['json', 'ndjson'],
  columns: [],
  idColumn: 'id',
  animalsIn(value) {
    if (!isObject(value)) return Array.isArray(value) ? value.map(flat) : [value]
    const { data, included, errors } = value
    const [error] = objectsIn(errors)
    if (error) throw new Refused(`RescueGroups answered with an error: ${reasonOf(error)}.`)
    if (data === undefined) return [flat(value)]
    const known = new Map(objectsIn(included).map((resource) => [keyOf(resource), resource.attributes]))
    return (Array.isArray(data) ? data : [data]).map((animal: unknown) =>
      isObject(animal)
        ? {
            ...(flat(animal) as Fields),
            ...named('species', known.get(firstOf(animal, 'species'))?.singular),
            ...named('status', known.get(firstOf(animal, 'statuses'))?.name),
          }
        : animal,
    )
  },
  toAnimal({ name, species, status }) {
    const ours = STATUSES[textOf(status).toLowerCase()]
    if (!ours) {
      const word = textOf(status).slice(0, 100)
      const found = status === undefined ? 'There is no status' : `The status "${word}" has no counterpart`
      throw new Refused(`${found}; Available, Hold, Pending and Adopted are read.`)
    }
    return { name, kind: textOf(species), status: ours }
  },
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : ''
}

function reasonOf({ detail, title }: Fields): string {
  return (textOf(detail) || textOf(title) || 'without a reason').slice(0, 200).replace(/\.$/, '')
}

function objectsIn(value: unknown): Resource[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject)
}

/** The attributes and the id, side by side. */
function flat(value: unknown): unknown {
  if (!isObject(value)) return value
  const { attributes, ...resource } = value as Resource
  return attributes ? { ...attributes, id: resource.id } : { ...resource }
}

function keyOf({ type, id }: Resource): string {
  return `${textOf(type)} ${textOf(id)}`
}

function firstOf({ relationships }: Resource, name: string): string {
  return keyOf(objectsIn(relationships?.[name]?.data)[0] ?? {})
}

function named(name: string, value: unknown): Fields {
  return value === undefined ? {} : { [name]: value }
}
