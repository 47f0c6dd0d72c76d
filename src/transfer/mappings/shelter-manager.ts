import type { PetStatus } from '../../pets/fields.ts'
import { type Animal, type Fields, type Mapping, Refused } from '../animal.ts'

/** Movements after which an animal is still the shelter's: none, a foster family, a shop. */
const AT_HAND = ['', '0', '2', '8']

/** An adoption, a reservation and an adoption on trial. */
const MOVED: Record<string, PetStatus> = { 1: 'sold', 9: 'pending', 11: 'pending' }

const GONE: Record<string, string> = {
  3: 'It was transferred to another shelter.',
  4: 'It escaped.',
  5: 'Its owner took it back.',
  6: 'It was stolen.',
  7: 'It was released to the wild.',
}

/** The CSV of Animal Shelter Manager's export of animals. */
export const shelterManager: Mapping = {
  formats: ['csv'],
  columns: ['ANIMALCODE', 'ANIMALNAME', 'ANIMALSPECIES', 'MOVEMENTTYPE'],
  idColumn: 'ANIMALCODE',
  toAnimal(fields) {
    const { ANIMALNAME: name, ANIMALSPECIES: species, ANIMALSEX: sex, ANIMALTYPE: type } = fields
    // Vaccinations, tests, costs and so on follow their animal, each in a line of its own.
    if (species === undefined && sex === undefined && type === undefined) return undefined
    return { name, kind: textOf(species), ...statusOf(fields) }
  },
}

function statusOf(fields: Fields): Pick<Animal, 'status' | 'unlisted'> {
  if (textOf(fields.ANIMALDECEASEDDATE) !== '') throw new Refused('It has died.')
  if (fields.ANIMALNONSHELTER === '1') throw new Refused('It never was an animal of the shelter.')
  const movement = textOf(fields.MOVEMENTTYPE)
  const status = MOVED[movement]
  if (status) return { status }
  if (!AT_HAND.includes(movement)) {
    throw new Refused(GONE[movement] ?? `The movement "${movement}" has no counterpart.`)
  }
  return fields.ANIMALNOTFORADOPTION === '1' ? { unlisted: true } : { status: 'available' }
}

/** What its database has no value for, that program writes as None. */
function textOf(cell: unknown): string {
  return cell === undefined || cell === 'None' ? '' : String(cell)
}
