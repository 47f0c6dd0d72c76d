import { MAX_BONDED_PETS } from '../../pets/fields.ts'
import type { Animal, Fields, Locale, Mapping } from '../animal.ts'
import { withStatements } from '../good-with.ts'
import { isHold, pickHoldColumns } from '../hold-columns.ts'
import { isObject, omitUndefined, type SourceRow, sourceRow, splitAddresses, textOf } from '../source-row.ts'
import { foldStatus, type StatusResult } from '../statuses.ts'
import { COATS, SIZES, words } from '../word-lists.ts'

/** Movements after which an animal is not imported. */
const DEPARTURES = new Map([
  ['transfer', 'It was transferred to another shelter.'],
  ['escaped', 'It escaped.'],
  ['reclaimed', 'Its owner took it back.'],
  ['stolen', 'It was stolen.'],
  ['released to wild', 'It was released to the wild.'],
])

/** The names of movements, by their codes. */
const MOVEMENTS = [
  ...['in the shelter', 'adoption', 'foster', 'transfer', 'escaped', 'reclaimed', 'stolen'],
  ...['released to wild', 'retailer', 'reservation', 'cancelled reservation', 'trial adoption'],
  'permanent foster',
]

/** Members that keep an animal off the public pages, by the status to report. */
const HOLDS = {
  'in quarantine': ['ISQUARANTINE', 'ANIMALQUARANTINE'],
  'cruelty case': ['CRUELTYCASE', 'ANIMALCRUELTYCASE'],
  'on hold': ['ISHOLD', 'ANIMALHOLD'],
  'not for adoption': ['ISNOTAVAILABLEFORADOPTION', 'ANIMALNOTFORADOPTION'],
  'permanent foster': ['HASPERMANENTFOSTER'],
  boarding: ['HASACTIVEBOARDING'],
  archived: ['ARCHIVED'],
}
const FLAGGED = 'held by a flag'

/** The meanings of the statuses that are made from the members of an animal. */
const STATUSES = new Map(
  Object.entries<readonly string[]>({
    available: ['in the shelter', 'foster', 'retailer', 'cancelled reservation'],
    pending: ['reservation', 'trial adoption'],
    sold: ['adoption'],
    unlisted: [...Object.keys(HOLDS), FLAGGED],
  } satisfies Record<StatusResult, string[]>).flatMap(([result, names]) =>
    names.map((name) => [foldStatus(name), result as StatusResult]),
  ),
)

const DEATHS = ['DECEASEDDATE', 'ANIMALDECEASEDDATE', 'ISDOA', 'PUTTOSLEEP', 'ANIMALEUTHANIZED']
const NON_SHELTER = ['NONSHELTERANIMAL', 'ANIMALNONSHELTER']
const TRIALS = ['HASTRIALADOPTION']
const RESERVATIONS = ['HASACTIVERESERVE', 'HASFUTUREADOPTION']

/** Flags of an animal, the program's own and the shelter's: "crueltycase", "Bite case", "Stray hold". */
const FLAGS = ['ANIMALFLAGS', 'ADDITIONALFLAGS']

/** No animal has more flags. */
const MAX_FLAGS = 1_000

const flagsOf = (row: SourceRow): string[] =>
  (row.all(...FLAGS) ?? []).flatMap((flags) => flags.split(/[|,;]/, MAX_FLAGS))

/** The codes of Animal Shelter Manager for yes, no and unknown. */
const YES_OR_NO = words<boolean>({
  ...{ 0: true, yes: true, y: true, 1: false, no: false, n: false, 2: null, unknown: null, u: null },
})

/** Members with the ids of bonded animals, and whether such an animal has left the shelter. */
const BONDS = [
  ['BONDEDANIMALID', 'BONDEDANIMAL1ARCHIVED'],
  ['BONDEDANIMAL2ID', 'BONDEDANIMAL2ARCHIVED'],
] as const

/** The ids of the animals with which an animal is bonded. */
function bondsOf(fields: Fields): string[] {
  const ids = BONDS.flatMap(([id, archived]) =>
    Number(textOf(fields[archived])) === 1 ? [] : textOf(fields[id]),
  )
  return ids.filter((id) => !['', '0', 'None'].includes(id))
}

