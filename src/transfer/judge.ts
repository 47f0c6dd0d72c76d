import * as categoryStore from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import type { ErrorDetail } from '../errors.ts'
import { toNumber } from '../http/int64.ts'
import { bodyJudge } from '../http/judge-body.ts'
import * as organizationStore from '../organizations/store.ts'
import { fold as foldCode } from '../organizations/store.ts'
import { MEMBERS } from '../pets/fields.ts'
import { UNKNOWN_ORGANIZATION } from '../pets/problems.ts'
import { merge, problemsOf } from '../pets/profile.ts'
import { NewPet } from '../pets/schema.ts'
import { type Animal, quoted, Refused, type Why } from './animal.ts'
import { fitting, present } from './fitting.ts'
import { notFitting, notUnderstood } from './left-out.ts'
import type { Read } from './plan.ts'
import { categoryOfSpecies, finerKind } from './species.ts'

/** The categories or organizations of the store, by id as text, and by name or code as it is compared. */
export interface Named {
  ids: Set<string>
  byName: Map<string, number>
}

export interface Known {
  categories: Named
  organizations: Named
  /** The category of animals whose own one is not known. */
  fallback: number | undefined
  /** The organization of those that name none, and whether they may name another. */
  organizationId: number | undefined
  othersToo: boolean
}

export async function readCategories(db: Db): Promise<Named> {
  return byName((await categoryStore.list(db)).map(({ id, name }) => [id, categoryStore.fold(name)]))
}

export async function readOrganizations(db: Db): Promise<Named> {
  return byName([...(await organizationStore.codes(db))].map(([id, code]) => [id, foldCode(code)]))
}

function byName(all: [id: number, name: string][]): Named {
  return { ids: new Set(all.map(([id]) => String(id))), byName: new Map(all.map(([id, name]) => [name, id])) }
}

/** No name and no code is as long, however it is written; some that are far longer take minutes to fold. */
const LONGEST_NAME = 1_000

function idOf({ byName }: Named, name: string, fold: (name: string) => string): number | undefined {
  return name.length > LONGEST_NAME ? undefined : byName.get(fold(name))
}

/** The id of a category with this name, whatever the case of its letters. */
export function categoryNamed(categories: Named, name: string): number | undefined {
  return idOf(categories, name, categoryStore.fold)
}

/** What POST /v1/pets asks of a body. */
const judgeBody = bodyJudge(NewPet)

/**
 * The animal as the service would have to be sent it.
 *
 * @throws {Refused} naming all that is wrong with it
 */
export function judge(animal: Animal, known: Known, now: number): { pet: Read; leftOut: string[] } {
  const { categories, organizations } = known
  const { categoryId, problem } = categoryOf(animal, categories, known.fallback)
  const whose = organizationOf(animal, known)
  const { organizationId } = whose
  const read = { ...animal, species: animal.species ?? finerKind(animal) }
  const named = MEMBERS.map((member) => [member, read[member]] as const)
  const whole = present(withoutBigints({ ...Object.fromEntries(named), categoryId, organizationId }))
  // Of a file in our own form every mistake is told; what others write may lack a place here.
  const { body, left } = animal.leftOut
    ? fitting(whole, (body) => allProblems(body, now))
    : { body: whole, left: [] }
  const { error } = judgeBody(problem ? { ...body, categoryId: 0 } : body)
  const found = [problem, whose.problem].filter((why) => why !== undefined)
  const problems = [...withValues(error?.details, body), ...found]
  if (problems.length > 0) throw new Refused(problems)
  if (!categories.ids.has(String(categoryId)))
    throw new Refused(withValues(categoryStore.unknownCategory().details, body))
  if (organizationId !== undefined && !organizations.ids.has(String(organizationId)))
    throw new Refused(withValues([UNKNOWN_ORGANIZATION], body))
  const sent = body as NewPet
  const pet = merge({}, sent)
  const unfit = problemsOf(pet, sent, now)
  if (unfit.length > 0) throw new Refused(withValues(unfit, body))
  return {
    pet: animal.takenBack?.length ? { ...pet, takenBack: animal.takenBack } : pet,
    leftOut: [
      ...(animal.leftOut ?? animal.unknown ?? []),
      ...Object.entries(animal.notUnderstood ?? {}).map(notUnderstood),
      ...left.map(notFitting),
    ],
  }
}

/** What a request with the same JSON would have: a file may hold larger integers, which only its ids need. */
function withoutBigints<Value>(value: Value): Value {
  if (typeof value === 'bigint') return toNumber(value) as Value
  if (Array.isArray(value)) return value.map(withoutBigints) as Value
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withoutBigints(member)])
  return Object.fromEntries(members) as Value
}

/** With what the file has there, as far as it stayed text: what was understood reads otherwise by now. */
function withValues(details: ErrorDetail[] = [], body: Record<string, unknown>): Why[] {
  return details.map((detail) => {
    const parts = detail.pointer?.split('/').slice(1) ?? []
    const value = parts.reduce<unknown>((whole, part) => (whole as Record<string, unknown>)?.[part], body)
    return typeof value === 'string' ? { ...detail, value: quoted(value) } : detail
  })
}

/** What is wrong with each member by itself, and then with all together. */
function allProblems(body: Record<string, unknown>, now: number): ErrorDetail[] {
  const alone = judgeBody(body).error?.details ?? []
  if (alone.length > 0) return alone
  return problemsOf(merge({}, body as NewPet), body as NewPet, now)
}

function organizationOf(
  { organizationId, organization }: Animal,
  { organizations, ...known }: Known,
): { organizationId?: unknown; problem?: Why } {
  if (organizationId === undefined && organization === undefined)
    return { organizationId: known.organizationId }
  if (organizationId !== undefined && organization !== undefined)
    return { problem: { message: 'Give either organizationId or organization.' } }
  const id = organizationId ?? idOf(organizations, String(organization), foldCode)
  if (id === undefined) return { problem: noOrganization(String(organization)) }
  if (!known.othersToo && String(id) !== String(known.organizationId))
    return {
      problem: { code: 'other_organization', message: 'It belongs to another organization than the key.' },
    }
  return { organizationId: id }
}

function noOrganization(code: string): Why {
  const message = `No organization has the code "${code.slice(0, 20)}": add it first.`
  return { code: 'unknown_organization_code', value: quoted(code), message }
}

type CategoryMatch = { categoryId?: unknown; problem?: Why }

function categoryOf(animal: Animal, categories: Named, fallback: number | undefined): CategoryMatch {
  const { categoryId, category, kind } = animal
  if (categoryId !== undefined && category !== undefined) {
    return { problem: { message: 'Give either categoryId or category.' } }
  }
  if (kind === undefined && category === undefined) return { categoryId: categoryId ?? fallback }
  if (kind === undefined && typeof category !== 'string')
    return { problem: { pointer: '/category', message: 'This must be a string.' } }
  const word = kind ?? String(category)
  // The store's own categories first: a shelter may have one for what others put with the rest.
  const id =
    categoryNamed(categories, word) ??
    categoryNamed(categories, (kind && categoryOfSpecies(kind)) ?? '') ??
    fallback
  if (id !== undefined) return { categoryId: id }
  const wrong = kind === undefined ? 'No category is named' : 'No category is known for the species'
  const message = `${wrong} "${word.slice(0, 100)}"; --category names one for such animals.`
  return { problem: { code: 'unknown_kind', value: quoted(word), message } }
}
