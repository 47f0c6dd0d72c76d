import type { PetStatus } from '../../pets/fields.ts'
import { type Animal, type Mapping, quoted, Refused } from '../animal.ts'
import { held, listed, type SourceRow, sourceRow, split } from '../source-row.ts'
import { AGES, COATS, SEXES, SIZES, words } from '../words.ts'

const STATUSES = words<PetStatus>({ A: 'available', H: 'pending', P: 'pending', X: 'sold' })

/** The CSV that shelters upload to Petfinder: its columns as of Petfinder's import of August 2019. */
export const petfinder: Mapping = {
  formats: ['csv'],
  columns: ['ID', 'AnimalName', 'Type', 'Status'],
  idColumn: 'ID',
  photoMembers: [1, 2, 3, 4, 5, 6].map((number) => `photo${number}`),
  toAnimal(fields, _format, habits) {
    const row = sourceRow(fields, habits)
    const name = row.text('AnimalName')
    const kind = row.text('Type') ?? ''
    const status = statusOf(row.text('Status') ?? '')
    const birthDate = row.date('birth_date')
    const primary = row.text('PrimaryBreed')
    // A fee that is not to be shown is not.
    const isShown = row.flag('display_adoption_fee') !== false && row.flag('adoption_fee_waived') !== true
    const fee = isShown ? row.money('adoption_fee') : undefined
    const profile = {
      externalId: row.text('ID'),
      breed: primary && held({ primary, secondary: row.text('SecondaryBreed'), mixed: row.flag('Mix') }),
      colors: listed([row.text('primaryColor'), row.text('secondaryColor'), row.text('tertiaryColor')]),
      coat: row.oneOf(COATS, 'coat_length'),
      birthDate,
      // It follows from the birth date.
      age: birthDate ? row.read('Age') : row.oneOf(AGES, 'Age'),
      sex: row.oneOf(SEXES, 'Sex'),
      size: row.oneOf(SIZES, 'Size'),
      description: row.lines('Desc', 'special_needs_notes'),
      traits: held({
        spayedNeutered: row.flag('Altered'),
        houseTrained: row.flag('Housetrained'),
        declawed: row.flag('Declawed'),
        specialNeeds: row.flag('specialNeeds'),
        vaccinated: row.flag('Shots'),
      }),
      goodWith: held({ children: row.never('NoKids'), dogs: row.never('NoDogs'), cats: row.never('NoCats') }),
      tags: listed(split(row.text('tags'), ',')),
      fee,
      staff: held({ intakeDate: row.date('arrival_date') }),
    }
    const left = { leftOut: row.unread(), notUnderstood: row.notUnderstood() }
    return { name, kind, ...status, ...profile, ...left, takenBack: takenBack(row) } as Animal
  },
}

/** What a 0 says, where a former file said a 1; an empty cell says nothing. */
function takenBack(row: SourceRow): string[] {
  const isNot = { children: 'NoKids', dogs: 'NoDogs', cats: 'NoCats' }
  const parts = Object.entries(isNot).filter(([, column]) => row.flag(column) === false)
  const hidden = row.flag('display_adoption_fee') === false || row.flag('adoption_fee_waived') === true
  return [...parts.map(([part]) => `goodWith.${part}`), ...(hidden ? ['fee'] : [])]
}

function statusOf(letter: string): Pick<Animal, 'status' | 'unlisted'> {
  // Found: somebody may still look for it.
  if (letter === 'F') return { unlisted: true }
  const status = STATUSES.get(letter)
  if (status) return { status }
  const message = `The status "${letter}" is none of Petfinder's: A, F, H, P or X.`
  throw new Refused({ code: 'unknown_status', value: quoted(letter), message })
}