/** Lets both sides of a bond name each other, so none of them is published before its bond is complete. */
function withBonds(animals: unknown[]): unknown[] {
  const all = animals.filter(isObject)
  const byId = new Map(all.map((animal) => [textOf(animal.ID), animal]))
  for (const animal of all)
    for (const id of bondsOf(animal)) {
      const other = byId.get(id)
      if (!other) continue
      if (Array.isArray(other.bondedWith)) other.bondedWith.push(textOf(animal.ID))
      else other.bondedWith = [textOf(animal.ID)]
    }
  return animals
}

/**
 * Animal Shelter Manager: the CSV of its export of animals, and the lists of its service as JSON or CSV, such
 * as `json_adoptable_animals` and `csv_shelter_animals`.
 */
export const shelterManager: Mapping = {
  formats: ['csv', 'json'],
  columns: ['ANIMALCODE', 'ANIMALNAME', 'ANIMALSPECIES', 'MOVEMENTTYPE'],
  otherForm: ['SHELTERCODE', 'ANIMALNAME', 'SPECIESNAME'],
  dateColumns: ['ANIMALDOB', 'ANIMALENTRYDATE', 'DATEOFBIRTH', 'DATEBROUGHTIN', 'MOSTRECENTENTRYDATE'],
  intakeColumns: ['ANIMALENTRYDATE', 'MOSTRECENTENTRYDATE', 'DATEBROUGHTIN'],
  idColumn: 'ANIMALCODE',
  hasBondIds: true,
  statuses: STATUSES,
  sources: {
    description: ['ANIMALDESCRIPTION', 'ANIMALCOMMENTS', 'WEBSITEMEDIANOTES'],
    'goodWith.children': ['ANIMALGOODWITHKIDS', 'ANIMALGOODWITHCHILDREN', 'ISGOODWITHCHILDREN'],
    'goodWith.dogs': ['ANIMALGOODWITHDOGS', 'ISGOODWITHDOGS'],
    'goodWith.cats': ['ANIMALGOODWITHCATS', 'ISGOODWITHCATS'],
    'traits.spayedNeutered': ['ANIMALNEUTERED', 'NEUTERED'],
    'traits.houseTrained': ['ANIMALHOUSETRAINED', 'ISHOUSETRAINED'],
    'traits.declawed': ['ANIMALDECLAWED', 'DECLAWED'],
    'traits.specialNeeds': ['ANIMALSPECIALNEEDS', 'HASSPECIALNEEDS'],
  },
  // The export has this column only on the line of the animal itself.
  photoMembers: ['ANIMALIMAGE'],
  animalsIn: (value) => (Array.isArray(value) ? withBonds(value) : [value]),
  idOf: (fields) => fields.ANIMALCODE ?? fields.SHELTERCODE,
  isAnimal,
  toAnimal(fields, format, locale) {
    const row = sourceRow(fields, locale)
    const { SPECIESNAME, SHELTERCODE } = fields
    const isExport = format === 'csv' && SPECIESNAME === undefined && SHELTERCODE === undefined
    if (isExport && !isAnimal(fields)) return undefined
    const status = readStatus(row)
    if ('gone' in status)
      return { ...status, name: row.text('ANIMALNAME'), externalId: row.text('ANIMALCODE', 'SHELTERCODE') }
    row.read('bondedWith', ...BONDS.flat())
    const animal = isExport ? readExported(row) : { ...readListed(row, locale), ...readBond(fields) }
    const notUnderstood = nameCodes(row)
    const leftOut = row.unread()
    return {
      ...animal,
      ...status,
      others: {
        ...pickHoldColumns(fields, leftOut),
        location: animal.staff?.kennel?.split(', '),
      },
      leftOut,
      notUnderstood,
    } as Animal
  },
}

/** The bond that an animal names, and the bonds in which other animals name it. */
function readBond(fields: Fields): Pick<Animal, 'bondId' | 'bondedWith'> {
  const named = Array.isArray(fields.bondedWith) ? (fields.bondedWith as string[]) : []
  const ids = [...new Set([...bondsOf(fields), ...named])].slice(0, MAX_BONDED_PETS)
  const bondId = textOf(fields.ID) || undefined
  return { bondId, ...(ids.length > 0 && { bondedWith: ids }) }
}

