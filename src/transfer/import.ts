import { changes } from '../db/change.ts'
import { isUniqueViolation } from '../db/engine-errors.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { ApiError } from '../errors.ts'
import * as keys from '../keys/store.ts'
import * as organizations from '../organizations/store.ts'
import type { PetStatus } from '../pets/fields.ts'
import { mergeAll } from '../pets/search/index-animals.ts'
import { foldMicrochip } from '../pets/staff-list.ts'
import * as pets from '../pets/store.ts'
import { US_LOCALE } from './animal.ts'
import { createBondList, joinBonds } from './bonds.ts'
import { repairPostcodes } from './damaged.ts'
import { fetchPhotos, openPhotoQueue, type PhotoImportOptions } from './photos.ts'
import { type Batch, type ImportFile, type ReadOptions, readBatches } from './read.ts'
import {
  addLeftOut,
  addNote,
  addNotUnderstood,
  addSameChips,
  countLines,
  EMPTY_SUMMARY,
  IncompleteImportError,
  type PhotoCounts,
  type Refusal,
  RefusalError,
  type SameChip,
  type Summary,
  toRefusal,
  VISITORS,
} from './report.ts'
import { RowKeys } from './row-keys.ts'
import { type AnimalSource, idInFile, listSources, type Origin, ROWS, refuseOwnIds } from './sources.ts'
import { createStatusReader, type StatusChoices } from './statuses.ts'
import { surveyFile } from './survey.ts'
import {
  type Defaults,
  requireCategory,
  type ValidAnimal,
  type ValidBatch,
  validateBatch,
} from './validate.ts'
import { type BatchOutcome, type ImportPlan, readDryRun } from './write.ts'

export interface Options extends Omit<ReadOptions, 'statuses'> {
  /** The name of the system that the ids in the file come from. */
  source: string
  /** The key that the history of animals shows; null for none. */
  keyId: number | null
  /** The results that a person has chosen for statuses in the file. */
  statusChoices?: StatusChoices | undefined
  /** Name of the category for animals whose own category is unknown. */
  category: string | undefined
  /** Code of the organization for animals without one. */
  organization?: string | undefined
  dryRun: boolean
  /** Whether to check the first animals for ids of this store, and refuse the file if they have them. */
  mayHaveOwnIds: boolean
  /** Whether to add animals again that were imported before. Only for files without ids. */
  again?: boolean
  /** Whether animals that were imported before stay as they are. */
  keep?: boolean
  /** The new status of animals that were imported from this source before and are not in this file. */
  removed?: PetStatus | undefined
  clock: () => number
  /** Imports photos too if set. */
  photos?: PhotoImportOptions | undefined
  /** Called with the valid animals of each batch, before they are written. */
  onValid?(animals: ValidAnimal[]): void
  /** Called for every refused line, in order. */
  onRefused(refusal: Refusal): void
  /** Called after each batch with the totals so far. */
  onBatch?(done: Summary): void
}

type Store = Pick<Writer, 'write'> & { db: Db }

/**
 * Imports the animals of a file into a store.
 * @throws {IncompleteImportError} if reading or writing fails after some animals were imported
 * @throws {RefusalError} or another error if nothing was imported
 */
