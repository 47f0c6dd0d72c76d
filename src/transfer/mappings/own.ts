import { valueAt } from '../../http/validate.ts'
import { FIELDS, MEMBERS, type Member } from '../../pets/fields.ts'
import type { Animal, Fields, Format, Mapping } from '../animal.ts'
import { OWN_SOURCES } from '../answers.ts'
import { readCells } from '../cells.ts'
import { COLUMNS, unshieldFormulas } from '../columns.ts'
import { NOT_GOOD_WITH } from '../good-with.ts'
import { isHoldColumn, NOT_OFFERED } from '../hold-columns.ts'
import { splitCell } from '../report.ts'
import { isObject } from '../source-row.ts'
import { foldStatus, STATUS_RESULTS, type StatusChoices } from '../statuses.ts'

/** Columns of CSV and members of JSON that are not fields of an animal. */
const EXTRA_MEMBERS = ['category', 'organization', 'photos']
/** The service sets these members. Exports and responses contain them, and imports ignore them. */
const READ_ONLY = ['id', 'publishedAt', 'statusChangedAt', 'createdAt', 'updatedAt']
const OWN_COLUMNS = new Set([...EXTRA_MEMBERS, ...READ_ONLY, ...COLUMNS.map(({ column }) => column)])

export const isOwnColumn = (heading: string): boolean => OWN_COLUMNS.has(heading)
const STATUSES: unknown[] = [undefined, ...STATUS_RESULTS.filter((result) => result !== 'unlisted')]
/** The status that `withHolds` gives an animal that is held, in a table without a status. */
const STATUS_WORDS: StatusChoices = new Map([[foldStatus(NOT_OFFERED), 'unlisted']])
/** Fields in which shelters also write that an animal is held: "Kennel: Quarantine 4". */
const HELD_IN = ['tags', 'staff.kennel', 'staff.notes']
/** Headings of the number of a row. Tables of other months have the same numbers, so they are not ids. */
const ROW_NUMBER = /^\s*(?:#|n\.?\s?[ºo°]\.?|n[uú]m(?:ber|ero)?\.?)\s*$/iu
const NAMES = new Set<string>([...EXTRA_MEMBERS, ...READ_ONLY, ...MEMBERS])

const SUBMEMBERS = new Map(
  MEMBERS.flatMap((member: Member): [string, Set<string>][] => {
    const { properties } = FIELDS[member].schema as { properties?: object }
    return properties ? [[member, new Set(Object.keys(properties))]] : []
  }),
)

/**
 * adoptable's own format, as written by `adoptable export` or by hand.
 * @param idColumn the column with the ids, if it is not a column of the format
 * @param headings for a table that a person has made: the headings in the file, by column
 * @param reportsOthers whether columns without a field are reported
 */
export function createOwnMapping(
  idColumn?: string,
  headings?: ReadonlyMap<string, string>,
  reportsOthers = true,
): Mapping {
  return {
    formats: ['ndjson', 'csv'],
    columns: ['name'],
    ...{
      dateColumns: ['birthDate', 'staff.intakeDate', 'staff.outcomeDate'],
      intakeColumns: ['staff.intakeDate'],
    },
    ...{ sources: OWN_SOURCES, statusColumn: 'status', statuses: STATUS_WORDS },
    photoMembers: ['photos'],
    isExact: headings === undefined,
    otherColumns: ['category', 'organization', 'photos', ...COLUMNS.map(({ column }) => column)],
    toAnimal({ '': _left, ...fields }, format, locale) {
      const { category, organization } = fields
      const unread = findUnknown(fields, format).filter(
        (name) => name !== idColumn && !(headings && NOT_GOOD_WITH.includes(name)),
      )
      const others = Object.fromEntries(
        [...unread, ...(headings ? HELD_IN : [])].map((name) => [
          headings?.get(name) ?? name,
          linesOf(fields[name] ?? valueAt(fields, name.split('.'))),
        ]),
      )
      const unknown = reportsOthers ? unread.filter((name) => !(headings && isHoldColumn(name))) : []
      if (format === 'csv') {
        const animal = readCells(fields, locale, headings)
        const name = typeof category === 'string' ? unshieldFormulas(category) : category
        const all = [...unknown, ...(animal.unknown ?? [])]
        if (headings?.has('status')) animal.status ??= ''
        return withoutDerived({
          ...{ ...withStatusWord(animal), organization, unknown: all, others },
          ...(headings && { rowNumber: Object.entries(others).find(([name]) => ROW_NUMBER.test(name))?.[1] }),
          ...(!headings && { category: name }),
        })
      }
      // An animal whose status is not valid may be held. Its line is refused, and it is no longer published.
      const unlisted = !STATUSES.includes(fields.status ?? undefined)
      const more = { organization, unlisted, others, ...(unknown.length > 0 && { unknown }) }
      const named = MEMBERS.map((member) => [member, fields[member]] as const)
      return withoutDerived({ ...Object.fromEntries(named), category, ...more })
    },
  }
}

/** Each line of a text alone, because several columns may fill one field. */
const linesOf = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\n') ? splitCell(value, '\n') : value

/** People write tables by hand, with their own words for a status. */
function withStatusWord({ status, ...animal }: Animal): Animal {
  return typeof status === 'string' ? { ...animal, statusWord: status } : animal
}

export const ownMapping = createOwnMapping()

/** Unknown names are reported because most of them are misspelt. */
function findUnknown(fields: Fields, format: Format): string[] {
  const names = format === 'csv' ? OWN_COLUMNS : NAMES
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!names.has(name)) return [name]
    const parts = isObject(value) ? SUBMEMBERS.get(name) : undefined
    if (!parts || !isObject(value)) return []
    return Object.keys(value).flatMap((part) => (parts.has(part) ? [] : [`${name}.${part}`]))
  })
}

/** Drops the age if there is a birth date, from which it is computed. Exports have both. */
function withoutDerived({ age, ...animal }: Animal): Animal {
  return animal.birthDate === undefined ? { age, ...animal } : animal
}
