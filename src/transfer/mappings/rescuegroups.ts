import type { PetStatus } from '../../pets/schema.ts'
import { type Fields, type Mapping, Refused } from '../animal.ts'

const STATUSES: Record<string, PetStatus> = {
  available: 'available',
  'available for adoption': 'available',
  adopted: 'sold',
  hold: 'pending',
  pending: 'pending',
  'adoption pending': 'pending',
}

interface Resource {
  type?: string
  id?: string
  attributes?: Fields
  relationships?: Record<string, { data?: { type: string; id: string }[] }>
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
    const { data, included } = (value ?? {}) as { data?: unknown; included?: unknown }
    if (data === undefined) return Array.isArray(value) ? value.map(flat) : [flat(value)]
    const known = new Map(listOf(included).map((resource) => [keyOf(resource), resource.attributes]))
    return listOf(data).map((animal) => ({
      ...flat(animal),
      ...named('species', known.get(firstOf(animal, 'species'))?.singular),
      ...named('status', known.get(firstOf(animal, 'statuses'))?.name),
    }))
  },
  toAnimal({ name, species, status }) {
    const ours = STATUSES[String(status ?? '').toLowerCase()]
    if (!ours) {
      const found = status === undefined ? 'There is no status' : `The status "${status}" has no counterpart`
      throw new Refused(`${found}; Available, Hold, Pending and Adopted are read.`)
    }
    return { name, species: String(species ?? ''), status: ours }
  },
}

function listOf(value: unknown): Resource[] {
  return Array.isArray(value) ? value : value ? [value as Resource] : []
}

/** The attributes and the id, side by side. */
function flat(value: unknown): Fields {
  const { attributes, ...resource } = (value ?? {}) as Resource
  return attributes ? { ...attributes, id: resource.id } : { ...resource }
}

function keyOf({ type, id }: { type?: string; id?: string }): string {
  return `${type} ${id}`
}

function firstOf({ relationships }: Resource, name: string): string {
  return keyOf(listOf(relationships?.[name]?.data)[0] ?? {})
}

function named(name: string, value: unknown): Fields {
  return value === undefined ? {} : { [name]: value }
}
