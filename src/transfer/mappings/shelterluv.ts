import type { Animal, Fields, Mapping } from '../animal.ts'
import { isObject, omitUndefined, sourceRow, splitAddresses } from '../source-row.ts'
import { SIZES, words } from '../word-lists.ts'
import { POUND_GRAMS } from '../words.ts'

/** Responses of the Shelterluv API v1, complete or one animal per line, and its CSV of animals. */
export const shelterluv: Mapping = {
  formats: ['json', 'ndjson', 'csv'],
  columns: ['Animal ID', 'Name', 'Species', 'Status'],
  dateColumns: ['Date of Birth', 'Intake Date'],
  intakeColumns: ['LastIntakeUnixTime', 'Intake Date'],
  idColumn: 'ID',
  sources: {
    description: ['Description'],
    'goodWith.children': ['Attributes'],
    'goodWith.dogs': ['Attributes'],
    'goodWith.cats': ['Attributes'],
    'traits.spayedNeutered': ['Altered'],
    'traits.houseTrained': ['Attributes'],
    'traits.declawed': ['Attributes'],
    'traits.specialNeeds': ['Attributes'],
    'traits.vaccinated': ['Attributes'],
  },
  photoMembers: ['CoverPhoto', 'Photos'],
  animalsIn(value) {
    const { animals, has_more } = (value ?? {}) as { animals?: unknown; has_more?: unknown }
    // `toAnimal` does not read this member, so the summary reports it.
    if (Array.isArray(animals))
      return has_more === true
        ? animals.map((animal) => (isObject(animal) ? { ...animal, has_more } : animal))
        : animals
    return Array.isArray(value) ? value : [value]
  },
  idOf: (fields) => fields.ID ?? fields['Animal ID'],
  // The program gives visitors of the clinic no id.
  isVisitor: ({ ID }) => ID === '' || ID === null,
  toAnimal(fields, _format, locale) {
    const row = sourceRow(flatten(fields), locale)
    const attributes = readAttributes(objectsOf(fields.Attributes))
    const name = row.text('Name')
    const kind = row.text('Type', 'Species') ?? ''
    const statusWord = row.text('Status') ?? ''
    const { sex, spayedNeutered } = row.sex('Sex')
    const birthDate = row.date('DOBUnixTime', 'Date of Birth')
    // Ignores the age in months. The birth date is more exact, and an age group also depends on the species.
    if (birthDate) row.read('Age')
    const profile = {
      externalId: row.text('ID', 'Animal ID'),
      breed: row.breed([row.text('Breed', 'Primary Breed'), row.text('Secondary Breed')], { kind }),
      colors: row.colors('Color', 'Primary Color', 'Secondary Color', 'Pattern'),
      birthDate,
      sex,
      // "Medium (20-59)"
      size: row.oneOf(SIZES, 'Size'),
      weightGrams: row.weight(POUND_GRAMS, 'CurrentWeightPounds', 'Weight'),
      description: row.text('Description'),
      traits: omitUndefined({
        ...{ spayedNeutered: row.flag('Altered') ?? spayedNeutered },
        ...attributes.traits,
      }),
      goodWith: omitUndefined(attributes.goodWith),
      tags: attributes.tags.length > 0 ? attributes.tags : undefined,
      fee: row.money('fee', 'Adoption Fee'),
      videos: splitAddresses(row.text('videos')),
      staff: omitUndefined({
        microchip: row.text('microchip', 'Microchip Number'),
        intakeDate: row.date('LastIntakeUnixTime', 'Intake Date'),
        intakeKind: row.text('Intake Type'),
        kennel: row.text('location', 'Location'),
        notes: attributes.notes.length > 0 ? `Attributes: ${attributes.notes.join(', ')}` : undefined,
      }),
    }
    const result = { leftOut: row.unread(), notUnderstood: row.notUnderstood() }
    return { name, kind, statusWord, ...profile, ...result } as Animal
  },
}

type Json = Record<string, unknown>

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : [])

/** The meaning of known attributes, in lower case. All other attributes are the shelter's own. */
const ATTRIBUTES = words<[member: 'goodWith' | 'traits', part: string, value: boolean]>({
  'good with kids': ['goodWith', 'children', true],
  'good with children': ['goodWith', 'children', true],
  'no kids': ['goodWith', 'children', false],
  'no children': ['goodWith', 'children', false],
  'not good with kids': ['goodWith', 'children', false],
  'not good with children': ['goodWith', 'children', false],
  'good with dogs': ['goodWith', 'dogs', true],
  'no dogs': ['goodWith', 'dogs', false],
  'not good with dogs': ['goodWith', 'dogs', false],
  'good with cats': ['goodWith', 'cats', true],
  'no cats': ['goodWith', 'cats', false],
  'not good with cats': ['goodWith', 'cats', false],
  'house trained': ['traits', 'houseTrained', true],
  housetrained: ['traits', 'houseTrained', true],
  'not house trained': ['traits', 'houseTrained', false],
  'not housetrained': ['traits', 'houseTrained', false],
  declawed: ['traits', 'declawed', true],
  'special needs': ['traits', 'specialNeeds', true],
  vaccinated: ['traits', 'vaccinated', true],
})

/** Maximum length of a tag. */
const LONGEST_TAG = 40

/** Published attributes become tags. Unpublished attributes are internal and become notes. */
function readAttributes(attributes: Json[]) {
  const result: { goodWith: Json; traits: Json; tags: string[]; notes: string[] } = {
    ...{ goodWith: {}, traits: {}, tags: [], notes: [] },
  }
  for (const { AttributeName: name, Publish } of attributes) {
    if (typeof name !== 'string' || name.trim() === '') continue
    const isPublic = Publish === 'Yes' || Publish === true
    const [member, part, value] = ATTRIBUTES.get(name.toLowerCase().replaceAll('-', ' ')) ?? []
    if (member && part && isPublic && !(part in result[member])) result[member][part] = value
    else (isPublic && name.length <= LONGEST_TAG ? result.tags : result.notes).push(name.trim())
  }
  return result
}

const withoutRange = (size: string): string | undefined =>
  size.endsWith(')') ? size.split('(', 1)[0]?.trimEnd() : size

/** Moves nested values to the top level, under new names. */
function flatten({
  Attributes,
  AdoptionFeeGroup,
  Microchips,
  Videos,
  CurrentLocation,
  Size,
  ...rest
}: Fields): Fields {
  const [chip, ...moreChips] = objectsOf(Microchips)
  const { Price, ...fee } = objectOf(AdoptionFeeGroup)
  return {
    ...rest,
    ...(typeof Size === 'string' && { Size: withoutRange(Size) }),
    fee: Price,
    ...(Object.keys(fee).length > 0 && { AdoptionFeeGroup: fee.Name }),
    microchip: chip?.Id,
    ...(moreChips.length > 0 && { Microchips: 'more than one' }),
    videos: objectsOf(Videos)
      .map(({ YoutubeUrl, Url = YoutubeUrl }) => Url)
      .join(';'),
    location: Object.values(objectOf(CurrentLocation))
      .filter((tier) => typeof tier === 'string' && tier !== '')
      .join(', '),
  }
}
