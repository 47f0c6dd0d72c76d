import type { NewPet, Pet } from '../pets/schema.ts'
import { fold } from '../search/words.ts'
import { RefusalError } from './report.ts'

// Decides whether a line and a stored animal with the same id are the same animal. Programs number the
// animals of each shelter from the start, so two shelters use the same ids for different animals.

type Described = Pick<NewPet, 'name' | 'categoryId' | 'sex' | 'externalId'>

export const foldName = (name: string): string => fold(name).trim()

/** Animals without a name have none in common. */
export const hasSameName = ({ name }: Described, read: Described): boolean =>
  read.name !== undefined && read.name !== '' && foldName(name) === foldName(read.name)

export const hasOtherName = ({ name, externalId }: Described, read: Described): boolean =>
  // An animal that is gone has no name in its line. One without a name is imported under its number.
  read.name !== undefined &&
  foldName(name) !== foldName(read.name) &&
  name !== externalId &&
  read.name !== read.externalId

/** A missing or unknown sex does not show that both are the same animal. */
const hasSameSex = ({ sex = 'unknown' }: Described, read: Described): boolean =>
  sex !== 'unknown' && sex === read.sex

/** Whether kind, name and sex all differ. */
export function isOtherAnimal(stored: Described, read: Described): boolean {
  return stored.categoryId !== read.categoryId && hasOtherName(stored, read) && !hasSameSex(stored, read)
}

/**
 * Protects stored animals from the lines of a file that uses their ids for other animals.
 *
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
    if (!isForeign || !hasOtherName(stored, read)) return
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
