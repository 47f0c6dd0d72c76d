import {
  type Animal,
  type Fields,
  type Format,
  type Line,
  type Locale,
  type Mapping,
  US_LOCALE,
} from './animal.ts'
import { takeAnswers, takeStatus } from './answers.ts'
import { findBond } from './bond-names.ts'
import { withoutShortened } from './damaged.ts'
import type { DateOrder } from './dates.ts'
import { findDenials } from './good-with.ts'
import { withHolds } from './hold-columns.ts'
import { isObject, textOf } from './source-row.ts'
import type { StatusReader } from './statuses.ts'

interface Reading {
  format: Format
  mapping: Mapping
  locale?: Locale
  update: boolean
  statuses: StatusReader
}

/** @returns undefined if the line does not describe an animal @throws {RefusalError} */
export function readAnimal(
  { columns }: Pick<Line, 'columns'>,
  fields: Fields,
  reading: Reading,
): Animal | undefined {
  const { format, mapping, locale = US_LOCALE, update } = reading
  const read = mapping.toAnimal(fields, format, locale)
  if (!read) return undefined
  const has = (column: string) => (columns?.has(column) ?? false) || column in fields
  if (update && mapping.statusColumn !== undefined && has(mapping.statusColumn)) takeStatus(read)
  if (!mapping.isExact) takeDenials(read)
  Object.assign(read, takeAnswers(read, mapping, has))
  const { statusWord, others = {}, ...animal } = withoutShortened(read)
  // `null` is not valid, and refused.
  const status = statusWord ?? animal.status
  if (animal.bondedWith === undefined)
    animal.bondedWith = mapping.isExact
      ? findBond(Object.values(others))
      : findBond([...Object.values(others), status, ...textsOf(animal)], animal.name)
  if (animal.gone || animal.unlisted || (status !== undefined && typeof status !== 'string')) return animal
  const context = { own: mapping.statuses, now: locale.now, order: shownOrder(locale) }
  const word = withHolds(status, others, context, mapping.isExact ? {} : animal)
  // The exact status of adoptable's own JSON is not read as words, unless another member contradicts it.
  if (word === undefined || word === animal.status) return animal
  return { ...animal, status: undefined, ...readStatusWord(word, reading) }
}

/** The order in all dates of the file, if they agree. */
function shownOrder({ dayFirst, dateOrders }: Locale): DateOrder | undefined {
  if (dayFirst !== undefined) return dayFirst ? 'day' : 'month'
  const [order, ...others] = new Set(dateOrders?.values())
  return others.length === 0 ? order : undefined
}

function readStatusWord(
  word: string,
  { statuses, mapping }: Reading,
): Pick<Animal, 'status' | 'unlisted' | 'gone'> {
  const meaning = statuses.read(word, mapping.statuses)
  if (meaning === 'died') return { gone: { code: 'has_died', message: 'It has died.' } }
  return meaning === 'unlisted' ? { unlisted: true } : { status: meaning }
}

/** A note such as "No kids" turns a yes of another column into a doubt, which goes to the staff notes. */
function takeDenials(animal: Animal): void {
  const { goodWith, others = {} } = animal
  if (!isObject(goodWith) || !Object.values(goodWith).includes(true)) return
  const denials = findDenials([...textsOf(animal), ...Object.values(others)].map(textOf))
  for (const [part, said] of denials) {
    if (goodWith[part] !== true) continue
    animal.goodWith = { ...(animal.goodWith as object), [part]: said }
    animal.notUnderstood = { ...animal.notUnderstood, [`goodWith.${part}`]: `yes, but: ${said}` }
  }
}

/** The texts that may say that an animal is bonded. */
function textsOf({ name, description, staff }: Animal): unknown[] {
  return [name, description, isObject(staff) ? staff.notes : undefined]
}
