import type { NewPet, PetPatch } from '../pets/schema.ts'
import { WHERE } from '../places/derive.ts'
import type { Judged } from './plan.ts'

interface Told {
  point: Judged['point']
  takenBack: string[]
}

/** What a line changes of an animal that is there already. */
export function patchOf(before: Partial<NewPet>, read: NewPet, { point, takenBack }: Told): PetPatch {
  const { age, ...moved } = isElsewhere(before.place, read.place) ? movedTo(read, point) : read
  // It follows from the birth date, where one is known meanwhile.
  const hasBirthDate = (moved.birthDate ?? before.birthDate) !== undefined
  const patch = hasBirthDate || age === undefined ? moved : { ...moved, age }
  return takenBack.length === 0 ? patch : withNulls(patch, before, takenBack)
}

/** Where the file says nothing else of the place, what is known may be better than the middle of a city. */
function isElsewhere(before: NewPet['place'] = {}, read: NewPet['place'] = {}): boolean {
  return WHERE.some((name) => read[name] !== undefined && read[name] !== before[name])
}

/** The coordinates of where it was before do not stay. */
function movedTo(pet: NewPet, point: Judged['point']): PetPatch {
  if (pet.place?.latitude !== undefined) return pet
  return { ...pet, place: { ...pet.place, ...(point ?? { latitude: null, longitude: null }) } }
}

/** Of goodWith only what a file can have said: a yes is somebody else's. */
function withNulls(patch: PetPatch, { goodWith = {} }: Partial<NewPet>, takenBack: string[]): PetPatch {
  const parts = Object.keys(goodWith).filter(
    (part) => takenBack.includes(`goodWith.${part}`) && goodWith[part as keyof typeof goodWith] === false,
  )
  return {
    ...patch,
    ...(parts.length > 0 && {
      goodWith: { ...patch.goodWith, ...Object.fromEntries(parts.map((part) => [part, null])) },
    }),
    ...(takenBack.includes('fee') && { fee: null }),
  }
}