export async function importAnimals(store: Store, file: ImportFile, options: Options): Promise<Summary> {
  const { db, write } = store
  const { keyId, clock, onRefused, removed: status } = options
  const owner = await findOwner(db, options)
  const origin: Origin = { source: options.source, fileOf: owner.organizationId ?? owner.keyOrganization }
  const by = { keyId, organizationId: owner.keyOrganization }
  const isByRow = options.idColumn === undefined
  const defaults: Defaults = {
    category: options.category,
    organizationId: origin.fileOf,
    anyOrganization: owner.keyOrganization === undefined,
  }
  const { reading, repeated, perOrganization, notes } = await surveyFile(file, {
    ...options,
    statuses: createStatusReader(options.statusChoices),
    locale: { ...(options.locale ?? US_LOCALE), now: clock() },
  })
  const plan: Omit<ImportPlan, 'now'> = {
    ...origin,
    ...by,
    dryRun: options.dryRun,
    sharesIds: reading.mapping.isIdOptional === true,
    ...(isByRow ? { source: ROWS, update: keyId !== null && !options.keep } : { update: options.update }),
  }
  const done: Summary = { ...EMPTY_SUMMARY, ...(notes.length > 0 && { notes }) }
  const statuses = createStatusReader(options.statusChoices)
  const seen: SeenAnimals = { ids: new Set(), petIds: new Set() }
  const bonded = createBondList()
  try {
    await using queue = options.photos && (await openPhotoQueue(options.photos))
    const rowKeys = options.again ? undefined : new RowKeys()
    const how = { ...reading, repeated, perOrganization, rowKeys, statuses, withPhotos: queue !== undefined }
    const chips = new ChipIndex()
    for await (const batch of readBatches(file.bytes(), how)) {
      if (statuses.counts().length > 0) done.statuses = statuses.counts()
      if (options.mayHaveOwnIds && countLines(done) === 0)
        await refuseOwnIds(db, batch.drafts, origin, by.organizationId)
      for (const line of await repairPostcodes(batch.drafts)) addNote(notes, 'repaired_postcode', line)
      if (notes.length > 0) done.notes = notes
      for (const { line, animal } of batch.drafts) addNotUnderstood(done, line, animal.notUnderstood)
      const valid = await validateBatch(db, batch, defaults, clock())
      if (batch.visitors > 0) addLeftOut(done, Array(batch.visitors).fill(VISITORS))
      for (const { line, values } of valid.invalid) addNotUnderstood(done, line, values)
      options.onValid?.(valid.animals)
      const sameChips = chips.find(valid.animals)
      const written = await writeBatch(write, valid, plan, options, done)
      if (status) addSeen(seen, batch, valid, written)
      // An animal that an earlier line of the file added is reported by that line.
      const others = written.sameChips.filter(({ line }) => !sameChips.has(line))
      addSameChips(done, [...sameChips.values(), ...others])
      bonded.add(written.bonded, valid.bonds)
      await queue?.add(written.photographed)
    }
    const change = { write, by, clock, onRefused }
    const { dryRun, idColumn, mapping } = options
    const hasSourceIds = idColumn !== undefined && !mapping.hasBondIds
    const lost = await joinBonds(bonded, { ...change, db, origin, hasSourceIds, dryRun })
    if (lost > 0) done.lostBonds = lost
    if (dryRun) return done
    if (status) done.removed = await retireRemoved(db, origin, seen, status, change)
    if (queue && options.photos) {
      const onPhoto = (photos: PhotoCounts) => options.onBatch?.({ ...done, photos })
      done.photos = await fetchPhotos(queue.all(), store, {
        ...options.photos,
        by,
        clock,
        onRefused,
        onPhoto,
      })
    }
    await mergeAll(write)
  } catch (error) {
    throw countLines(done) > 0 ? new IncompleteImportError(done, error as Error) : error
  }
  return done
}

/** The microchips in the lines of a file so far. */
class ChipIndex {
  readonly #lines = new Map<string, number>()

  /** @returns the animals whose chip an earlier line has, by their lines */
  find(animals: readonly ValidAnimal[]): Map<number, SameChip> {
    const found = new Map<number, SameChip>()
    for (const { line, pet } of animals) {
      const chip = foldMicrochip(pet)
      if (chip === undefined) continue
      const otherLine = this.#lines.get(chip)
      if (otherLine === undefined) this.#lines.set(chip, line)
      else found.set(line, { line, otherLine })
    }
    return found
  }
}

interface Owner {
  /** The organization for animals without one. */
  organizationId: number | undefined
  /** The organization of the key. If the key has one, all animals belong to it. */
  keyOrganization: number | undefined
}

/** @throws {RefusalError} if a key, category or organization in the options does not exist */
async function findOwner(db: Db, { keyId, category, organization }: Options): Promise<Owner> {
  const key = keyId === null ? undefined : await keys.findActive(db, keyId)
  if (keyId !== null && !key) throw new RefusalError(`there is no valid key ${keyId}`)
  if (category !== undefined) await requireCategory(db, category)
  const keyOrganization = key?.organization_id ?? undefined
  if (organization === undefined) return { organizationId: undefined, keyOrganization }
  const organizationId = await organizations.findIdByCode(db, organization)
  if (organizationId === undefined)
    throw new RefusalError(`there is no organization with the code ${organization}`)
  if (keyOrganization !== undefined && keyOrganization !== organizationId)
    throw new RefusalError(`key ${keyId} belongs to a different organization than ${organization}`)
  return { organizationId, keyOrganization }
}

/** The animals that the file has, including animals of refused lines. */
interface SeenAnimals {
  petIds: Set<number>
  /** The keys of all lines, and the ids of refused lines. */
  ids: Set<string>
}

function addSeen(
  { ids, petIds }: SeenAnimals,
  { rowKeys }: Batch,
  { refused }: ValidBatch,
  { seen }: BatchReport,
): void {
  for (const id of [...rowKeys, ...refused.flatMap(({ id }) => id ?? [])]) ids.add(id)
  for (const id of seen) petIds.add(id)
}

