import type { Db } from '../db/tables.ts'
import type { PetStatus } from './fields.ts'
import { pageOfPets } from './query.ts'
import type { Picked, PickedRow, Show } from './row.ts'
import type { Pet, PetHistory, PetQuery } from './schema.ts'
import type { Position } from './search/candidates.ts'
import type { Finder } from './search/find.ts'
import { SHOWN_COLUMNS, toShown } from './store.ts'

// What those who work with animals look at: also animals that are not listed, and what was done lately.

/** What is asked for of the animals of one's own. */
export interface InsideQuery {
  q?: string | undefined
  status?: PetStatus | 'unlisted' | undefined
  categoryId?: number | undefined
  organizationId?: number | undefined
  hasPhotos?: boolean | undefined
  sort: '-id' | 'publishedAt'
}

export type InsidePet = Partial<Pet> &
  Pick<Pet, 'id' | 'name'> & { publishedAt?: string; statusChangedAt?: string; createdAt?: string }

interface InsideStart {
  query: InsideQuery
  limit: number
  after?: Position | undefined
  picked: Picked
  show: Show
}

/** Animals in their order, and from where to go on. */
export interface InsidePage {
  found: InsidePet[]
  next?: Position | undefined
}

/** Of animals without a status the index does not know: so many are looked through for one page. */
const MAX_LOOKED_THROUGH = 1_000
const BATCH_SIZE = 100

export async function listInside(finder: Finder, start: InsideStart): Promise<InsidePage> {
  const { status, q, hasPhotos } = start.query
  if (status !== 'unlisted') return searched(finder, start, status)
  if (q === undefined && hasPhotos === undefined) return unlisted(finder, start)
  const page: InsidePage = { found: [], next: start.after }
  for (let looked = 0; looked < MAX_LOOKED_THROUGH; looked += BATCH_SIZE) {
    const some = await searched(finder, { ...start, limit: BATCH_SIZE, after: page.next }, undefined)
    page.found.push(...some.found.filter((pet) => pet.status === undefined))
    page.next = some.next
    // Some more than a page of them do no harm.
    if (!page.next || page.found.length >= start.limit) break
  }
  return page
}

async function searched(
  finder: Finder,
  { query, limit, after, picked, show }: InsideStart,
  status: PetStatus | undefined,
): Promise<InsidePage> {
  const { q, categoryId, organizationId, hasPhotos, sort } = query
  const asked = {
    ...{ limit, within: 1, sort, q },
    ...(status && { status: [status] }),
    ...(categoryId !== undefined && { categoryId: [categoryId] }),
    ...(organizationId !== undefined && { organizationId: [organizationId] }),
    ...(hasPhotos !== undefined && { hasPhotos: String(hasPhotos) }),
  } as PetQuery
  const { found, next } = await pageOfPets(finder, { query: asked, picked, after }, show)
  const last = found.length > limit ? found[limit - 1]?.position : next
  return { found: found.slice(0, limit).map(({ toObject }) => toObject() as InsidePet), next: last }
}

async function unlisted(
  { db }: Finder,
  { query: { categoryId, organizationId }, limit, after, picked, show }: InsideStart,
): Promise<InsidePage> {
  const [, behind] = after ?? []
  let rows = db
    .selectFrom('pet')
    .select(SHOWN_COLUMNS)
    .where('status', 'is', null)
    .orderBy('id', 'desc')
    .limit(limit + 1)
  if (categoryId !== undefined) rows = rows.where('category_id', '=', categoryId)
  if (organizationId !== undefined) rows = rows.where('organization_id', '=', organizationId)
  if (behind !== undefined) rows = rows.where('id', '<', behind)
  const found = (await rows.execute()).map((row) => toShown(row as unknown as PickedRow, show, picked))
  const last = found.length > limit ? found[limit - 1] : undefined
  return {
    found: found.slice(0, limit).map(({ toObject }) => toObject() as InsidePet),
    ...(last && { next: [0, last.id] }),
  }
}

/** A change of an animal that is still there. */
export interface LatestChange {
  petId: number
  name: string
  at: number
  keyId: number
  changes: PetHistory[number]['changes']
}

/** So far back somebody looks who has nearly no animals among those of many. */
const MAX_CHANGES = 2_000

/** Newest first. @param organizationId of one alone */
export async function latestChanges(
  db: Db,
  organizationId: number | undefined,
  limit: number,
): Promise<LatestChange[]> {
  const newest = await db
    .selectFrom('pet_change')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  let rows = db
    .selectFrom('pet_change')
    .innerJoin('pet', 'pet.id', 'pet_change.pet_id')
    .select(['pet.id as petId', 'pet.name', 'pet_change.at', 'pet_change.key_id as keyId', 'changes'])
    .where('pet_change.id', '>', Number(newest?.id ?? 0) - MAX_CHANGES)
    .orderBy('pet_change.id', 'desc')
    .limit(limit)
  if (organizationId !== undefined) rows = rows.where('pet.organization_id', '=', organizationId)
  return (await rows.execute()).map((row) => ({ ...row, changes: JSON.parse(row.changes) }))
}
