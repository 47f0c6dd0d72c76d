import * as categoryStore from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import type { ErrorDetail } from '../errors.ts'
import { int64ToNumber } from '../http/int64.ts'
import { yieldToEventLoop } from '../http/turns.ts'
import { valueAt } from '../http/validate.ts'
import * as organizationStore from '../organizations/store.ts'
import { MAX_NAME_LENGTH, MEMBERS } from '../pets/fields.ts'
import { merge, problemsOf, UNKNOWN_ORGANIZATION } from '../pets/rules.ts'
import type { NewPet } from '../pets/schema.ts'
import type { Point } from '../places/distance.ts'
import { findCoordinates } from '../places/gazetteer.ts'
import type { Animal } from './animal.ts'
import { birthOf } from './birth.ts'
import { cleanName } from './cells.ts'
import { dropInvalid, dropUndefined, validateBody } from './drop-invalid.ts'
import type { PhotoList } from './photos.ts'
import type { Batch, Draft } from './read.ts'
import {
  labelInvalid,
  labelUnread,
  type Refusal,
  RefusalError,
  type RefusalReason,
  refusalOf,
  shorten,
} from './report.ts'
import { foldName } from './same-animal.ts'
import { isObject, numberOf, textOf } from './source-row.ts'
import { findCategoryName, findSpecies, isGeneralTerm, isNoName } from './word-lists.ts'

// Converts an animal of a file to a body for `POST /v1/pets`, or reports what is wrong with it.

/** A valid animal and its line in the file. */
export interface ValidAnimal extends Pick<Animal, 'withdrawn' | 'noLongerNo' | 'answers'> {
  line: number
  /** The id in the source, if it has one. */
  id: string | undefined
  /** See `Draft`. */
  sharedWith?: number | undefined
  /** See `Draft`. */
  isPerOrganization?: boolean | undefined
  rowKey?: string | undefined
  pet: NewPet
  /** True if the animal is not for adoption in its source. */
  unlisted: boolean
  /** Why the animal is not imported, as for `Animal`. The animal then has no other members. */
  gone?: RefusalReason[]
  bond?: Bond | undefined
  photos?: PhotoList | undefined
  /** In adoptable's own format, an `externalId` used twice is an error. Other programs may repeat it. */
  isOurs: boolean
  /** True if the file has no name. The name is then the number of the animal. */
  isNameless?: boolean
  /** If the birth date was estimated from an age: how exact that age is. */
  ageDays?: number | undefined
  /** Coordinates of the postal code or city, if the file has no coordinates. */
  point?: Point | undefined
}

/** The animals that are adopted together with this one, by their ids in the file. */
export interface Bond {
  line: number
  /** The id in the source, if it has one. */
  id: string | undefined
  /** The id by which others in the file name this animal. */
  key: string
  /** The keys of the others that this animal names. */
  with: string[]
  /** The status that the animal gets when its bond is complete. */
  status?: NewPet['status']
}

/** A bond of a line of the file, whether or not its animal can be imported. */
export interface NamedBond extends Bond {
  organizationId: number | undefined
  /** Whether the animal has died or left, or the file keeps it off the public pages. */
  absence: 'gone' | 'held' | undefined
  /** The name as it is in the file, for the report. */
  title?: string
  /** The folded name of an animal. Bonds of tables and in notes refer to animals by this name. */
  name?: string
}

export interface ValidBatch {
  animals: ValidAnimal[]
  /** The bonds of all lines, also of refused lines. */
  bonds: NamedBond[]
  refused: Refusal[]
  /** Names of members that were not imported, with repetitions. */
  leftOut: string[]
  /** Values that were left out because they are not valid, by member. */
  invalid: { line: number; values: Record<string, string> }[]
}

/** Defaults for animals without a category or organization. */
export interface Defaults {
  /** Name of the category for animals whose own category is unknown. */
  category: string | undefined
  organizationId: number | undefined
  /** Whether animals may belong to any organization. */
  anyOrganization: boolean
}