type BatchReport = Pick<BatchOutcome, 'bonded' | 'photographed' | 'sameChips' | 'seen'>

/** Writes a batch and updates the totals in `done`. */
async function writeBatch(
  write: Writer['write'],
  { animals, refused, leftOut }: ValidBatch,
  plan: Omit<ImportPlan, 'now'>,
  { clock, onRefused, onBatch }: Options,
  done: Summary,
): Promise<BatchReport> {
  const written: BatchReport = { bonded: [], photographed: [], sameChips: [], seen: [] }
  try {
    for (let rest = animals; rest.length > 0; ) {
      const attempt = () => write(changes.importBatch, rest, { ...plan, now: clock() })
      const outcome = await attempt()
        // Another import added the same animals at the same time: a second attempt finds them in the store.
        .catch((error) => (isConflict(error) ? attempt() : Promise.reject(error)))
        .catch(readDryRun)
      const left = new Set(outcome.rest)
      plan.isForeign = outcome.isForeign ?? false
      done.added += outcome.added
      done.updated += outcome.updated
      done.unchanged += outcome.unchanged
      for (const path of outcome.withdrawn)
        done.withdrawn = { ...done.withdrawn, [path]: (done.withdrawn?.[path] ?? 0) + 1 }
      if (outcome.takenOff > 0) done.takenOff = (done.takenOff ?? 0) + outcome.takenOff
      refused.push(...outcome.refused)
      leftOut.push(...outcome.leftOut)
      written.bonded.push(...outcome.bonded)
      written.sameChips.push(...outcome.sameChips)
      written.photographed.push(...outcome.photographed)
      written.seen.push(...outcome.seen)
      rest = rest.filter((_animal, position) => left.has(position))
    }
  } finally {
    done.refused += refused.length
    addLeftOut(done, leftOut)
    refused.sort((one, other) => one.line - other.line).forEach(onRefused)
    onBatch?.(done)
  }
  return written
}

/** Another writer took an id or number between the check and the write. */
function isConflict(error: unknown): boolean {
  return isUniqueViolation(error) || (error instanceof ApiError && error.code === 'external_id_exists')
}

/** The context for changes that need all animals to be in the store. */
interface ChangeContext {
  write: Writer['write']
  by: { keyId: number | null; organizationId: number | undefined }
  clock: () => number
  onRefused(refusal: Refusal): void
}

/** An export is considered broken if more animals than this, and more than half of all, are missing. */
const MAX_REMOVED = 10

/**
 * Sets the status of animals that were imported from a source and are no longer in its export.
 * @returns the number of changed animals
 * @throws if too many are missing; no animal is changed then
 */
async function retireRemoved(
  db: Db,
  origin: Origin,
  seen: SeenAnimals,
  status: PetStatus,
  { write, by, clock, onRefused }: ChangeContext,
): Promise<number> {
  const all = await listSources(db, origin)
  const gone = all.filter(
    ({ sourceId, petId }) => !seen.petIds.has(petId) && !seen.ids.has(idInFile(sourceId)),
  )
  const missing = await findWithOtherStatus(db, gone, status)
  const expected = all.length - gone.length + missing.length
  if (missing.length > MAX_REMOVED && missing.length * 2 > expected) {
    throw new Error(
      `${missing.length} of ${expected} animals of "${origin.source}" are missing from the export, which may be incomplete: ` +
        'they were not changed. If the export is right, change them through the service',
    )
  }
  let count = 0
  for (const { sourceId, petId } of missing) {
    try {
      await write(changes.updatePet, { status }, { id: petId, by, now: clock() })
      count += 1
    } catch (error) {
      const reason = `It is no longer in the export. ${toRefusal(error).reason}`
      onRefused({ line: 0, id: idInFile(sourceId), reason })
    }
  }
  return count
}

const STATUS_BATCH_SIZE = 500

/** Returns the animals whose stored status is not `status`. Leaves out animals that are no longer stored. */
async function findWithOtherStatus(
  db: Db,
  animals: AnimalSource[],
  status: PetStatus,
): Promise<AnimalSource[]> {
  const found: AnimalSource[] = []
  for (let from = 0; from < animals.length; from += STATUS_BATCH_SIZE) {
    const batch = animals.slice(from, from + STATUS_BATCH_SIZE)
    const ids = batch.map(({ petId }) => petId)
    const statuses = new Map((await pets.findMany(db, ids)).map((pet) => [pet.id, pet.status]))
    found.push(...batch.filter(({ petId }) => ![undefined, status].includes(statuses.get(petId))))
  }
  return found
}
