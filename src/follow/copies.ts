import * as categories from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import type { NewOrganization } from '../organizations/schema.ts'
import * as organizations from '../organizations/store.ts'
import { MAX_BONDED_PETS } from '../pets/fields.ts'
import { changesOf } from '../pets/history.ts'
import * as petPhotos from '../pets/photos.ts'
import type { AgedPet } from '../pets/row.ts'
import { categoryNames, externalIdKey, findTakenExternalIds, withAge } from '../pets/rules.ts'
import type { NewPet } from '../pets/schema.ts'
import * as pets from '../pets/store.ts'
import { type Lease, type Progress, recordProgress } from './store.ts'

// Writes the copies of the animals and organizations of a source. See decision 33.

/** An animal as the source sends it, with the category and organization ids of the source. */
export interface SourceAnimal {
  sourceId: number
  /** When the source created it. */
  createdAt: number | null
  pet: NewPet
  category: string
  /** Its page at the source. */
  page: string
  /** The photos at the source, as the `photos` column has them. */
  photos: string | null
  /** The ids at the source of the animals that are adopted together with this one. */
  bondedWith: number[]
}

export interface SourceOrganization {
  sourceId: number
  details: NewOrganization
  page: string
  photos: string | null
}

export interface Batch {
  animals: SourceAnimal[]
  /** The ids of animals that the source no longer shows. */
  gone: number[]
  organizations: SourceOrganization[]
  progress: Progress
}

/** The ids of copies, by the ids at the source. */
type CopyIds = Map<number, number>

/** Adds, changes and removes copies. @returns false, without a change, if the process has lost the lease */
export async function copyBatch(
  db: Db,
  lease: Lease,
  { animals, gone, organizations: sent, progress }: Batch,
  now: number,
): Promise<boolean> {
  // Also locks the source, so it cannot be removed before the commit.
  if (!(await recordProgress(db, lease, progress, now))) return false
  if (animals.length === 0 && gone.length === 0 && sent.length === 0) return true
  const source = await db
    .selectFrom('followed')
    .select(['id', 'organization_id'])
    .where('id', '=', lease.id)
    .executeTakeFirstOrThrow()
  const named = animals.flatMap(({ sourceId, bondedWith }) => [sourceId, ...bondedWith])
  const copies = await lockCopies(db, lease.id, [...new Set([...named, ...gone])])
  await removePets(
    db,
    gone.flatMap((id) => copies.get(id) ?? []),
    now,
  )
  for (const id of gone) copies.delete(id)
  const categoryIds = await prepareCategories(db, animals, now)
  const owners =
    source.organization_id === null
      ? await copyOrganizations(db, lease.id, { animals, sent }, now)
      : undefined
  const nameOf = categoryNames(db)
  const changed: { animal: SourceAnimal; aged: AgedPet }[] = []
  for (const animal of animals) {
    const { organizationId: theirs, externalId, ...members } = animal.pet
    const copied = owners?.get(theirs ?? 0)
    const organizationId = copied ?? source.organization_id ?? undefined
    const pet = {
      ...members,
      categoryId: categoryIds.get(categories.fold(animal.category)) as number,
      ...(organizationId !== undefined && { organizationId }),
      // In a shared organization, another animal may have the same number.
      ...(copied !== undefined && externalId !== undefined && { externalId }),
    }
    const { page, photos } = animal
    changed.push({ animal, aged: { ...(await withAge(nameOf, pet, now)), source: page, photos } })
  }
  await freeExternalIds(db, changed, copies, now)
  const isNew = ({ animal }: (typeof changed)[number]) => !copies.has(animal.sourceId)
  const added = changed.filter(isNew)
  await insertCopies(db, lease.id, added, copies, now)
  for (const one of changed)
    if (!added.includes(one) || one.animal.bondedWith.length > 0) await updateCopy(db, one, copies, now)
  await completeBonds(db, changed, copies, now)
  return true
}

