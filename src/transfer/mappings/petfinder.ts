import { findCountryCode } from '../../http/iso-codes.ts'
import type { Animal, Fields, Mapping } from '../animal.ts'
import { withStatements } from '../good-with.ts'
import {
  isObject,
  omitUndefined,
  type SourceRow,
  sourceRow,
  splitTexts,
  textOf,
  uniqueTexts,
} from '../source-row.ts'
import type { StatusResult } from '../statuses.ts'
import { COATS, SIZES } from '../word-lists.ts'

/** Petfinder's letters. H is an animal on hold. F is a found animal, whose owner may still look for it. */
const STATUSES = new Map(
  Object.entries<StatusResult>({ a: 'available', p: 'pending', x: 'sold', h: 'unlisted', f: 'unlisted' }),
)

/** An animal of Petfinder's API v2, with the columns of the CSV. */
function fromApi(value: unknown): unknown {
  if (!isObject(value) || value.breeds === undefined) return value
  const { id, name, type, species, status, gender, size, age, coat, description, ...others } = value
  const { organization_animal_id, breeds, colors, attributes, environment, photos, contact, ...rest } = others
  const [breed, color, traits, goodWith, person] = [breeds, colors, attributes, environment, contact].map(
    (member) => (isObject(member) ? member : {}),
  ) as [Fields, Fields, Fields, Fields, Fields]
  const addresses = Array.isArray(photos) ? photos.filter(isObject).map(({ full }) => full) : []
  return {
    ...rest,
    ...{ ID: id, AnimalName: name, Type: species ?? type, Status: status, Sex: gender, Size: size, Age: age },
    ...{ coat_length: coat, Desc: description, organization_animal_id },
    ...{ PrimaryBreed: breed.primary, SecondaryBreed: breed.secondary, Mix: breed.mixed },
    ...{ primaryColor: color.primary, secondaryColor: color.secondary, tertiaryColor: color.tertiary },
    ...{ Altered: traits.spayed_neutered, Housetrained: traits.house_trained, Declawed: traits.declawed },
    ...{ specialNeeds: traits.special_needs, Shots: traits.shots_current },
    ...{ children: goodWith.children, dogs: goodWith.dogs, cats: goodWith.cats },
    ...(Array.isArray(rest.tags) && { tags: rest.tags.map(textOf).join(',') }),
    ...Object.fromEntries(addresses.map((address, index) => [`photo${index + 1}`, address])),
    address: person.address,
  }
}

/** The place of an animal of the API. */
function readPlace(address: unknown): Animal['place'] {
  if (!isObject(address)) return undefined
  const { city, state, postcode, country } = address
  const place = { city, region: state, postcode, country: findCountryCode(textOf(country)) }
  return omitUndefined(
    Object.fromEntries(Object.entries(place).map(([name, text]) => [name, text ?? undefined])),
  )
}

/** The CSV that shelters upload to Petfinder, as of August 2019, and responses of its API v2. */
export const petfinder: Mapping = {
  formats: ['csv', 'json', 'ndjson'],
  columns: ['ID', 'AnimalName', 'Type', 'Status'],
  dateColumns: ['birth_date', 'arrival_date'],
  intakeColumns: ['arrival_date'],
  idColumn: 'ID',
  statuses: STATUSES,
  animalsIn(value) {
    const { animals = value, animal, pagination } = isObject(value) ? value : { animals: value }
    if (animal) return [fromApi(animal)]
    const { total_pages } = isObject(pagination) ? pagination : {}
    // `toAnimal` does not read this member, so the summary reports it.
    const more = Number(textOf(total_pages)) > 1 && { 'pagination.total_pages': total_pages }
    const all = Array.isArray(animals) ? animals : [animals]
    return all.map((one) => fromApi(isObject(one) && more ? { ...one, ...more } : one))
  },
  sources: {
    description: ['Desc', 'special_needs_notes'],
    tags: ['tags'],
    'goodWith.children': ['children'],
    'goodWith.dogs': ['dogs'],
    'goodWith.cats': ['cats'],
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
      externalId: row.text('organization_animal_id', 'ID'),
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
          {
            children: row.flag('children') ?? row.never('NoKids'),
            dogs: row.flag('dogs') ?? row.never('NoDogs'),
            cats: row.flag('cats') ?? row.never('NoCats'),
          },
          tags,
        ),
      ),
      tags: uniqueTexts(tags),
      fee,
      place: readPlace(fields.address),
      staff: omitUndefined({ intakeDate: row.date('arrival_date') }),
    }
    row.read('ID', 'address')
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
