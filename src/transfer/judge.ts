import * as categories from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import type { ApiError } from '../errors.ts'
import { validatorCompiler } from '../http/validate.ts'
import { MEMBERS } from '../pets/fields.ts'
import { unknownCategory } from '../pets/known-category.ts'
import { merge, problemsOf } from '../pets/profile.ts'
import { NewPet } from '../pets/schema.ts'
import { type Animal, Refused, reasonOf, told } from './animal.ts'
import { categoryOfSpecies } from './species.ts'

/** The categories of the store, each by its id as text and by its name as it is compared. */
export interface Categories {
  ids: Set<string>
  byName: Map<string, number>
}

export async function readCategories(db: Db): Promise<Categories> {
  const all = await categories.list(db)
  return {
    ids: new Set(all.map(({ id }) => String(id))),
    byName: new Map(all.map(({ id, name }) => [categories.fold(name), id])),
  }
}

/** The id of a category with this name, whatever the case of its letters. */
export function categoryNamed({ byName }: Categories, name: string): number | undefined {
  return byName.get(categories.fold(name))
}

/** What POST /v1/pets asks of a body. */
const validate = validatorCompiler({ schema: NewPet, httpPart: 'body', method: 'POST', url: '/pets' }) as (
  body: unknown,
) => { error?: ApiError }

/**
 * The animal as the service would have to be sent it.
 *
 * @param fallback the category of animals whose own one is not known
 * @throws {Refused} naming all that is wrong with it
 */
export function judge(
  animal: Animal,
  categories: Categories,
  fallback: number | undefined,
  now: number,
): NewPet {
  const { categoryId, problem } = categoryOf(animal, categories, fallback)
  const body = present({ ...animal, categoryId })
  const { error } = validate(problem ? { ...body, categoryId: 0 } : body)
  const problems = [...(error?.details ?? []).map(told), ...(problem ? [problem] : [])]
  if (problems.length > 0) throw new Refused(problems.join(' '))
  if (!categories.ids.has(String(categoryId))) throw new Refused(reasonOf(unknownCategory()))
  const pet = merge({}, body as NewPet)
  const unfit = problemsOf(pet, body as NewPet, now)
  if (unfit.length > 0) throw new Refused(unfit.map(told).join(' '))
  return pet
}

/** An absent member is another matter than an undefined one. */
function present(animal: Animal): object {
  const named = MEMBERS.filter((member) => animal[member] !== undefined)
  return Object.fromEntries(named.map((member) => [member, animal[member]]))
}

type Found = { categoryId?: unknown; problem?: string }

function categoryOf(animal: Animal, categories: Categories, fallback: number | undefined): Found {
  const { categoryId, category, kind } = animal
  if (categoryId !== undefined && category !== undefined) {
    return { problem: 'Give either categoryId or category.' }
  }
  if (kind === undefined && category === undefined) return { categoryId: categoryId ?? fallback }
  if (kind === undefined && typeof category !== 'string')
    return { problem: 'category: This must be a string.' }
  const word = kind ?? String(category)
  // The store's own categories first: a shelter may have one for what others put with the rest.
  const id =
    categoryNamed(categories, word) ??
    categoryNamed(categories, (kind && categoryOfSpecies(kind)) ?? '') ??
    fallback
  if (id !== undefined) return { categoryId: id }
  const wrong = kind === undefined ? 'No category is named' : 'No category is known for the species'
  return { problem: `${wrong} "${word.slice(0, 100)}"; --category names one for such animals.` }
}
