import type { PetStatus } from '../../pets/fields.ts'
import { type Animal, type Fields, type Mapping, Refused } from '../animal.ts'
import { addresses, held, isObject, listed, sourceRow, split } from '../source-row.ts'
import { POUND_GRAMS, SEXES, SIZES, words } from '../words.ts'

/** The first of them that is in a status as Shelterluv writes it; without any it is not for adoption now. */
const STATUSES: [word: RegExp, status: PetStatus | undefined][] = [
  [/\bnot\b|\bun/i, undefined],
  [/\badopted\b|\bhealthy in home\b/i, 'sold'],
  [/\b(?:pending|hold|reserved)\b/i, 'pending'],
  [/\bavailable\b/i, 'available'],
]

/** Answers of Shelterluv's API v1, an animal a line or whole, and its CSV of animals. */
export const shelterluv: Mapping = {
  formats: ['json', 'ndjson', 'csv'],
  columns: ['Animal ID', 'Name', 'Species', 'Status'],
  idColumn: 'ID',
  photoMembers: ['CoverPhoto', 'Photos'],
  animalsIn(value) {
    const { animals, has_more } = (value ?? {}) as { animals?: unknown; has_more?: unknown }
    // Nothing here reads it, so that it is told.
    if (Array.isArray(animals))
      return has_more === true
        ? animals.map((animal) => (isObject(animal) ? { ...animal, has_more } : animal))
        : animals
    return Array.isArray(value) ? value : [value]
  },
  idOf: (fields) => fields.ID ?? fields['Animal ID'],
  toAnimal(fields, _format, habits) {
    const row = sourceRow(flat(fields), habits)
    const attributes = attributesOf(objectsOf(fields.Attributes))
    const name = row.text('Name')
    const kind = row.text('Type', 'Species') ?? ''
    const word = row.text('Status') ?? ''
    if (/\beuthani[sz]ed\b|\bdeceased\b|\bdied\b/i.test(word))
      throw new Refused({ code: 'has_died', message: 'It has died.' })
    const status = STATUSES.find(([words]) => words.test(word))?.[1]
    const breeds = [row.text('Breed', 'Primary Breed'), row.text('Secondary Breed')].flatMap((names) =>
      split(names, '/'),
    )
    const [primary, secondary, ...more] = breeds.filter((breed) => breed.toLowerCase() !== 'mix')
    const birthDate = row.date('DOBUnixTime', 'Date of Birth')
    // In months: the birth date says more, and without one too little is known of its kind.
    if (birthDate) row.read('Age')
    const profile = {
      externalId: row.text('ID', 'Animal ID'),
      breed: primary && { primary, ...held({ secondary, mixed: breeds.length > 1 ? true : undefined }) },
      colors: listed([
        ...split(row.text('Color', 'Primary Color'), '/'),
        ...split(row.text('Secondary Color'), '/'),
        row.text('Pattern'),
      ]),
      birthDate,
      sex: row.oneOf(SEXES, 'Sex'),
      // "Medium (20-59)"
      size: row.oneOf(SIZES, 'Size'),
      weightGrams: row.weight(POUND_GRAMS, 'CurrentWeightPounds', 'Weight'),
      description: row.text('Description'),
      traits: held({ spayedNeutered: row.flag('Altered'), ...attributes.traits }),
      goodWith: held(attributes.goodWith),
      tags: attributes.tags.length > 0 ? attributes.tags : undefined,
      fee: row.money('fee', 'Adoption Fee'),
      videos: addresses(row.text('videos')),
      staff: held({
        microchip: row.text('microchip', 'Microchip Number'),
        intakeDate: row.date('LastIntakeUnixTime', 'Intake Date'),
        intakeKind: row.text('Intake Type'),
        kennel: row.text('location', 'Location'),
        notes: attributes.notes.length > 0 ? `Attributes: ${attributes.notes.join(', ')}` : undefined,
      }),
    }
    const left = row.unread().concat(more.length > 0 ? ['Breed (a third)'] : [])
    const told = { leftOut: left, notUnderstood: row.notUnderstood() }
    return { name, kind, ...(status ? { status } : { unlisted: true }), ...profile, ...told } as Animal
  },
}

type Json = Record<string, unknown>

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : [])

/** What some attributes say, in small letters; all others are words of the shelter's own. */
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

/** The longest word that a tag may be. */
const LONGEST_TAG = 40

/** What is published may be words to find the animal by. What is not, staff wrote for each other. */
function attributesOf(attributes: Json[]) {
  const told: { goodWith: Json; traits: Json; tags: string[]; notes: string[] } = {
    ...{ goodWith: {}, traits: {}, tags: [], notes: [] },
  }
  for (const { AttributeName: name, Publish } of attributes) {
    if (typeof name !== 'string' || name.trim() === '') continue
    const isPublic = Publish === 'Yes' || Publish === true
    const [member, part, value] = ATTRIBUTES.get(name.toLowerCase().replaceAll('-', ' ')) ?? []
    if (member && part && isPublic && !(part in told[member])) told[member][part] = value
    else (isPublic && name.length <= LONGEST_TAG ? told.tags : told.notes).push(name.trim())
  }
  return told
}

const withoutRange = (size: string): string | undefined =>
  size.endsWith(')') ? size.split('(', 1)[0]?.trimEnd() : size

/** With what stands deeper beside the rest, under names of ours. */
function flat({
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
