import type { PetStatus } from '../../pets/fields.ts'
import { type Animal, type Mapping, Refused } from '../animal.ts'

const STATUSES: Record<string, PetStatus> = { A: 'available', H: 'pending', P: 'pending', X: 'sold' }

/** The CSV that shelters upload to Petfinder: its columns as of Petfinder's import of August 2019. */
export const petfinder: Mapping = {
  formats: ['csv'],
  columns: ['ID', 'AnimalName', 'Type', 'Status'],
  idColumn: 'ID',
  toAnimal({ AnimalName: name, Type: type, Status: status }) {
    return { name, kind: String(type ?? ''), ...statusOf(String(status ?? '')) }
  },
}

function statusOf(letter: string): Pick<Animal, 'status' | 'unlisted'> {
  // Found: somebody may still look for it.
  if (letter === 'F') return { unlisted: true }
  const status = STATUSES[letter]
  if (!status) throw new Refused(`The status "${letter}" is none of Petfinder's: A, F, H, P or X.`)
  return { status }
}