/** Vaccinations, tests and costs follow on separate lines of the CSV after the animal. */
function isAnimal(fields: Fields): boolean {
  return (
    !('ANIMALCODE' in fields) || ['ANIMALSEX', 'ANIMALSPECIES', 'ANIMALTYPE'].some((name) => name in fields)
  )
}

/** The members decide, because the lists of the service differ only in their name. */
function readStatus(row: SourceRow): Pick<Animal, 'statusWord' | 'gone'> {
  const flags = flagsOf(row)
  if (isSet(row, DEATHS)) return { gone: { code: 'has_died', message: 'It has died.' } }
  // A courtesy listing offers an animal of another owner.
  const isCourtesy = isSet(row, ['ISCOURTESY']) || flags.some((flag) => /\bcourtesy\b/i.test(flag))
  if ((isSet(row, NON_SHELTER) || flags.some((flag) => /\bnonshelter\b/i.test(flag))) && !isCourtesy)
    return { gone: { code: 'never_sheltered', message: 'It was never in the shelter.' } }
  const movement = readMovement(row)
  const left = DEPARTURES.get(movement)
  if (left) return { gone: { code: 'has_left', message: left } }
  const [isTrial, isReserved] = [isSet(row, TRIALS), isSet(row, RESERVATIONS)]
  const [hold] = Object.entries(HOLDS).flatMap(([name, names]) => (isSet(row, names) ? name : []))
  // A trial adoption has the movement of an adoption.
  if (movement === 'adoption' && !isTrial) return { statusWord: movement }
  if (hold ?? flags.some(isHold)) return { statusWord: hold ?? FLAGGED }
  if (!STATUSES.has(foldStatus(movement))) return { statusWord: `movement ${movement}` }
  if (movement === 'permanent foster') return { statusWord: movement }
  if (isTrial) return { statusWord: 'trial adoption' }
  return { statusWord: isReserved ? 'reservation' : movement }
}

/** The name of the movement, or the word in the file. */
function readMovement(row: SourceRow): string {
  const code = row.text('MOVEMENTTYPE', 'ACTIVEMOVEMENTTYPE', 'ACTIVEMOVEMENTTYPENAME')?.toLowerCase() ?? '0'
  row.read('ACTIVEMOVEMENTTYPENAME')
  return MOVEMENTS[Number(code)] ?? code
}

/** The codes of further answers, if the file has no names for them. */
const OTHER_ANSWERS = new Map(Object.entries({ 3: 'Selective', 5: 'Over 5', 12: 'Over 12' }))

/** Reports answers such as "Over 12" by their names instead of their codes. */
function nameCodes(row: SourceRow): Record<string, string> {
  const read = Object.entries(row.notUnderstood())
  return Object.fromEntries(
    read.map(([column, code]) => [column, row.text(`${column}NAME`) ?? OTHER_ANSWERS.get(code) ?? code]),
  )
}

const NO = ['no', 'n', 'false', 'f']

/** Whether a member says yes. Anything but a plain no does, because a hold may be written as its date. */
function isSet(row: SourceRow, names: string[]): boolean {
  // The lists have the words of some members in further members, such as ISHOLDNAME.
  const texts = names.flatMap((name) => row.all(name, `${name}NAME`) ?? [])
  return texts.some((text) => !NO.includes(text.toLowerCase()) && !/^[0\W]*$/.test(text))
}

/** Reads the members that both formats have, with different prefixes. */
function readShared(row: SourceRow, { own, is, has }: { own: string; is: string; has: string }) {
  const estimated = row.flag(`${own}ESTIMATEDDOB`)
  const { sex, spayedNeutered } = row.sex('ANIMALSEX', 'SEXNAME')
  return {
    sex,
    birthDateExact: estimated === undefined ? undefined : !estimated,
    weightGrams: row.weight(undefined, `${own}WEIGHT`),
    traits: omitUndefined({
      spayedNeutered: row.flag(`${own}NEUTERED`) ?? spayedNeutered,
      houseTrained: row.oneOf(YES_OR_NO, `${is}HOUSETRAINED`),
      declawed: row.flag(`${own}DECLAWED`),
      specialNeeds: row.flag(`${has}SPECIALNEEDS`),
    }),
    goodWith: omitUndefined(
      withStatements(
        {
          children: row.mostCareful(YES_OR_NO, `${is}GOODWITHCHILDREN`, `${is}GOODWITHKIDS`),
          dogs: row.mostCareful(YES_OR_NO, `${is}GOODWITHDOGS`),
          cats: row.mostCareful(YES_OR_NO, `${is}GOODWITHCATS`),
        },
        flagsOf(row),
      ),
    ),
  }
}

