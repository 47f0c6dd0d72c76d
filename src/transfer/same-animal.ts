import type { NewPet, Pet } from '../pets/schema.ts'
import { fold } from '../search/words.ts'
import { RefusalError } from './report.ts'

// Decides whether a line and a stored animal with the same id are the same animal. Programs number the
// animals of each shelter from the start, so two shelters use the same ids for different animals.

type Described = Pick<NewPet, 'name' | 'categoryId' | 'sex' | 'externalId'>

export const foldName = (name: string): string => fold(name).trim()

/** Whether both have the same name; false if one has no name. */
export const hasSameName = ({ name }: Described, read: Described): boolean =>
  read.name !== undefined && read.name !== '' && foldName(name) === foldName(read.name)

/** An animal without a name is imported under its number. */
const isNameless = ({ name, externalId }: Described): boolean => name === externalId

export const hasOtherName = (stored: Described, read: Described): boolean =>
  // An animal that is gone has no name in its line.
  read.name !== undefined &&
  foldName(stored.name) !== foldName(read.name) &&
  !isNameless(stored) &&
  !isNameless(read)

/** A missing or unknown sex does not show that both are the same animal. */
const hasSameSex = ({ sex = 'unknown' }: Described, read: Described): boolean =>
  sex !== 'unknown' && sex === read.sex

/** Whether kind, name and sex all differ. An animal without a name has no name in common with any other. */
export function isOtherAnimal(stored: Described, read: Described): boolean {
  if (stored.categoryId === read.categoryId || hasSameSex(stored, read)) return false
  const isUnnamed = read.name !== undefined && (isNameless(stored) || isNameless(read))
  return isUnnamed || hasOtherName(stored, read)
}

/** Whether two animals, of which one has no name, differ in kind or sex. */
function hasOtherTraits(stored: Described, read: Described): boolean {
  if (read.name === undefined || !(isNameless(stored) || isNameless(read))) return false
  const sexes = [stored.sex ?? 'unknown', read.sex ?? 'unknown']
  const isOtherSex = !sexes.includes('unknown') && sexes[0] !== sexes[1]
  return stored.categoryId !== read.categoryId || isOtherSex
}

/**
 * Protects stored animals from the lines of a file that uses their ids for other animals.
 * @param pairs each line with the stored animal that it would change, if any
 * @returns a function that throws if a line belongs to another animal
 */
export function guardAnimals(
  pairs: [Pet | undefined, Described][],
  wasForeign = false,
): { isForeign: boolean; require: (stored: Pet, read: Described) => void } {
  // If one id belongs to another animal, the file is probably of another shelter. Another name then does not
  // mean that the animal was renamed.
  const isForeign = wasForeign || pairs.some(([stored, read]) => stored && isOtherAnimal(stored, read))
  const require = (stored: Pet, read: Described): void => {
    if (!isForeign || !(hasOtherName(stored, read) || hasOtherTraits(stored, read))) return
    throw otherAnimal(stored)
  }
  return { isForeign, require }
}

export function otherAnimal({ id }: Pick<Pet, 'id'>): RefusalError {
  const message =
    `This id belongs to another animal here, animal ${id}, which was not changed. If the file comes from ` +
    'another shelter or list, --organization CODE or --source NAME imports it as a new animal.'
  return new RefusalError({ code: 'other_animal', value: String(id), message })
}