/** Validates a batch. An error in one animal refuses only that animal. */
export async function validateBatch(
  db: Db,
  { drafts, refused }: Batch,
  defaults: Defaults,
  now: number,
): Promise<ValidBatch> {
  const references = await readNames(db, defaults)
  const batch: ValidBatch = { animals: [], bonds: [], refused: [...refused], leftOut: [], invalid: [] }
  for (const { animal: read, photos, ...draft } of drafts) {
    const animal = withHold(read)
    const { line, sourceId, rowKey, sharedWith, isPerOrganization } = draft
    const ids = { line, id: sourceId, rowKey, sharedWith, isPerOrganization }
    const id = sourceId ?? draft.ownId
    const bond = bondOf(draft, animal)
    if (bond) batch.bonds.push(namedBond(bond, read, references))
    await yieldToEventLoop()
    try {
      if (animal.gone) {
        batch.animals.push(goneAnimal({ ...ids, gone: [animal.gone] }, animal, references))
        continue
      }
      const name = nameOf(animal, id)
      const { pet, leftOut, invalid } = validate({ ...animal, name }, references, now)
      for (const name of leftOut) batch.leftOut.push(name)
      if (invalid) batch.invalid.push({ line, values: invalid })
      batch.animals.push({
        ...{ ...ids, pet, photos },
        ...{ withdrawn: animal.withdrawn, noLongerNo: animal.noLongerNo, answers: animal.answers },
        unlisted: animal.unlisted === true,
        bond,
        isNameless: name === numberOf(animal, id) && name !== animal.name,
        ageDays: animal.ageSpan?.unitDays,
        isOurs: !animal.leftOut,
        point: await findCoordinates(pet.place),
      })
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error
      // An animal that is held must not stay published because of another mistake in its line.
      if (animal.unlisted && (sourceId ?? rowKey) !== undefined)
        batch.animals.push(goneAnimal({ ...ids, gone: error.why }, animal, references))
      else batch.refused.push(refusalOf({ line, id: sourceId, name: animal.name }, error))
    }
  }
  return batch
}

/** An animal on hold, or with an outcome, is not published, whatever its status says. */
function withHold(animal: Animal): Animal {
  const staff = isObject(animal.staff) ? animal.staff : {}
  const isKept = textOf(staff.holdReason) || textOf(staff.outcomeKind)
  return isKept && animal.status !== 'sold' ? { ...animal, status: undefined, unlisted: true } : animal
}

function namedBond(bond: Bond, animal: Animal, references: References): NamedBond {
  const { organizationId: id } = resolveOrganization(animal, references)
  const { outcomeKind } = isObject(animal.staff) ? animal.staff : {}
  return {
    ...bond,
    organizationId: typeof id === 'number' ? id : undefined,
    absence: animal.gone ? 'gone' : animal.unlisted && !outcomeKind ? 'held' : undefined,
    title: textOf(animal.name),
    ...(isLenient(animal) && { name: foldName(cleanName(textOf(animal.name).slice(0, MAX_NAME_LENGTH))) }),
  }
}

function bondOf(
  { line, sourceId, ownId, bondId, bondedWith = [] }: Omit<Draft, 'animal'>,
  { isTable, externalId }: Animal,
): Bond | undefined {
  const id = sourceId ?? ownId
  // In a table without ids, people name animals by their numbers.
  const number = (isTable && textOf(externalId)) || undefined
  const needsKey = isTable === true || bondedWith.length > 0
  const key = bondId ?? id ?? number ?? (needsKey ? `line ${line}` : undefined)
  return key === undefined ? undefined : { line, id, key, with: bondedWith }
}

function goneAnimal(
  gone: Omit<ValidAnimal, 'pet' | 'unlisted' | 'isOurs'>,
  animal: Animal,
  references: References,
): ValidAnimal {
  const { name, externalId } = animal
  const { organizationId } = resolveOrganization(animal, references)
  const number = typeof externalId === 'string' && { externalId }
  const pet = { organizationId, name: typeof name === 'string' ? name : '', ...number } as NewPet
  return { ...gone, pet, unlisted: true, isOurs: false }
}

/** Categories or organizations of the store: ids as text, and ids by folded name or code. */
interface NameIndex {
  ids: Set<string>
  byName: Map<string, number>
  /** The pages of the originals, by id, for organizations that are copies from other installations. */
  sources?: ReadonlyMap<unknown, string>
}

