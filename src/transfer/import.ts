import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import * as keys from '../keys/store.ts'
import * as organizations from '../organizations/store.ts'
import type { PetStatus } from '../pets/fields.ts'
import { mergeAll } from '../pets/search/upkeep.ts'
import { coordinatesOf } from '../places/derive.ts'
import { takeTurns } from '../search/turns.ts'
import { type Refusal, Refused } from './animal.ts'
import { bondAll } from './bonds.ts'
import { bringIn, type JudgedBatch } from './bring-in.ts'
import { type Fetched, type Fetching, fetchPhotos, openPhotoQueue } from './fetch-photos.ts'
import { refusalFor } from './import-batch.ts'
import { categoryNamed, judge, type Known, readCategories, readOrganizations } from './judge.ts'
import { tellNotUnderstood } from './left-out.ts'
import { refuseKnownFile, refuseOwnIds } from './own-ids.ts'
import type { Judged, Outcome, Plan } from './plan.ts'
import { type Batch, batchesOf, type Reading } from './read-batches.ts'
import { retireRemoved } from './removed.ts'
import { isKnown } from './store.ts'
import { EndedEarly, linesIn, type Summary } from './summary.ts'

export interface Options extends Omit<Plan, 'now' | 'organizationId' | 'fileOf' | 'mayBeKnown'>, Reading {
  /** Name of the category for those whose own one is not known. */
  category: string | undefined
  /** Code of the organization of those that name none. */
  organization?: string | undefined
  /** Whether the ids may be those of this very store, which nobody means; looked for at the first animals. */
  mayHaveOwnIds: boolean
  /** Whether to add animals of a file that came before. */
  again?: boolean
  /** What becomes of animals that came from this source before, and that the file has no more. */
  removed?: PetStatus | undefined
  clock: () => number
  /** Where photos are brought in too. */
  photos?: Fetching | undefined
  /** Hears of the animals of each batch that are sound by themselves, before they come in. */
  onSound?(animals: Judged[]): void
  /** Hears of every line that does not go in, in their order. */
  onRefused(refusal: Refusal): void
  /** Hears after each batch what was done so far. */
  onBatch(done: Summary): void
}

/**
 * Brings the animals of a file into a store.
 *
 * @throws {EndedEarly} when the file cannot be read to its end, or the store not be written
 * @throws when nothing was done
 */
export async function importAnimals(
  { db, write }: Pick<Writer, 'write'> & { db: Db },
  input: AsyncIterable<Buffer>,
  options: Options,
): Promise<Summary> {
  const owner = await ownerOf(db, options)
  const { again, idColumn, update, fingerprint } = options
  const fileOf = owner.organizationId ?? owner.keyOrganization
  const origin = { source: options.source, fileOf }
  const hasIds = idColumn !== undefined && (await isKnown(db, origin))
  if (fingerprint && !again && !hasIds) await refuseKnownFile(db, fingerprint, fileOf, update)
  const done: Summary = { added: 0, updated: 0, unchanged: 0, refused: 0, leftOut: {} }
  const bonded: Outcome['bonded'] = []
  const seen = new Set<string>()
  const odd: NonNullable<Summary['notUnderstood']> = []
  try {
    await using queue = options.photos && (await openPhotoQueue(options.photos))
    for await (const batch of batchesOf(input, { ...options, withPhotos: queue !== undefined })) {
      if (options.removed) for (const id of idsIn(batch)) seen.add(id)
      const isFirst = linesIn(done) === 0
      if (isFirst && options.mayHaveOwnIds)
        await refuseOwnIds(db, batch.drafts, origin, owner.keyOrganization)
      for (const { line, animal } of batch.drafts) tellNotUnderstood(odd, line, animal.notUnderstood)
      if (odd.length > 0) done.notUnderstood = odd
      const judged = await judgeAll(db, batch, options, owner)
      options.onSound?.(judged.animals)
      const outcome = await bringIn(judged, write, { ...options, ...owner, fileOf }, done)
      bonded.push(...outcome.bonded)
      await queue?.add(outcome.photographed)
    }
    if (options.dryRun) return done
    const { keyId, removed: status, clock, onRefused } = options
    const by = { keyId: Number(keyId), organizationId: owner.keyOrganization }
    await bondAll(bonded, write, { ...options, organizationId: owner.keyOrganization })
    if (status) done.removed = await retireRemoved(db, write, seen, { origin, status, by, clock, onRefused })
    if (queue && options.photos) {
      const onPhoto = (photos: Fetched) => options.onBatch({ ...done, photos })
      const told = { by: { ...by, keyId }, clock, onRefused, onPhoto }
      done.photos = await fetchPhotos(queue.all(), { db, write }, options.photos, told)
    }
    await mergeAll(write)
  } catch (error) {
    throw linesIn(done) > 0 ? new EndedEarly(done, error as Error) : error
  }
  return done
}

/** Of all animals that the file has, also of those that do not come in. */
function idsIn({ drafts, refused }: Batch): string[] {
  return [...drafts.flatMap(({ sourceId }) => sourceId ?? []), ...refused.flatMap(({ id }) => id ?? [])]
}

/** What is wrong with an animal keeps that animal out, and no other. */
async function judgeAll(
  db: Db,
  { drafts, refused }: Batch,
  { category, clock }: Options,
  owner: Owner,
): Promise<JudgedBatch> {
  const now = clock()
  const categories = await readCategories(db)
  const known: Known = {
    categories,
    organizations: await readOrganizations(db),
    fallback: category === undefined ? undefined : categoryNamed(categories, category),
    organizationId: owner.organizationId ?? owner.keyOrganization,
    othersToo: owner.keyOrganization === undefined,
  }
  const judged = { animals: [] as Judged[], refused: [...refused], leftOut: new Map<string, number>() }
  for (const { line, animal, sourceId, ownId, bondedWith, photos } of drafts) {
    await takeTurns()
    try {
      const { pet, leftOut } = judge(animal, known, now)
      for (const name of leftOut) judged.leftOut.set(name, (judged.leftOut.get(name) ?? 0) + 1)
      const id = sourceId ?? ownId
      const bond = bondedWith && id !== undefined ? { line, id, with: bondedWith } : undefined
      judged.animals.push({
        line,
        sourceId,
        pet,
        unlisted: animal.unlisted === true,
        bond,
        photos,
        isOurs: !animal.leftOut,
        point: await coordinatesOf(pet.place),
      })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      judged.refused.push({ line, ...(sourceId !== undefined && { id: sourceId }), ...refusalFor(error) })
    }
  }
  return judged
}

interface Owner {
  /** Of animals that name none. */
  organizationId: number | undefined
  /** Of the key: all animals are its. */
  keyOrganization: number | undefined
}

/** @throws when what the options name is not there */
async function ownerOf(db: Db, { keyId, category, organization }: Options): Promise<Owner> {
  const key = keyId === null ? undefined : await keys.findLive(db, keyId)
  if (keyId !== null && !key) throw new Error(`there is no key ${keyId} that is not revoked`)
  if (category !== undefined && categoryNamed(await readCategories(db), category) === undefined)
    throw new Error(`there is no category "${category}"`)
  const keyOrganization = key?.organization_id ?? undefined
  if (organization === undefined) return { organizationId: undefined, keyOrganization }
  const organizationId = await organizations.idOfCode(db, organization)
  if (organizationId === undefined) throw new Error(`there is no organization with the code ${organization}`)
  if (keyOrganization !== undefined && keyOrganization !== organizationId)
    throw new Error(`key ${keyId} belongs to another organization than ${organization}`)
  return { organizationId, keyOrganization }
}
