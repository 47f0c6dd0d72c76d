import { findCountryCode } from '../../http/iso-codes.ts'
import type { Animal, Fields, Locale, Mapping } from '../animal.ts'
import { withStatements } from '../good-with.ts'
import { pickHoldColumns } from '../hold-columns.ts'
import { RefusalError } from '../report.ts'
import {
  isObject,
  omitUndefined,
  type SourceRow,
  sourceRow,
  splitAddresses,
  splitTexts,
  textOf,
  uniqueTexts,
} from '../source-row.ts'
import { readStatus } from '../statuses.ts'
import { COATS, POUND_GRAMS, SIZES, UNIT_GRAMS } from '../word-lists.ts'

/** The members of the API v2 by their names in v5. */
const OLDER_MEMBERS = new Map(
  Object.entries({
    ...{ animalID: 'id', animalRescueID: 'rescueId', animalName: 'name', animalSpecies: 'species' },
    ...{ animalStatus: 'status', animalAdoptionPending: 'isAdoptionPending', animalBreed: 'breedString' },
    ...{ animalPrimaryBreed: 'breedPrimary', animalSecondaryBreed: 'breedSecondary' },
    ...{ animalMixedBreed: 'isBreedMixed', animalColor: 'colors', animalColorDetails: 'colorDetails' },
    ...{ animalPattern: 'patterns', animalCoatLength: 'coatLength', animalSex: 'sex' },
    ...{ animalBirthdate: 'birthDate', animalBirthdateExact: 'isBirthDateExact' },
    ...{ animalGeneralAge: 'ageGroup', animalGeneralSizePotential: 'sizeGroup' },
    ...{ animalSizeCurrent: 'sizeCurrent', animalSizeUOM: 'sizeUOM', animalDescription: 'descriptionHtml' },
    ...{ animalDescriptionPlain: 'descriptionText', animalSpecialneedsDescription: 'specialNeedsDetails' },
    ...{ animalAltered: 'isAltered', animalHousetrained: 'isHousetrained', animalDeclawed: 'isDeclawed' },
    ...{ animalSpecialneeds: 'isSpecialNeeds', animalUptodate: 'isCurrentVaccinations' },
    ...{ animalOKWithKids: 'isKidsOk', animalOKWithDogs: 'isDogsOk', animalOKWithCats: 'isCatsOk' },
    ...{ animalAdoptionFee: 'adoptionFeeString', animalVideoUrls: 'videoUrls', animalNotes: 'notes' },
    ...{ animalMicrochipNumber: 'microchipNumber', animalReceivedDate: 'receivedDate' },
  }),
)

/** Gives an animal of the API v2 the names of v5. Returns any other value unchanged. */
function renameOlder(value: unknown): unknown {
  if (!isObject(value) || !('animalID' in value || 'animalName' in value)) return value
  const { animalPictures, ...others } = value
  const members = Object.entries(others).map(([name, member]) => [OLDER_MEMBERS.get(name) ?? name, member])
  const pictures = Array.isArray(animalPictures) ? findPictureAddresses(animalPictures) : undefined
  return { ...Object.fromEntries(members), ...optionalMember('pictures', pictures) }
}

/**
 * Responses of the RescueGroups API v5 (JSON:API): complete documents, with related resources in `included`,
 * or one animal per line, with species and status among its attributes. Also responses of the API v2.
 */