/** The categories and organizations that animals in a file may refer to. */
export interface References {
  categories: NameIndex
  organizations: NameIndex
  /** The category for animals whose own category is unknown. */
  fallback: number | undefined
  organizationId: number | undefined
  anyOrganization: boolean
}

async function readNames(db: Db, { category, ...defaults }: Defaults): Promise<References> {
  const categories = await readCategories(db)
  const codes = await organizationStore.listCodes(db)
  const sources = await organizationStore.listCopies(db)
  const named = indexByName([...codes].map(([id, code]) => [id, organizationStore.fold(code)]))
  const organizations = { ...named, sources }
  const fallback = category === undefined ? undefined : findCategory(categories, category)
  return { categories, organizations, fallback, ...defaults }
}

async function readCategories(db: Db): Promise<NameIndex> {
  return indexByName((await categoryStore.list(db)).map(({ id, name }) => [id, categoryStore.fold(name)]))
}

/** @throws {RefusalError} if the store has no category with this name */
export async function requireCategory(db: Db, name: string): Promise<void> {
  if (findCategory(await readCategories(db), name) === undefined)
    throw new RefusalError(`there is no category "${name}"`)
}

function indexByName(all: [id: number, name: string][]): NameIndex {
  return { ids: new Set(all.map(([id]) => String(id))), byName: new Map(all.map(([id, name]) => [name, id])) }
}

/** Maximum length of a name or code. Folding an extremely long text would take minutes. */
const MAX_NAME = 1_000

function findId({ byName }: NameIndex, name: string, fold: (name: string) => string): number | undefined {
  return name.length > MAX_NAME ? undefined : byName.get(fold(name))
}

/** The id of the category with this name, ignoring case. */
function findCategory(categories: NameIndex, name: string): number | undefined {
  return findId(categories, name, categoryStore.fold)
}

const isLenient = ({ leftOut, isTable }: Animal): boolean => leftOut !== undefined || isTable === true

/** The name of an animal. An animal without one is found by its number. */
function nameOf(animal: Animal, id: string | undefined): unknown {
  const name = animal.leftOut && typeof animal.name === 'string' ? cleanName(animal.name) : animal.name
  if (!isLenient(animal)) return name
  // A name in adoptable's own format stays as it is.
  if (name === undefined || name === '' || (animal.kind !== undefined && isNoName(name)))
    return numberOf(animal, id) || name
  if (typeof name !== 'string') return name
  return name
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed()
}

type Json = Record<string, unknown>

/** Converts an animal to the body that a client would send. @throws {RefusalError} with all problems */
export function validate(
  animal: Animal,
  references: References,
  now: number,
): { pet: ValidAnimal['pet']; leftOut: string[]; invalid?: Record<string, string> } {
  const { categoryId, problem } = resolveCategory(animal, references)
  const { organizationId, problem: otherProblem } = resolveOrganization(animal, references)
  const read = { ...animal, ...birthOf(animal, now), species: findSpecies(animal) }
  const named = MEMBERS.map((member) => [member, read[member]] as const)
  const whole = dropUndefined(withoutBigints({ ...Object.fromEntries(named), categoryId, organizationId }))
  // In adoptable's own NDJSON every error refuses the animal. Others write values that cannot be stored.
  const { body, left } = isLenient(animal) ? dropInvalid(whole, now) : { body: whole, left: [] }
  const { error } = validateBody(problem ? { ...body, categoryId: 0 } : body)
  const found = [problem, otherProblem].filter((why) => why !== undefined)
  refuse([...withValues(error?.details, body), ...found])
  if (!references.categories.ids.has(String(categoryId)))
    refuse(withValues(categoryStore.unknownCategoryError().details, body))
  if (organizationId !== undefined && !references.organizations.ids.has(String(organizationId)))
    refuse(withValues([UNKNOWN_ORGANIZATION], body))
  const source = references.organizations.sources?.get(organizationId)
  if (source !== undefined) {
    const message = `The organization is a copy of ${source}: add the animal there.`
    refuse([{ code: 'followed_organization', message }])
  }
  const pet = merge({}, body as NewPet)
  refuse(withValues(problemsOf(pet, body as NewPet, now), body))
  return {
    pet,
    leftOut: [
      ...(animal.leftOut ?? animal.unknown ?? []),
      ...Object.entries(animal.notUnderstood ?? {}).map(labelUnread),
      ...left.map(labelInvalid),
    ],
    ...(left.length > 0 && { invalid: valuesAt(left, whole) }),
  }
}

