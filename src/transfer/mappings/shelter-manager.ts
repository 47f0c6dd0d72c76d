import type { PetStatus } from '../../pets/fields.ts'
import { type Animal, type Fields, type Habits, type Mapping, quoted, Refused, type Why } from '../animal.ts'
import { addresses, held, isObject, listed, type SourceRow, sourceRow } from '../source-row.ts'
import { COATS, SEXES, SIZES, words } from '../words.ts'

/** Movements after which an animal is still the shelter's: none, a foster family, a shop. */
const AT_HAND = ['', '0', '2', '8']

/** An adoption, a reservation and an adoption on trial. */
const MOVED = words<PetStatus>({ 1: 'sold', 9: 'pending', 11: 'pending' })

const GONE = words<string>({
  3: 'It was transferred to another shelter.',
  4: 'It escaped.',
  5: 'Its owner took it back.',
  6: 'It was stolen.',
  7: 'It was released to the wild.',
})

/** What that program has for yes, no, and what nobody knows. */
const YES_OR_NO = words<boolean>({
  ...{ 0: true, yes: true, y: true, 1: false, no: false, n: false, 2: null, unknown: null, u: null },
})

/** Of the JSON: the numbers of those that it is adopted together with. */
const BONDS = ['BONDEDANIMALID', 'BONDEDANIMAL2ID']

/** With the codes of those in the same file: one that is not for adoption is not in there. */
function withBonds(animals: unknown[]): unknown[] {
  const all = animals.filter(isObject)
  const codes = new Map(all.map(({ ID, SHELTERCODE }) => [ID, SHELTERCODE]))
  return animals.map((animal) => {
    if (!isObject(animal)) return animal
    const bondedWith = BONDS.flatMap((name) => codes.get(animal[name]) ?? [])
    return bondedWith.length > 0 ? { ...animal, bondedWith } : animal
  })
}

/** Animal Shelter Manager: the CSV of its export of animals, and the JSON of its service `json_adoptable_animals`. */
export const shelterManager: Mapping = {
  formats: ['csv', 'json'],
  columns: ['ANIMALCODE', 'ANIMALNAME', 'ANIMALSPECIES', 'MOVEMENTTYPE'],
  idColumn: 'ANIMALCODE',
  // Of the animal's own line: further ones have lines of their own.
  photoMembers: ['ANIMALIMAGE'],
  animalsIn: (value) => (Array.isArray(value) ? withBonds(value) : [value]),
  idOf: (fields) => fields.ANIMALCODE ?? fields.SHELTERCODE,
  toAnimal(fields, format, habits) {
    const row = sourceRow(fields, habits, ['none', 'null'])
    if (format === 'json') {
      row.read('bondedWith', ...BONDS)
      return withLeft({ ...adoptable(row, habits), bondedWith: fields.bondedWith }, row)
    }
    const { ANIMALSEX: sex, ANIMALSPECIES: species, ANIMALTYPE: type } = fields
    // Vaccinations, tests, costs and so on follow their animal, each in a line of its own.
    if (species === undefined && sex === undefined && type === undefined) return undefined
    const status = statusOf(fields, row)
    row.read('MOVEMENTTYPE', 'ANIMALNOTFORADOPTION', 'ANIMALNONSHELTER')
    return withLeft({ ...exported(row), ...status }, row)
  },
}

function withLeft(animal: object, row: SourceRow): Animal {
  return { ...animal, leftOut: row.unread(), notUnderstood: row.notUnderstood() }
}

function statusOf(fields: Fields, row: SourceRow): Pick<Animal, 'status' | 'unlisted'> {
  if (textOf(fields.ANIMALDECEASEDDATE) !== '')
    throw new Refused({ code: 'has_died', message: 'It has died.' })
  if (row.flag('ANIMALNONSHELTER'))
    throw new Refused({ code: 'never_sheltered', message: 'It never was an animal of the shelter.' })
  const movement = textOf(fields.MOVEMENTTYPE)
  const status = MOVED.get(movement)
  if (status) return { status }
  if (!AT_HAND.includes(movement)) throw new Refused(gone(movement))
  return row.flag('ANIMALNOTFORADOPTION') ? { unlisted: true } : { status: 'available' }
}

function gone(movement: string): Why {
  const known = GONE.get(movement)
  if (known) return { code: 'has_left', message: known }
  const message = `The movement "${movement}" has no counterpart.`
  return { code: 'unknown_status', value: quoted(movement), message }
}

/** What its database has no value for, that program writes as None. */
function textOf(cell: unknown): string {
  return cell === undefined || cell === 'None' ? '' : String(cell)
}