function readExported(row: SourceRow) {
  const { birthDateExact, ...both } = readShared(row, { own: 'ANIMAL', is: 'ANIMAL', has: 'ANIMAL' })
  const birthDate = row.date('ANIMALDOB')
  const kind = row.text('ANIMALSPECIES') ?? ''
  return {
    name: row.text('ANIMALNAME'),
    kind,
    externalId: row.text('ANIMALCODE'),
    breed: row.breed([row.text('ANIMALBREED1'), row.text('ANIMALBREED2')], {
      ...{ kind, mixed: row.flag('ANIMALCROSSBREED') },
    }),
    colors: row.colors('ANIMALCOLOR'),
    coat: row.oneOf(COATS, 'ANIMALCOATTYPE'),
    birthDate,
    birthDateExact: birthDate && birthDateExact,
    size: row.oneOf(SIZES, 'ANIMALSIZE'),
    description: row.lines('ANIMALDESCRIPTION', 'ANIMALCOMMENTS'),
    fee: row.money('ANIMALFEE'),
    ...both,
    staff: omitUndefined({
      microchip: row.text('ANIMALMICROCHIP'),
      intakeDate: row.date('ANIMALENTRYDATE'),
      intakeKind: row.text('ANIMALENTRYCATEGORY', 'ANIMALENTRYTYPE'),
      intakeNote: row.text('ANIMALREASONFORENTRY'),
      kennel: row.all('ANIMALLOCATION', 'ANIMALUNIT')?.join(', '),
      notes: row.lines('ANIMALHIDDENDETAILS', 'ANIMALHEALTHPROBLEMS', 'ANIMALMARKINGS', 'ANIMALWARNING'),
    }),
  }
}

function readListed(row: SourceRow, { currency }: Locale) {
  const { birthDateExact, ...both } = readShared(row, { own: '', is: 'IS', has: 'HAS' })
  const birthDate = row.date('DATEOFBIRTH')
  const kind = row.text('SPECIESNAME') ?? ''
  const breeds = [row.text('BREEDNAME1', 'BREEDNAME'), row.text('BREEDNAME2')]
  // Duplicates of other members.
  row.read('MOSTRECENTENTRYDATE', 'BREEDNAME', 'CROSSBREEDNAME', 'ANIMALAGE', 'AGEGROUP', 'ID', 'SHORTCODE')
  row.read(...['CHILDREN', 'DOGS', 'CATS'].map((name) => `ISGOODWITH${name}NAME`), 'ISHOUSETRAINEDNAME')
  return {
    name: row.text('ANIMALNAME'),
    kind,
    externalId: row.text('SHELTERCODE'),
    breed: row.breed(breeds, { kind, mixed: row.flag('CROSSBREED') }),
    colors: row.colors('BASECOLOURNAME'),
    coat: row.oneOf(COATS, 'COATTYPENAME'),
    birthDate,
    birthDateExact: birthDate && birthDateExact,
    size: row.oneOf(SIZES, 'SIZENAME'),
    description: row.lines('WEBSITEMEDIANOTES', 'ANIMALCOMMENTS'),
    fee: readFee(row, currency),
    videos: splitAddresses(row.text('WEBSITEVIDEOURL')),
    ...both,
    staff: omitUndefined({
      microchip: row.text('IDENTICHIPNUMBER'),
      intakeDate: row.date('DATEBROUGHTIN', 'MOSTRECENTENTRYDATE'),
      intakeKind: row.text('ENTRYREASONNAME', 'ENTRYTYPENAME'),
      intakeNote: row.text('REASONFORENTRY'),
      kennel: row.all('SHELTERLOCATIONNAME', 'SHELTERLOCATIONUNIT')?.join(', '),
      notes: row.lines('HIDDENANIMALDETAILS', 'HEALTHPROBLEMS', 'MARKINGS', 'POPUPWARNING'),
    }),
  }
}

/** The fee is in cents; 0 means unknown. */
function readFee(row: SourceRow, currency: string) {
  const amount = row.number(1, 'FEE')
  return amount ? { amount, currency } : undefined
}
