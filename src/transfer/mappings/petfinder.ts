import type { Animal, Mapping } from '../animal.ts'
import { withStatements } from '../good-with.ts'
import { omitUndefined, type SourceRow, sourceRow, splitTexts, uniqueTexts } from '../source-row.ts'
import type { StatusResult } from '../statuses.ts'
import { COATS, SIZES } from '../word-lists.ts'

/**
 * Petfinder's letters. H is an animal on hold for any reason. F is a found animal, whose owner may still be
 * looking for it.
 */
const STATUSES = new Map(
  Object.entries<StatusResult>({ a: 'available', p: 'pending', x: 'sold', h: 'unlisted', f: 'unlisted' }),
)

/** The CSV that shelters upload to Petfinder, as of August 2019. */
export const petfinder: Mapping = {
  formats: ['csv'],
  columns: ['ID', 'AnimalName', 'Type', 'Status'],
  dateColumns: ['birth_date', 'arrival_date'],
  intakeColumns: ['arrival_date'],
  idColumn: 'ID',
  statuses: STATUSES,
  sources: {
    description: ['Desc', 'special_needs_notes'],
    tags: ['tags'],
    'traits.spayedNeutered': ['Altered'],
    'traits.houseTrained': ['Housetrained'],
    'traits.declawed': ['Declawed'],
    'traits.specialNeeds': ['specialNeeds'],
    'traits.vaccinated': ['Shots'],
  },
  photoMembers: [1, 2, 3, 4, 5, 6].map((number) => `photo${number}`),
  toAnimal(fields, _format, locale) {
    const row = sourceRow(fields, locale)
    const name = row.text('AnimalName')
    const kind = row.text('Type') ?? ''
    const word = row.text('Status') ?? ''
    const birthDate = row.date('birth_date')
    const { sex, spayedNeutered } = row.sex('Sex')
    // A hidden or waived fee is not imported.
    const isShown = row.flag('display_adoption_fee') !== false && row.flag('adoption_fee_waived') !== true
    const tags = splitTexts(row.text('tags'), ',')
    const fee = isShown ? row.money('adoption_fee') : undefined
    const profile = {
      externalId: row.text('ID'),
      breed: row.breed([row.text('PrimaryBreed'), row.text('SecondaryBreed')], {
        ...{ kind, mixed: row.flag('Mix') },
      }),
      colors: row.colors('primaryColor', 'secondaryColor', 'tertiaryColor'),
      coat: row.oneOf(COATS, 'coat_length'),
      birthDate,
      // The age is computed from the birth date.
      ...(birthDate ? row.read('Age') : row.age('Age')),
      sex,
      size: row.oneOf(SIZES, 'Size'),
      description: row.lines('Desc', 'special_needs_notes'),
      traits: omitUndefined({
        spayedNeutered: row.flag('Altered') ?? spayedNeutered,
        houseTrained: row.flag('Housetrained'),
        declawed: row.flag('Declawed'),
        specialNeeds: row.flag('specialNeeds'),
        vaccinated: row.flag('Shots'),
      }),
      goodWith: omitUndefined(
        withStatements(
          { children: row.never('NoKids'), dogs: row.never('NoDogs'), cats: row.never('NoCats') },
          tags,
        ),
      ),
      tags: uniqueTexts(tags),
      fee,
      staff: omitUndefined({ intakeDate: row.date('arrival_date') }),
    }
    const left = { leftOut: row.unread(), notUnderstood: row.notUnderstood() }
    const others = Object.fromEntries(left.leftOut.map((column) => [column, fields[column]]))
    const animal = { name, kind, statusWord: word, ...profile, ...left, ...findWithdrawn(row) }
    return { ...animal, others: { ...others, tags } } as Animal
  },
}

/** Finds the members to clear. A 0 clears what an earlier file set with 1. An empty cell does not. */
function findWithdrawn(row: SourceRow): Pick<Animal, 'withdrawn' | 'noLongerNo'> {
  const isNot = { children: 'NoKids', dogs: 'NoDogs', cats: 'NoCats' }
  const parts = Object.entries(isNot).filter(([, column]) => row.flag(column) === false)
  const hidden = row.flag('display_adoption_fee') === false || row.flag('adoption_fee_waived') === true
  return { noLongerNo: parts.map(([part]) => part), withdrawn: hidden ? ['fee'] : [] }
}
