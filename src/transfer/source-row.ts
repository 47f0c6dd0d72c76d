import { amountOf, numberOf, weightOf } from './amounts.ts'
import type { Habits } from './animal.ts'
import { plainText } from './plain-text.ts'
import { KILOGRAM_GRAMS, POUND_GRAMS, type Words } from './words.ts'

// What programs for shelters write, read as what an animal has here. What is not understood stays unread.

type Json = Record<string, unknown>

export interface SourceRow {
  /** A text without spaces at its ends; undefined where there is none. */
  text(...names: string[]): string | undefined
  /** The texts of several members, each once. */
  all(...names: string[]): string[] | undefined
  /** The same as paragraphs of one text. */
  lines(...names: string[]): string | undefined
  flag(name: string): boolean | undefined
  /** A flag that says the contrary: not good with dogs. Where it is not set, nothing is known. */
  never(name: string): false | undefined
  date(...names: string[]): string | undefined
  oneOf<Value>(words: Words<Value>, ...names: string[]): Value | undefined
  /** @param factor into the unit wanted */
  number(factor: number, ...names: string[]): number | undefined
  /**
   * In grams; nothing weighs 0.
   *
   * @param unit of one that tells none, in grams; undefined for that of the shelter
   */
  weight(unit: number | undefined, ...names: string[]): number | undefined
  money(...names: string[]): { amount: number; currency: string } | undefined
  /** What else has been read. */
  read(...names: string[]): void
  /** Names of the members that hold something, and that nobody asked for. */
  unread(): string[]
  /** What members hold that have a place here, and from which nothing could be made. */
  notUnderstood(): Record<string, string>
}

/** JSON has no bigint, as which integers beyond 2^53 are read: they become texts. */
function jsonOf(value: object): string {
  return JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? String(part) : part))
}

/** @param nothing what the program writes where it knows nothing, in small letters */
export function sourceRow(fields: Json, habits: Habits, nothing: readonly string[] = []): SourceRow {
  const left = new Set(Object.keys(fields).filter((name) => textOf(fields[name]) !== undefined))
  const odd = new Map<string, string>()

  function textOf(value: unknown): string | undefined {
    if (value === null || value === undefined || value === '') return undefined
    if (typeof value === 'object') return Object.keys(value).length > 0 ? jsonOf(value) : undefined
    const text = plainText(String(value))
    return text === '' || nothing.includes(text.toLowerCase()) ? undefined : text
  }

  /** Of the first member from which something can be made. */
  function first<Value>(
    names: string[],
    make: (text: string) => Value | null | undefined,
  ): Value | undefined {
    for (const name of names) {
      const text = typeof fields[name] === 'object' ? undefined : textOf(fields[name])
      const made = text === undefined ? undefined : make(text)
      if (text !== undefined && made === undefined) odd.set(name, text)
      if (made === undefined) continue
      left.delete(name)
      return made ?? undefined
    }
    return undefined
  }

  const row: SourceRow = {
    text: (...names) => first(names, (text) => text),
    all(...names) {
      const texts = names.flatMap((name) => row.text(name) ?? [])
      return texts.length > 0 ? [...new Set(texts)] : undefined
    },
    lines: (...names) => row.all(...names)?.join('\n\n'),
    flag: (name) => first([name], flagOf),
    never: (name) => (row.flag(name) ? false : undefined),
    date: (...names) => first(names, (text) => dateOf(text, habits)),
    oneOf: (words, ...names) => first(names, (text) => words.get(text.toLowerCase())),
    number: (factor, ...names) => first(names, (text) => numberOf(text, factor)),
    weight(unit = habits.pounds ? POUND_GRAMS : KILOGRAM_GRAMS, ...names) {
      return first(names, (text) => weightOf(text, unit)) || undefined
    },
    money(...names) {
      const amount = first(names, (text) => amountOf(text, 100))
      return amount === undefined ? undefined : { amount, currency: habits.currency }
    },
    read(...names) {
      for (const name of names) left.delete(name)
    },
    unread: () => [...left].filter((name) => !odd.has(name)),
    notUnderstood: () => Object.fromEntries([...odd].filter(([name]) => left.has(name))),
  }
  return row
}

const YES = ['1', 'y', 'yes', 'true', 'x', 't', 'sí', 'si']
const NO = ['0', 'n', 'no', 'false', 'f']

function flagOf(text: string): boolean | undefined {
  const word = text.toLowerCase()
  if (YES.includes(word)) return true
  return NO.includes(word) ? false : undefined
}

/** ISO 8601 or in the order of a country, with or without a time; or seconds of Unix time. */
function dateOf(text: string, { dayFirst }: Habits): string | undefined {
  if (/^-?\d{9,11}$/.test(text)) return new Date(Number(text) * 1_000).toISOString().slice(0, 10)
  const iso = /^(\d{4})-(\d\d?)-(\d\d?)(?:[T ].*)?$/.exec(text) ?? /^(\d{4})(\d\d)(\d\d)$/.exec(text)
  const slashed = /^(\d\d?)([/.-])(\d\d?)\2(\d{4})(?: .*)?$/.exec(text)
  const [, one, sign, other, last] = slashed ?? []
  // Where points stand between them, the day is the first everywhere.
  const isDayFirst = dayFirst || sign === '.'
  const [year, month, day] = iso?.slice(1) ?? (isDayFirst ? [last, other, one] : [last, one, other])
  if (year === undefined) return undefined
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isThere = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
  return isThere ? date.toISOString().slice(0, 10) : undefined
}

/** Whether it is a date where the day comes first, and none where the month does. */
export function isOnlyDayFirst(text: string): boolean {
  const habits = { currency: '', pounds: false }
  return (
    !dateOf(text, { ...habits, dayFirst: false }) && dateOf(text, { ...habits, dayFirst: true }) !== undefined
  )
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What holds nothing is absent. */
export function held<Members extends Json>(members: Members): Members | undefined {
  const known = Object.entries(members).filter(([, value]) => value !== undefined)
  return known.length > 0 ? (Object.fromEntries(known) as Members) : undefined
}

/** Addresses, between which a semicolon stands. */
export function addresses(text: string | undefined): string[] | undefined {
  const all = split(text, ';').filter((address) => address !== '')
  return all.length > 0 ? all : undefined
}

/** More than any member takes. */
const MAX_PARTS = 1_000

/** The texts in one that the program joined so, and in no other: a name may hold such a sign. */
export function split(text: string | undefined, sign: string): string[] {
  return text?.split(sign, MAX_PARTS).map((part) => part.trim()) ?? []
}

/** Several texts, each once, without those that are missing. */
export function listed(texts: (string | undefined)[]): string[] | undefined {
  const all = texts.filter((text) => text !== undefined && text !== '') as string[]
  const byWord = new Map(all.toReversed().map((text) => [text.toLowerCase(), text]))
  const once = [...byWord.values()].toReversed()
  return once.length > 0 ? once : undefined
}