/** Finds and locks copies. @returns their ids */
async function lockCopies(db: Db, followedId: number, sourceIds: number[]): Promise<CopyIds> {
  if (sourceIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('followed_pet')
    .select(['source_id', 'pet_id'])
    .where('followed_id', '=', followedId)
    .where('source_id', 'in', sourceIds)
    .execute()
  const copies = new Map(rows.map((row) => [row.source_id, row.pet_id]))
  await pets.lock(db, [...copies.values()])
  return copies
}

/** Adds categories that are not in this installation. @returns the ids of all categories, by folded name */
async function prepareCategories(db: Db, animals: SourceAnimal[], now: number): Promise<Map<string, number>> {
  if (animals.length === 0) return new Map()
  const ids = new Map((await categories.list(db)).map(({ id, name }) => [categories.fold(name), id]))
  for (const { category: name } of animals) {
    if (ids.has(categories.fold(name))) continue
    ids.set(categories.fold(name), (await categories.insertCategory(db, { name }, now)).id)
  }
  return ids
}

/** The code of the copy of an organization. */
const codeOf = (followedId: number, sourceId: number) => `F${followedId}-${sourceId}`

/**
 * Updates the copies of organizations, and adds those that animals of the batch belong to.
 * @returns the ids of the copies, by the ids at the source
 */
async function copyOrganizations(
  db: Db,
  followedId: number,
  { animals, sent }: { animals: SourceAnimal[]; sent: SourceOrganization[] },
  now: number,
): Promise<Map<number, number>> {
  const needed = new Set(animals.map(({ pet }) => pet.organizationId))
  const ids = new Map<number, number>()
  for (const { sourceId, details, page, photos } of sent) {
    let copy = await organizations.findCopyLocked(db, page)
    if (copy) await organizations.updateCopy(db, copy.id, details, now)
    else if (!needed.has(sourceId)) continue
    else {
      const code = codeOf(followedId, sourceId)
      const isTaken = (await organizations.findIdByCode(db, code)) !== undefined
      const coded = { ...details, ...(!isTaken && { code }) }
      copy = await organizations.insertOrganization(db, coded, now, page)
    }
    if (copy.photos !== photos) await organizations.setPhotos(db, copy, photos, now)
    ids.set(sourceId, copy.id)
  }
  return ids
}

/**
 * Frees numbers that have moved to other animals at the source. If a batch repeats a number, only its first
 * animal keeps it.
 */
async function freeExternalIds(
  db: Db,
  changed: { animal: SourceAnimal; aged: AgedPet }[],
  copies: CopyIds,
  now: number,
): Promise<void> {
  const taken = await findTakenExternalIds(
    db,
    changed.map(({ aged }) => aged.pet),
  )
  for (const { animal, aged } of changed) {
    const number = externalIdKey(aged.pet)
    if (number === undefined) continue
    const holder = taken.get(number)
    // An earlier animal of this batch has the number.
    if (holder === 0) delete aged.pet.externalId
    else if (holder !== undefined && holder !== copies.get(animal.sourceId))
      await changePet(db, holder, ({ externalId: _, ...pet }) => pet, now)
    taken.set(number, 0)
  }
}

async function insertCopies(
  db: Db,
  followedId: number,
  added: { animal: SourceAnimal; aged: AgedPet }[],
  copies: CopyIds,
  now: number,
): Promise<void> {
  if (added.length === 0) return
  await requireOneAddress(
    db,
    followedId,
    added.map(({ animal }) => animal),
  )
  const ids = await pets.insertPets(
    db,
    added.map(({ aged }) => aged),
    { keyId: null, now },
  )
  const rows = added.map(({ animal }, index) => ({
    pet_id: ids[index] as number,
    followed_id: followedId,
    source_id: animal.sourceId,
    source_created_at: animal.createdAt,
  }))
  await db.insertInto('followed_pet').values(rows).execute()
  for (const row of rows) copies.set(row.source_id, row.pet_id)
}

/**
 * Checks that these animals are not copied from another address already. Two installations do not create
 * animals with the same id in the same millisecond.
 */
async function requireOneAddress(db: Db, followedId: number, animals: SourceAnimal[]): Promise<void> {
  const createdAt = new Map(animals.map((animal) => [animal.sourceId, animal.createdAt]))
  const rows = await db
    .selectFrom('followed_pet')
    .innerJoin('followed', 'followed.id', 'followed_id')
    .select(['url', 'source_id', 'source_created_at'])
    .where('source_created_at', 'in', [...new Set(createdAt.values())])
    .where('source_id', 'in', [...createdAt.keys()])
    .where('followed_id', '!=', followedId)
    .execute()
  const twin = rows.find((row) => createdAt.get(row.source_id) === row.source_created_at)
  if (twin)
    throw new Error(
      `This installation is already followed as ${twin.url}. Remove one of the two with \`adoptable follow remove\`.`,
    )
}

async function updateCopy(
  db: Db,
  { animal, aged }: { animal: SourceAnimal; aged: AgedPet },
  copies: CopyIds,
  now: number,
): Promise<void> {
  const id = copies.get(animal.sourceId) as number
  const bond = animal.bondedWith.flatMap((one) => copies.get(one) ?? []).filter((one) => one !== id)
  await changePet(db, id, () => withBond(aged.pet, bond), now, aged)
}

/** Adds animals to the bonds of animals that were copied earlier. */
async function completeBonds(
  db: Db,
  changed: { animal: SourceAnimal }[],
  copies: CopyIds,
  now: number,
): Promise<void> {
  const own = new Set(changed.map(({ animal }) => animal.sourceId))
  for (const { animal } of changed) {
    const id = copies.get(animal.sourceId) as number
    for (const partner of animal.bondedWith.filter((one) => !own.has(one))) {
      const petId = copies.get(partner)
      if (petId === undefined) continue
      await changePet(db, petId, (pet) => withBond(pet, [...(pet.bondedWith ?? []), id]), now)
    }
  }
}

function withBond({ bondedWith: _, ...pet }: NewPet, bond: number[]): NewPet {
  // The bond of the source may be longer, because it does not have to follow our rules.
  const sorted = [...new Set(bond)].toSorted((one, other) => one - other).slice(0, MAX_BONDED_PETS)
  return sorted.length > 0 ? { ...pet, bondedWith: sorted } : pet
}

/** @param aged the new state of the animal with its photos; absent if its photos and age do not change */
async function changePet(
  db: Db,
  id: number,
  change: (pet: NewPet) => NewPet,
  now: number,
  aged?: AgedPet,
): Promise<void> {
  const stored = await pets.findLocked(db, id)
  if (!stored) return
  const { id: _, ...before } = stored.pet
  const pet = change(before)
  const { ageDueAt } = aged ?? (await withAge(categoryNames(db), pet, now))
  const isChanged = Object.keys(changesOf(stored.pet, pet)).length > 0
  const current = isChanged
    ? pets.toStored(await pets.update(db, stored.pet, { pet, ageDueAt }, now))
    : stored
  if (!aged || (aged.photos ?? null) === current.photos) return
  await petPhotos.replace(db, current, aged.photos ?? null, { keyId: null }, now)
}

async function removePets(db: Db, petIds: number[], now: number): Promise<void> {
  for (const id of petIds) {
    const { pet } = (await pets.findLocked(db, id)) ?? {}
    if (!pet) continue
    await pets.remove(db, pet, now)
    for (const partner of pet.bondedWith ?? [])
      await changePet(db, partner, (pet) => withBond(pet, without(pet.bondedWith, id)), now)
  }
}

const without = (ids: number[] = [], id: number): number[] => ids.filter((one) => one !== id)

/** The maximum number of animals that one transaction removes. */
const MAX_REMOVED = 200

/** Removes copies of a source. @returns their number; 0 if there are none */
export async function removeCopies(db: Db, id: number, now: number): Promise<number> {
  const rows = await db
    .selectFrom('followed_pet')
    .select('pet_id')
    .where('followed_id', '=', id)
    .limit(MAX_REMOVED)
    .execute()
  const petIds = rows.map((row) => row.pet_id)
  await pets.lock(db, petIds)
  await removePets(db, petIds, now)
  return rows.length
}

/** Removes the copy of an organization that the source has removed, unless accounts or keys belong to it. */
export async function removeOrganizationCopy(
  db: Db,
  followedId: number,
  sourceId: number,
  now: number,
): Promise<void> {
  const id = await organizations.findIdByCode(db, codeOf(followedId, sourceId))
  const copy = id === undefined ? undefined : await organizations.find(db, id)
  if (copy?.source !== undefined) await organizations.deleteOrganization(db, copy.id, now)
}

/** Lists the copies of organizations of a source. @param url the address of the source */
export async function listOrganizationCopies(db: Db, url: string): Promise<number[]> {
  const copies = await organizations.listCopies(db)
  return [...copies].flatMap(([id, source]) => (source.startsWith(organizationPage(url, '')) ? id : []))
}

/** The page of an organization at a source. */
export const organizationPage = (url: string, code: string): string => `${url}/organizations/${code}`