export const rescueGroups: Mapping = {
  formats: ['json', 'ndjson'],
  columns: [],
  dateColumns: ['birthDate', 'receivedDate'],
  intakeColumns: ['receivedDate'],
  idColumn: 'id',
  sources: {
    description: ['descriptionText', 'descriptionHtml', 'specialNeedsDetails'],
    tags: ['qualities'],
    'goodWith.children': ['isKidsOk'],
    'goodWith.dogs': ['isDogsOk'],
    'goodWith.cats': ['isCatsOk'],
    'traits.spayedNeutered': ['isAltered'],
    'traits.houseTrained': ['isHousetrained'],
    'traits.declawed': ['isDeclawed'],
    'traits.specialNeeds': ['isSpecialNeeds'],
    'traits.vaccinated': ['isCurrentVaccinations'],
  },
  photoMembers: ['pictures'],
  animalsIn(value) {
    if (!isObject(value)) return Array.isArray(value) ? value.map(flatten) : [value]
    const { data, included, errors, meta } = value
    const [error] = objectsIn(errors)
    if (error) throw new RefusalError(`RescueGroups answered with an error: ${reasonOf(error)}.`)
    if (data === undefined) return [flatten(value)]
    // Version 2 of the API has an object with the animals by their ids.
    const older = isObject(data) ? Object.values(data) : []
    if (older.length > 0 && older.every(isObject)) return older.map(flatten)
    const pages = isObject(meta) && Number(textOf(meta.pages)) > 1 ? meta.pages : undefined
    const resources = new Map(objectsIn(included).map((resource) => [keyOf(resource), resource.attributes]))
    return (Array.isArray(data) ? data : [data]).map((animal: unknown) =>
      isObject(animal)
        ? {
            ...(flatten(animal) as Fields),
            ...optionalMember('species', resources.get(firstRelatedKey(animal, 'species'))?.singular),
            ...optionalMember('status', resources.get(firstRelatedKey(animal, 'statuses'))?.name),
            ...optionalMember(
              'colors',
              joinNames(relatedKeys(animal, 'colors').map((key) => resources.get(key))),
            ),
            ...optionalMember(
              'patterns',
              joinNames(relatedKeys(animal, 'patterns').map((key) => resources.get(key))),
            ),
            ...optionalMember('location', resources.get(firstRelatedKey(animal, 'locations'))),
            // `toAnimal` does not read this member, so the summary reports it.
            ...optionalMember('meta.pages', pages),
            ...optionalMember(
              'pictures',
              findPictureAddresses(relatedKeys(animal, 'pictures').map((key) => resources.get(key))),
            ),
          }
        : animal,
    )
  },
  toAnimal(fields, _format, locale) {
    const { species } = fields
    const status = textOf(fields.status)
    const row = sourceRow(fields, locale)
    row.read('type', 'species', 'status')
    const isPromised = row.flag('isAdoptionPending') === true && readStatus(status) !== 'sold'
    const name = row.text('name')
    const place = readPlace(isObject(fields.location) ? fields.location : {}, locale)
    const profile = readProfile(row, fields)
    return {
      name,
      kind: textOf(species),
      statusWord: isPromised ? `${status}, adoption pending` : status,
      ...profile,
      others: pickHoldColumns(fields, row.unread()),
      place: place.place,
      leftOut: [...row.unread(), ...place.leftOut],
      notUnderstood: row.notUnderstood(),
    } as Animal
  },
}

function readProfile(row: SourceRow, fields: Fields) {
  const { videoUrls, qualities } = fields
  const breeds = [row.text('breedPrimary', 'breedString'), row.text('breedSecondary')]
  const { sex, spayedNeutered } = row.sex('sex')
  const birthDate = row.date('birthDate')
  const age = birthDate ? {} : row.age('ageGroup', 'ageString')
  // Duplicates of other members as text.
  row.read('breedString', 'slug')
  // An age that is not understood is reported once.
  if (birthDate || Object.keys(age).length > 0 || 'ageGroup' in row.notUnderstood()) row.read('ageString')
  const exact = row.flag('isBirthDateExact')
  if (birthDate) row.read('ageGroup')
  row.read('location', 'id')
  if (Array.isArray(videoUrls)) row.read('videoUrls')
  if (Array.isArray(qualities)) row.read('qualities')
  const said = Array.isArray(qualities) ? qualities.map(textOf) : []
  const text = row.text('descriptionText', 'descriptionHtml')
  row.read('descriptionHtml')
  const description = [text, row.text('specialNeedsDetails')].filter((part) => part).join('\n\n') || undefined
  return {
    externalId: row.text('rescueId'),
    breed: row.breed(breeds, { kind: textOf(fields.species), mixed: row.flag('isBreedMixed') }),
    colors: uniqueTexts([
      ...splitTexts(row.text('colors', 'colorDetails'), ','),
      ...splitTexts(row.text('patterns'), ','),
    ]),
    coat: row.oneOf(COATS, 'coatLength'),
    birthDate,
    birthDateExact: birthDate && exact,
    ...age,
    sex,
    size: row.oneOf(SIZES, 'sizeGroup'),
    weightGrams: readWeight(row),
    description,
    traits: omitUndefined({
      spayedNeutered: row.flag('isAltered') ?? spayedNeutered,
      houseTrained: row.flag('isHousetrained'),
      declawed: row.flag('isDeclawed'),
      specialNeeds: row.flag('isSpecialNeeds'),
      vaccinated: row.flag('isCurrentVaccinations'),
    }),
    goodWith: omitUndefined(
      withStatements(
        { children: row.flag('isKidsOk'), dogs: row.flag('isDogsOk'), cats: row.flag('isCatsOk') },
        said,
      ),
    ),
    tags: uniqueTexts(said),
    fee: row.money('adoptionFeeString'),
    videos: Array.isArray(videoUrls) ? splitAddresses(videoUrls.map(textOf).join(';')) : undefined,
    staff: omitUndefined({
      microchip: row.text('microchipNumber'),
      intakeDate: row.date('receivedDate'),
      notes: row.text('notes'),
    }),
  }
}

