import { sql } from 'kysely'
import { dialectOf, listParameter } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import type { PetStatus } from './fields.ts'
import type { FieldSelection, RenderOptions } from './row.ts'
import type { NewPet, Pet, PetHistory } from './schema.ts'
import { countMatches } from './search/facets.ts'
import type { Finder } from './search/filters.ts'
import { type SearchQuery, type StaffSort, searchPets } from './search/find.ts'
import type { Position } from './search/matching.ts'

// Lists for staff: all animals, including unlisted animals, and the latest changes.

/** The filters and the order of a list of animals for staff. */
export interface StaffPetQuery {
  q?: string | undefined
  /** `unlisted` and `left` are for animals without a status, which are still here or have left. */
  status?: PetStatus | 'unlisted' | 'left' | undefined
  categoryId?: number | undefined
  organizationId?: number | undefined
  hasPhotos?: boolean | undefined
  /** Restricts the result to these animals. Requires the order `-id`, and no other filter but the organization. */
  ids?: number[]
  sort: '-id' | StaffSort
}

export type StaffPet = Partial<Pet> &
  Pick<Pet, 'id' | 'name'> & { publishedAt?: string; statusChangedAt?: string; createdAt?: string }

interface StaffPetStart {
  query: StaffPetQuery
  limit: number
  after?: Position | undefined
  selection: FieldSelection
  renderOptions: RenderOptions
}

/** A page of animals. `next` is where the next page starts, if there is one. */
export interface StaffPetPage {
  found: StaffPet[]
  next?: Position | undefined
}

export async function listForStaff(
  finder: Finder,
  { query, limit, after, selection, renderOptions }: StaffPetStart,
): Promise<StaffPetPage> {
  const { q, ids, status, categoryId, organizationId, hasPhotos, sort } = query
  const petQuery = {
    ...{ limit, within: 1, sort, q, id: ids },
    ...(status === 'unlisted' || status === 'left'
      ? { withoutStatus: status }
      : status && { status: [status] }),
    ...(categoryId !== undefined && { categoryId: [categoryId] }),
    ...(organizationId !== undefined && { organizationId: [organizationId] }),
    ...(hasPhotos !== undefined && { hasPhotos: String(hasPhotos) }),
  } as SearchQuery
  const { found, next } = await searchPets(finder, { query: petQuery, selection, after }, renderOptions)
  const last = found.length > limit ? found[limit - 1]?.position : next
  return { found: found.slice(0, limit).map(({ toObject }) => toObject() as StaffPet), next: last }
}

/** Counts animals that were not published yet, up to 1,000,000. Leaves out animals with an outcome. */
export async function countUnlisted(finder: Finder, organizationId: number | undefined): Promise<number> {
  const owner = organizationId !== undefined && { organizationId: [organizationId] }
  const query = { limit: 1, within: 1, sort: '-id', withoutStatus: 'unlisted', ...owner }
  return (await countMatches(finder, query as SearchQuery)).count
}

/** A change of an existing animal. */
export interface LatestChange {
  petId: number
  name: string
  at: number
  keyId: number
  changes: PetHistory[number]['changes']
}

/** The maximum number of changes that are read. Some are skipped: their animals were removed or moved. */
const MAX_CHANGES = 500

/**
 * Lists changes, newest first.
 * @param organizationId limits the list to changes of its animals that were made while they belonged to it
 */
export async function latestChanges(
  db: Db,
  organizationId: number | undefined,
  limit: number,
): Promise<LatestChange[]> {
  let ids = db.selectFrom('pet_change').select('id').orderBy('id', 'desc').offset(MAX_CHANGES).limit(1)
  if (organizationId !== undefined) ids = ids.where('organization_id', '=', organizationId)
  const tooOld = await ids.executeTakeFirst()
  let rows = db
    .selectFrom('pet_change')
    .innerJoin('pet', 'pet.id', 'pet_change.pet_id')
    .select(['pet.id as petId', 'pet.name', 'pet_change.at', 'pet_change.key_id as keyId', 'changes'])
    .where('pet_change.id', '>', tooOld?.id ?? 0)
    .orderBy('pet_change.id', 'desc')
    .limit(limit)
  if (organizationId !== undefined)
    for (const owner of ['pet.organization_id', 'pet_change.organization_id'] as const)
      rows = rows.where(owner, '=', organizationId)
  return (await rows.execute()).map((row) => ({ ...row, changes: JSON.parse(row.changes) }))
}

// Finds animals with the same microchip. Two animals with one chip are usually one that was added twice.

/** Words such as "none" and numbers such as 0000000 are not chips. The shortest have nine characters. */
const CHIP = /^(?=.*\d)(?!(.)\1*$)[^\s]{9,}$/u

/** The form in which chips are compared; undefined for a text that is not a chip. */
export function foldMicrochip({ staff }: Pick<NewPet, 'staff'>): string | undefined {
  const folded = staff?.microchip
    ?.replaceAll(/[ .-]/g, '')
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return folded !== undefined && CHIP.test(folded) ? folded : undefined
}

/** Must equal the expressions in the index pet_by_microchip, or the index is not used. */
const MICROCHIP = {
  sqlite: "json_extract(staff_part, '$.staff.microchip')",
  postgres: `(staff_part::json->'staff'->>'microchip') collate "C"`,
}

/**
 * Finds the oldest and the newest animal with each chip, which is as `foldMicrochip` returns it.
 * @param organizationId limits the result to animals of this organization
 * @returns the ids by chip
 */
export async function findByMicrochip(
  db: Db,
  chips: string[],
  organizationId: number | undefined,
): Promise<Map<string, number[]>> {
  if (chips.length === 0) return new Map()
  const { rows } = await selectByMicrochip(db, chips, organizationId).execute(db)
  return new Map(
    rows.flatMap(({ chip, first, last }): [string, number[]][] =>
      first === null || last === null ? [] : [[chip, [...new Set([Number(first), Number(last)])]]],
    ),
  )
}

export function selectByMicrochip(db: Db, chips: string[], organizationId: number | undefined) {
  const { engine } = dialectOf(db)
  const folded = sql.raw(`lower(replace(replace(replace(${MICROCHIP[engine]}, ' ', ''), '-', ''), '.', ''))`)
  const isOwn = organizationId === undefined ? sql`` : sql`and organization_id = ${organizationId}`
  const endOf = (order: 'asc' | 'desc') =>
    sql`(select id from pet where ${folded} = given.value ${isOwn} order by id ${sql.raw(order)} limit 1)`
  const list = listParameter(db, [...new Set(chips)])
  const given =
    engine === 'sqlite' ? sql`json_each(${list}) as given` : sql`unnest(${list}::text[]) as given(value)`
  return sql<{ chip: string; first: number | null; last: number | null }>`
    select given.value as chip, ${endOf('asc')} as first, ${endOf('desc')} as last from ${given}`
}
