import type { PetStatus } from '../../pets/fields.ts'
import { type Animal, type Fields, type Mapping, Refused } from '../animal.ts'
import { addresses, held, listed, type SourceRow, sourceRow } from '../source-row.ts'
import { AGES, COATS, KILOGRAM_GRAMS, POUND_GRAMS, SEXES, SIZES, words } from '../words.ts'

const STATUSES = words<PetStatus>({
  available: 'available',
  'available for adoption': 'available',
  adopted: 'sold',
  hold: 'pending',
  pending: 'pending',
  'adoption pending': 'pending',
})

/** What a document of JSON:API should hold; anything may be there instead. */
interface Resource extends Fields {
  type?: unknown
  id?: unknown
  attributes?: Fields
  relationships?: Record<string, { data?: unknown } | null>
}

/**
 * Answers of RescueGroups' API v5 (JSON:API): whole documents, in which `included` has what animals refer to;
 * or one animal a line, with its species and status among its attributes.
 */
export const rescueGroups: Mapping = {
  formats: ['json', 'ndjson'],
  columns: [],
  idColumn: 'id',
  animalsIn(value) {
    if (!isObject(value)) return Array.isArray(value) ? value.map(flat) : [value]
    const { data, included, errors } = value
    const [error] = objectsIn(errors)
    if (error) throw new Refused(`RescueGroups answered with an error: ${reasonOf(error)}.`)
    if (data === undefined) return [flat(value)]
    const known = new Map(objectsIn(included).map((resource) => [keyOf(resource), resource.attributes]))
    return (Array.isArray(data) ? data : [data]).map((animal: unknown) =>
      isObject(animal)
        ? {
            ...(flat(animal) as Fields),
            ...named('species', known.get(firstOf(animal, 'species'))?.singular),
            ...named('status', known.get(firstOf(animal, 'statuses'))?.name),
            ...named('colors', namesOf(allOf(animal, 'colors').map((key) => known.get(key)))),
            ...named('patterns', namesOf(allOf(animal, 'patterns').map((key) => known.get(key)))),
            ...named('location', known.get(firstOf(animal, 'locations'))),
          }
        : animal,
    )
  },
  toAnimal(fields) {
    const { species, status } = fields
    const ours = STATUSES.get(textOf(status).toLowerCase())
    if (!ours) {
      const word = textOf(status).slice(0, 100)
      const found = status === undefined ? 'There is no status' : `The status "${word}" has no counterpart`
      throw new Refused(`${found}; Available, Hold, Pending and Adopted are read.`)
    }
    const row = sourceRow(fields)
    row.read('type', 'species', 'status')
    const name = row.text('name')
    return {
      name,
      kind: textOf(species),
      status: ours,
      ...profileOf(row, fields),
      leftOut: row.unread(),
    } as Animal
  },
}

function profileOf(row: SourceRow, { location, videoUrls, qualities }: Fields) {
  const primary = row.text('breedPrimary', 'breedString')
  // The same in words.
  row.read('breedString', 'slug', 'ageString')
  const birthDate = row.date('birthDate')
  const exact = row.flag('isBirthDateExact')
  if (birthDate) row.read('ageGroup')
  row.read('location', 'id')
  if (Array.isArray(videoUrls)) row.read('videoUrls')
  if (Array.isArray(qualities)) row.read('qualities')
  const text = row.text('descriptionText', 'descriptionHtml')
  row.read('descriptionHtml')
  const description = [text, row.text('specialNeedsDetails')].filter((part) => part).join('\n\n') || undefined
  const isPounds = (row.text('sizeUOM') ?? 'Pounds').toLowerCase().startsWith('p')
  return {
    externalId: row.text('rescueId'),
    breed:
      primary && held({ primary, secondary: row.text('breedSecondary'), mixed: row.flag('isBreedMixed') }),
    colors: listed(row.text('colors', 'colorDetails'), row.text('patterns')),
    coat: row.oneOf(COATS, 'coatLength'),
    birthDate,
    birthDateExact: birthDate && exact,
    age: birthDate ? undefined : row.oneOf(AGES, 'ageGroup'),
    sex: row.oneOf(SEXES, 'sex'),
    size: row.oneOf(SIZES, 'sizeGroup'),
    weightGrams: row.number(isPounds ? POUND_GRAMS : KILOGRAM_GRAMS, 'sizeCurrent'),
    description,
    traits: held({
      spayedNeutered: row.flag('isAltered'),
      houseTrained: row.flag('isHousetrained'),
      declawed: row.flag('isDeclawed'),
      specialNeeds: row.flag('isSpecialNeeds'),
      vaccinated: row.flag('isCurrentVaccinations'),
    }),
    goodWith: held({
      children: row.flag('isKidsOk'),
      dogs: row.flag('isDogsOk'),
      cats: row.flag('isCatsOk'),
    }),
    tags: Array.isArray(qualities) ? listed(qualities.map(textOf).join(';')) : undefined,
    fee: row.money('USD', 'adoptionFeeString'),
    videos: Array.isArray(videoUrls) ? addresses(videoUrls.map(textOf).join(';')) : undefined,
    place: isObject(location) ? placeOf(location) : undefined,
    staff: held({
      microchip: row.text('microchipNumber'),
      intakeDate: row.date('receivedDate'),
      notes: row.text('notes'),
    }),
  }
}

function placeOf(location: Fields) {
  const row = sourceRow(location)
  return held({
    city: row.text('city'),
    region: row.text('state'),
    postcode: row.text('postalcode'),
    country: row.oneOf(COUNTRIES, 'country'),
    latitude: Number(row.text('lat')) || undefined,
    longitude: Number(row.text('lon')) || undefined,
  })
}

const COUNTRIES = words<string>({
  ...{ 'united states': 'US', us: 'US', usa: 'US', canada: 'CA', ca: 'CA', mexico: 'MX', mx: 'MX' },
})

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : ''
}

function reasonOf({ detail, title }: Fields): string {
  return (textOf(detail) || textOf(title) || 'without a reason').slice(0, 200).replace(/\.$/, '')
}

function objectsIn(value: unknown): Resource[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject)
}

/** The attributes and the id, side by side. */
function flat(value: unknown): unknown {
  if (!isObject(value)) return value
  const { attributes, ...resource } = value as Resource
  return attributes ? { ...attributes, id: resource.id } : { ...resource }
}

function keyOf({ type, id }: Resource): string {
  return `${textOf(type)} ${textOf(id)}`
}

function allOf({ relationships }: Resource, name: string): string[] {
  return objectsIn(relationships?.[name]?.data).map(keyOf)
}

/** The names of what a relationship leads to, with commas between them. */
function namesOf(resources: (Fields | undefined)[]): string | undefined {
  const names = resources.flatMap((resource) => textOf(resource?.name) || [])
  return names.length > 0 ? names.join(', ') : undefined
}

function firstOf({ relationships }: Resource, name: string): string {
  return keyOf(objectsIn(relationships?.[name]?.data)[0] ?? {})
}

function named(name: string, value: unknown): Fields {
  return value === undefined ? {} : { [name]: value }
}
