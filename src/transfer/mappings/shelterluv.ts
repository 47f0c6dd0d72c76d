import type { Animal, Fields, Mapping } from '../animal.ts'
import { isPlainStatement, readStatements, withStatements } from '../good-with.ts'
import { isObject, omitUndefined, sourceRow, splitAddresses, splitTexts, textOf } from '../source-row.ts'
import { isNothing, POUND_GRAMS, SIZES, words } from '../word-lists.ts'

/** Responses of the Shelterluv API v1, complete or one animal per line, and its CSV of animals. */
export const shelterluv: Mapping = {
  formats: ['json', 'ndjson', 'csv'],
  columns: ['Animal ID', 'Name', 'Species', 'Status'],
  dateColumns: ['Date of Birth', 'Intake Date'],
  intakeColumns: ['LastIntakeUnixTime', 'Intake Date'],
  idColumn: 'ID',
  sources: {
    description: ['Description', 'Kennel Card / Web Site Memo'],
    tags: ['Attributes'],
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
  isVisitor: ({ ID, 'Animal ID': number, Name }) =>
    ID === '' || ID === null || (ID === undefined && number === undefined && isNothing(textOf(Name))),
  toAnimal(fields, _format, locale) {
    const row = sourceRow(flatten(fields), locale)
    // The CSV does not say which attributes are published.
    const listed = splitTexts(textOf(fields.Attributes), ',').map((AttributeName) => ({ AttributeName }))
    const attributes = readAttributes([...objectsOf(fields.Attributes), ...listed])
    const name = row.text('Name')
    const kind = row.text('Type', 'Species') ?? ''
    const word = row.text('Status') ?? ''
    const { sex, spayedNeutered } = row.sex('Sex')
    const birthDate = row.date('DOBUnixTime', 'Date of Birth')
    if (birthDate) row.read('Age', 'Age (Y/M/D)')
    const profile = {
      externalId: row.text('ID', 'Animal ID'),
      breed: row.breed([row.text('Breed', 'Primary Breed'), row.text('Secondary Breed')], { kind }),
      colors: row.colors('Color', 'Primary Color', 'Secondary Color', 'Pattern'),
      birthDate,
      // The age of the API is a number of months, rounded from a birth date. The CSV has words.
      ...(!birthDate && typeof fields.Age !== 'number' && row.age('Age', 'Age (Y/M/D)')),
      sex,
      // "Medium (20-59)"
      size: row.oneOf(SIZES, 'Size'),
      weightGrams: row.weight(POUND_GRAMS, 'CurrentWeightPounds', 'Weight', 'Current Weight'),
      description: row.text('Description', 'Kennel Card / Web Site Memo'),
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
    const { AssociatedPerson, ...plain } = fields
    // A foster home has a date too.
    const relation = textOf(objectOf(AssociatedPerson).RelationshipType)
    const others = {
      // A memo for staff, which does not say that the animal is private.
      ...Object.fromEntries(
        result.leftOut.map((column) => [column.replace('Private**', 'Memo'), plain[column]]),
      ),
      ...{
        ...(relation !== '' && { [relation]: 'yes' }),
        Location: profile.staff?.kennel?.split(', '),
        Attributes: [...attributes.tags, ...attributes.notes],
      },
    }
    return { name, kind, statusWord: word, others, ...profile, ...result } as Animal
  },
}

type Json = Record<string, unknown>

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : [])

/** The traits that known attributes mean, in lower case. */
const TRAITS = words<[part: string, value: boolean]>({
  'house trained': ['houseTrained', true],
  housetrained: ['houseTrained', true],
  'not house trained': ['houseTrained', false],
  'not housetrained': ['houseTrained', false],
  declawed: ['declawed', true],
  'special needs': ['specialNeeds', true],
  vaccinated: ['vaccinated', true],
})

const LONGEST_TAG = 40

/**
 * Published attributes become tags. Unpublished attributes are internal and become notes, but a no in them
 * counts, and a doubt removes a published yes.
 */
function readAttributes(attributes: Json[]) {
  const traits: Json = {}
  const said: string[] = []
  const tags: string[] = []
  const notes: string[] = []
  for (const { AttributeName: name, Publish } of attributes) {
    if (typeof name !== 'string' || name.trim() === '') continue
    const isPublic = Publish === 'Yes' || Publish === true
    const [part, value] = TRAITS.get(name.toLowerCase().replaceAll('-', ' ')) ?? []
    if (part && isPublic && !(part in traits)) traits[part] = value
    else if (isPublic && isPlainStatement(name)) said.push(name)
    else (isPublic && name.length <= LONGEST_TAG ? tags : notes).push(name.trim())
  }
  return { traits, tags, notes, goodWith: withStatements(readStatements(said), [...tags, ...notes]) }
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