/** What both have under the same names, but for what stands before them. */
function shared(row: SourceRow, { own, is, has }: { own: string; is: string; has: string }) {
  const estimated = row.flag(`${own}ESTIMATEDDOB`)
  return {
    birthDateExact: estimated === undefined ? undefined : !estimated,
    weightGrams: row.weight(undefined, `${own}WEIGHT`),
    traits: held({
      spayedNeutered: row.flag(`${own}NEUTERED`),
      houseTrained: row.oneOf(YES_OR_NO, `${is}HOUSETRAINED`),
      declawed: row.flag(`${own}DECLAWED`),
      specialNeeds: row.flag(`${has}SPECIALNEEDS`),
    }),
    goodWith: held({
      children: row.oneOf(YES_OR_NO, `${is}GOODWITHCHILDREN`, `${is}GOODWITHKIDS`),
      dogs: row.oneOf(YES_OR_NO, `${is}GOODWITHDOGS`),
      cats: row.oneOf(YES_OR_NO, `${is}GOODWITHCATS`),
    }),
  }
}

/** A line of the CSV. */
function exported(row: SourceRow) {
  const { birthDateExact, ...both } = shared(row, { own: 'ANIMAL', is: 'ANIMAL', has: 'ANIMAL' })
  const birthDate = row.date('ANIMALDOB')
  const primary = row.text('ANIMALBREED1')
  return {
    name: row.text('ANIMALNAME'),
    kind: row.text('ANIMALSPECIES') ?? '',
    externalId: row.text('ANIMALCODE'),
    breed: primary && held({ primary, ...breedOf(row, primary, 'ANIMALBREED2', 'ANIMALCROSSBREED') }),
    colors: listed([row.text('ANIMALCOLOR')]),
    coat: row.oneOf(COATS, 'ANIMALCOATTYPE'),
    birthDate,
    birthDateExact: birthDate && birthDateExact,
    sex: row.oneOf(SEXES, 'ANIMALSEX'),
    size: row.oneOf(SIZES, 'ANIMALSIZE'),
    description: row.lines('ANIMALDESCRIPTION', 'ANIMALCOMMENTS'),
    fee: row.money('ANIMALFEE'),
    ...both,
    staff: held({
      microchip: row.text('ANIMALMICROCHIP'),
      intakeDate: row.date('ANIMALENTRYDATE'),
      intakeKind: row.text('ANIMALENTRYCATEGORY', 'ANIMALENTRYTYPE'),
      intakeNote: row.text('ANIMALREASONFORENTRY'),
      kennel: row.all('ANIMALLOCATION', 'ANIMALUNIT')?.join(', '),
      notes: row.lines('ANIMALHIDDENDETAILS', 'ANIMALHEALTHPROBLEMS', 'ANIMALMARKINGS', 'ANIMALWARNING'),
    }),
  }
}

/** An animal of the JSON, all of which are for adoption. */
function adoptable(row: SourceRow, { currency }: Habits) {
  const { birthDateExact, ...both } = shared(row, { own: '', is: 'IS', has: 'HAS' })
  const birthDate = row.date('DATEOFBIRTH')
  const primary = row.text('BREEDNAME1', 'BREEDNAME')
  // The same in words, and what the others already say.
  row.read('BREEDNAME', 'ANIMALAGE', 'AGEGROUP', 'ID')
  return {
    name: row.text('ANIMALNAME'),
    kind: row.text('SPECIESNAME') ?? '',
    status: row.flag('HASACTIVERESERVE') ? 'pending' : 'available',
    externalId: row.text('SHELTERCODE'),
    breed: primary && held({ primary, ...breedOf(row, primary, 'BREEDNAME2', 'CROSSBREED') }),
    colors: listed([row.text('BASECOLOURNAME')]),
    coat: row.oneOf(COATS, 'COATTYPENAME'),
    birthDate,
    birthDateExact: birthDate && birthDateExact,
    sex: row.oneOf(SEXES, 'SEXNAME'),
    size: row.oneOf(SIZES, 'SIZENAME'),
    description: row.lines('WEBSITEMEDIANOTES', 'ANIMALCOMMENTS'),
    fee: feeOf(row, currency),
    videos: addresses(row.text('WEBSITEVIDEOURL')),
    ...both,
    staff: held({
      microchip: row.text('IDENTICHIPNUMBER'),
      intakeDate: row.date('DATEBROUGHTIN', 'MOSTRECENTENTRYDATE'),
      intakeKind: row.text('ENTRYREASONNAME', 'ENTRYTYPENAME'),
      intakeNote: row.text('REASONFORENTRY'),
      kennel: row.all('SHELTERLOCATIONNAME', 'SHELTERLOCATIONUNIT')?.join(', '),
      notes: row.lines('HIDDENANIMALDETAILS', 'HEALTHPROBLEMS', 'MARKINGS', 'POPUPWARNING'),
    }),
  }
}

/** In cents, and 0 where nobody has said. */
function feeOf(row: SourceRow, currency: string) {
  const amount = row.number(1, 'FEE')
  return amount ? { amount, currency } : undefined
}

/** A pure breed stands twice. */
function breedOf(row: SourceRow, primary: string, second: string, crossed: string) {
  const secondary = row.text(second)
  return { secondary: secondary === primary ? undefined : secondary, mixed: row.flag(crossed) }
}
