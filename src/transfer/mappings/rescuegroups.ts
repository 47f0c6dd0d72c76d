import { countryNamed } from '../../http/iso-codes.ts'
import type { PetStatus } from '../../pets/fields.ts'
import { type Animal, type Fields, type Habits, type Mapping, quoted, Refused, type Why } from '../animal.ts'
import { addresses, held, isObject, listed, type SourceRow, sourceRow, split } from '../source-row.ts'
import { AGES, COATS, POUND_GRAMS, SEXES, SIZES, UNIT_GRAMS, words } from '../words.ts'
import { allOf, firstOf, flat, keyOf, named, namesOf, objectsIn, textOf } from './json-api.ts'

const STATUSES = words<PetStatus>({
  available: 'available',
  'available for adoption': 'available',
  adopted: 'sold',
  hold: 'pending',
  pending: 'pending',
  'adoption pending': 'pending',
})

/**
 * Answers of RescueGroups' API v5 (JSON:API): whole documents, in which `included` has what animals refer to;
 * or one animal a line, with its species and status among its attributes.
 */
export const rescueGroups: Mapping = {
  formats: ['json', 'ndjson'],
  columns: [],
  idColumn: 'id',
  photoMembers: ['pictures'],
  animalsIn(value) {
    if (!isObject(value)) return Array.isArray(value) ? value.map(flat) : [value]
    const { data, included, errors, meta } = value
    const [error] = objectsIn(errors)
    if (error) throw new Refused(`RescueGroups answered with an error: ${reasonOf(error)}.`)
    if (data === undefined) return [flat(value)]
    const pages = isObject(meta) && Number(meta.pages) > 1 ? meta.pages : undefined
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
            // Nothing here reads it, so that it is told.
            ...named('meta.pages', pages),
            ...named('pictures', pictureAddresses(allOf(animal, 'pictures').map((key) => known.get(key)))),
          }
        : animal,
    )
  },
  toAnimal(fields, _format, habits) {
    const { species, status } = fields
    const ours = STATUSES.get(textOf(status).toLowerCase())
    if (!ours) throw new Refused(noStatus(status === undefined ? undefined : textOf(status)))
    const row = sourceRow(fields, habits)
    row.read('type', 'species', 'status')
    const isPromised = row.flag('isAdoptionPending') === true && ours === 'available'
    const name = row.text('name')
    const place = placeOf(isObject(fields.location) ? fields.location : {}, habits)
    return {
      name,
      kind: textOf(species),
      status: isPromised ? 'pending' : ours,
      ...profileOf(row, fields),
      place: place.place,
      leftOut: [...row.unread(), ...place.leftOut],
      notUnderstood: row.notUnderstood(),
    } as Animal
  },
}

function profileOf(row: SourceRow, { videoUrls, qualities }: Fields) {
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
  return {
    externalId: row.text('rescueId'),
    breed:
      primary && held({ primary, secondary: row.text('breedSecondary'), mixed: row.flag('isBreedMixed') }),
    colors: listed([...split(row.text('colors', 'colorDetails'), ','), ...split(row.text('patterns'), ',')]),
    coat: row.oneOf(COATS, 'coatLength'),
    birthDate,
    birthDateExact: birthDate && exact,
    age: birthDate ? undefined : row.oneOf(AGES, 'ageGroup'),
    sex: row.oneOf(SEXES, 'sex'),
    size: row.oneOf(SIZES, 'sizeGroup'),
    weightGrams: weightOf(row),
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
    tags: Array.isArray(qualities) ? listed(qualities.map(textOf)) : undefined,
    fee: row.money('adoptionFeeString'),
    videos: Array.isArray(videoUrls) ? addresses(videoUrls.map(textOf).join(';')) : undefined,
    staff: held({
      microchip: row.text('microchipNumber'),
      intakeDate: row.date('receivedDate'),
      notes: row.text('notes'),
    }),
  }
}

function weightOf(row: SourceRow): number | undefined {
  const unit = row.oneOf(UNIT_GRAMS, 'sizeUOM')
  if (!unit && 'sizeUOM' in row.notUnderstood()) return row.read('sizeCurrent') as undefined
  return row.weight(unit ?? POUND_GRAMS, 'sizeCurrent')
}

function placeOf(location: Fields, habits: Habits) {
  const row = sourceRow(location, habits)
  const degrees = (name: string): number | undefined => {
    const text = row.text(name)
    return text === undefined ? undefined : Number(text)
  }
  const place = held({
    city: row.text('city'),
    region: row.text('state'),
    postcode: row.text('postalcode'),
    country: countryNamed(row.text('country') ?? ''),
    latitude: degrees('lat'),
    longitude: degrees('lon'),
  })
  return { place, leftOut: row.unread().map((name) => `location.${name}`) }
}

function reasonOf({ detail, title }: Fields): string {
  return (textOf(detail) || textOf(title) || 'without a reason').slice(0, 200).replace(/\.$/, '')
}

/** Of pictures in their order, each as large as there is one. */
function pictureAddresses(pictures: (Fields | undefined)[]): string[] | undefined {
  const held = pictures.filter(isObject).toSorted((one, other) => Number(one.order) - Number(other.order))
  const found = held.flatMap(({ original, large }) => {
    const [address] = [original, large].flatMap((form) => (isObject(form) ? textOf(form.url) || [] : []))
    return address ?? []
  })
  return found.length > 0 ? found : undefined
}

function noStatus(word: string | undefined): Why {
  const read = 'Available, Hold, Pending and Adopted are read.'
  if (word === undefined) return { code: 'no_status', message: `There is no status; ${read}` }
  const message = `The status "${word.slice(0, 100)}" has no counterpart; ${read}`
  return { code: 'unknown_status', value: quoted(word), message }
}