/** The texts of removed members, to show them in the report. */
function valuesAt(paths: string[], whole: Json): Record<string, string> {
  const values = paths.flatMap((path): [string, string][] => {
    const value = valueAt(whole, path.split('.'))
    return typeof value === 'string' ? [[path, shorten(value)]] : []
  })
  return Object.fromEntries(values)
}

/** @throws {RefusalError} if there are problems */
function refuse(problems: RefusalReason[]): void {
  if (problems.length > 0) throw new RefusalError(problems)
}

/** Converts bigints to numbers, as for a request with this JSON. Only ids in files need larger integers. */
function withoutBigints<Value>(value: Value): Value {
  if (typeof value === 'bigint') return int64ToNumber(value) as Value
  if (Array.isArray(value)) return value.map(withoutBigints) as Value
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withoutBigints(member)])
  return Object.fromEntries(members) as Value
}

/** Adds the value in the file to each problem, if it is text. Others were converted and look different. */
function withValues(details: ErrorDetail[] = [], body: Json): RefusalReason[] {
  return details.map((detail) => {
    const value = valueAt(body, detail.pointer?.split('/').slice(1) ?? [])
    return typeof value === 'string' ? { ...detail, value: shorten(value) } : detail
  })
}

function resolveOrganization(
  { organizationId, organization }: Animal,
  { organizations, ...references }: References,
): { organizationId?: unknown; problem?: RefusalReason } {
  if (organizationId === undefined && organization === undefined)
    return { organizationId: references.organizationId }
  if (organizationId !== undefined && organization !== undefined)
    return { problem: { message: 'Give either organizationId or organization.' } }
  const code = textOf(organization)
  const id = organizationId ?? findId(organizations, code, organizationStore.fold)
  if (id === undefined) {
    const message = `No organization has the code "${code.slice(0, 20)}": add it first.`
    return { problem: { code: 'unknown_organization_code', value: shorten(code), message } }
  }
  if (!references.anyOrganization && textOf(id) !== textOf(references.organizationId)) {
    const message = 'It belongs to a different organization than the key.'
    return { problem: { code: 'other_organization', message } }
  }
  return { organizationId: id }
}

function resolveCategory(
  animal: Animal,
  { categories, fallback }: References,
): { categoryId?: unknown; problem?: RefusalReason } {
  const { categoryId, category, kind, species } = animal
  if (categoryId !== undefined && category !== undefined)
    return { problem: { message: 'Give either categoryId or category.' } }
  if (kind === undefined && category === undefined) {
    if ((categoryId ?? fallback) !== undefined || !isLenient(animal))
      return { categoryId: categoryId ?? fallback }
    const message = 'The file does not say what kind of animal it is; choose one with --category.'
    return { problem: { code: 'no_kind', message } }
  }
  if (kind === undefined && typeof category !== 'string')
    return { problem: { pointer: '/category', message: 'This must be a string.' } }
  const word = kind ?? String(category)
  // Searches the categories of the store first, because a shelter may have its own category for a species. A
  // column named "Type" may have a group of species or the kind of intake, next to a column with the species.
  const both = isGeneralTerm(word) ? [species, kind] : [kind, species]
  const kinds = kind === undefined ? [] : both.filter((text) => typeof text === 'string')
  const own = kind !== undefined && isGeneralTerm(word) ? [] : [word]
  const names = [...own, ...kinds.flatMap((text) => [text, findCategoryName(text) ?? ''])]
  const [id = fallback] = names.flatMap((name) => findCategory(categories, name) ?? [])
  if (id !== undefined) return { categoryId: id }
  const wrong = kind === undefined ? 'No category is named' : 'No category is known for the species'
  const message = `${wrong} "${word.slice(0, 100)}"; choose one with --category.`
  return { problem: { code: 'unknown_kind', value: shorten(word), message } }
}