function readWeight(row: SourceRow): number | undefined {
  const unit = row.oneOf(UNIT_GRAMS, 'sizeUOM')
  if (!unit && 'sizeUOM' in row.notUnderstood()) return row.read('sizeCurrent') as undefined
  return row.weight(unit ?? POUND_GRAMS, 'sizeCurrent')
}

function readPlace(location: Fields, locale: Locale) {
  const row = sourceRow(location, locale)
  const degrees = (name: string): number | undefined => {
    const text = row.text(name)
    return text === undefined ? undefined : Number(text)
  }
  const place = omitUndefined({
    city: row.text('city'),
    region: row.text('state'),
    postcode: row.text('postalcode'),
    country: findCountryCode(row.text('country') ?? ''),
    latitude: degrees('lat'),
    longitude: degrees('lon'),
  })
  return { place, leftOut: row.unread().map((name) => `location.${name}`) }
}

function reasonOf({ detail, title }: Fields): string {
  return (textOf(detail) || textOf(title) || 'without a reason').slice(0, 200).replace(/\.$/, '')
}

/** The addresses of pictures in order, each in its largest size. */
function findPictureAddresses(pictures: (Fields | undefined)[]): string[] | undefined {
  const orderOf = ({ order }: Fields): number => Number(textOf(order))
  const held = pictures.filter(isObject).toSorted((one, other) => orderOf(one) - orderOf(other))
  const found = held.flatMap(({ original, large }) => {
    const [address] = [original, large].flatMap((form) => (isObject(form) ? textOf(form.url) || [] : []))
    return address ?? []
  })
  return found.length > 0 ? found : undefined
}

// JSON:API documents (jsonapi.org): resources refer to other resources in `included`.

/** A resource as specified by JSON:API. The file may contain any other value instead. */
interface Resource extends Fields {
  type?: unknown
  id?: unknown
  attributes?: Fields
  relationships?: Record<string, { data?: unknown } | null>
}

function objectsIn(value: unknown): Resource[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject)
}

/** Merges the id into the object of the attributes. Copying a large object would take long. */
function flatten(value: unknown): unknown {
  const attributes = isObject(value) ? value.attributes : undefined
  return isObject(value) && isObject(attributes)
    ? Object.assign(attributes, { id: value.id })
    : renameOlder(value)
}

function keyOf({ type, id }: Resource): string {
  return `${textOf(type)} ${textOf(id)}`
}

function relatedKeys({ relationships }: Resource, name: string): string[] {
  return objectsIn(relationships?.[name]?.data).map(keyOf)
}

// Limits the number of names, because a file can refer to the same long name many times.
const MAX_NAMES = 100
const MAX_NAME_LENGTH = 200

/** The names of related resources, separated by commas. */
function joinNames(resources: (Fields | undefined)[]): string | undefined {
  const names = resources
    .slice(0, MAX_NAMES)
    .flatMap((resource) => textOf(resource?.name).slice(0, MAX_NAME_LENGTH) || [])
  return names.length > 0 ? names.join(', ') : undefined
}

function firstRelatedKey({ relationships }: Resource, name: string): string {
  return keyOf(objectsIn(relationships?.[name]?.data)[0] ?? {})
}

function optionalMember(name: string, value: unknown): Fields {
  return value === undefined ? {} : { [name]: value }
}
