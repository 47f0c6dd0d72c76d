import type { Age } from '../pets/fields.ts'
import type { NewPet } from '../pets/schema.ts'
import { type Animal, type Locale, orderFor } from './animal.ts'
import { parseDate } from './dates.ts'
import { findMostCareful } from './good-with.ts'
import { plainText } from './html-text.ts'
import {
  type AgeSpan,
  type BreedContext,
  findCurrency,
  parseAge,
  parseBreeds,
  parseFee,
  parseSex,
  type SexWords,
  splitWords,
} from './phrases.ts'
import {
  AGES,
  FLAGS,
  isNothing,
  KILOGRAM_GRAMS,
  POUND_GRAMS,
  parseNumber,
  parseWeight,
  type Words,
} from './word-lists.ts'

// Reads members of an animal as shelter programs write them. A value that cannot be read counts as unread.

type Json = Record<string, unknown>

export interface SourceRow {
  /** A text without spaces at its ends; undefined if empty. */
  text(...names: string[]): string | undefined
  /** The distinct texts of several members. */
  all(...names: string[]): string[] | undefined
  /** The distinct texts of several members, as paragraphs of one text. */
  lines(...names: string[]): string | undefined
  flag(name: string): boolean | undefined
  /** A negative flag, such as "not good with dogs": false if set, undefined (unknown) if not. */
  never(name: string): false | undefined
  date(...names: string[]): string | undefined
  oneOf<Value>(words: Words<Value>, ...names: string[]): Value | undefined
  /** The most careful of several answers; see `good-with.ts`. */
  mostCareful(words: Words<boolean>, ...names: string[]): boolean | undefined
  /** @param factor converts into the target unit */
  number(factor: number, ...names: string[]): number | undefined
  /** A weight in grams. 0 means unknown. @param unit in grams, for weights without one; else the locale's */
  weight(unit: number | undefined, ...names: string[]): number | undefined
  money(...names: string[]): { amount: number; currency: string } | undefined
  /** The sex, and whether the animal is spayed or neutered. */
  sex(...names: string[]): SexWords
  /** The age group, or how long the animal has lived. */
  age(...names: string[]): { age?: Age; ageSpan?: AgeSpan }
  /** @param texts the breeds, the main one first */
  breed(texts: (string | undefined)[], context: BreedContext): NewPet['breed']
  /** Names of colors, which may be joined by slashes. */
  colors(...names: string[]): string[] | undefined
  /** Marks members as read. */
  read(...names: string[]): void
  /** Names of members that have a value and were not read. */
  unread(): string[]
  /** Values that could not be read, by member. */
  notUnderstood(): Record<string, string>
}

/** Converts bigints (integers beyond 2^53) to texts, because JSON.stringify refuses them. */
function toJson(value: object): string {
  return JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? String(part) : part))
}

export function sourceRow(fields: Json, locale: Locale): SourceRow {
  const left = new Set(Object.keys(fields).filter((name) => readText(fields[name]) !== undefined))
  const unreadable = new Map<string, string>()
  const surplus: string[] = []

  function readText(value: unknown): string | undefined {
    if (value === null || value === undefined || value === '') return undefined
    if (typeof value === 'object') return Object.keys(value).length > 0 ? toJson(value) : undefined
    const text = plainText(String(value))
    return isNothing(text) ? undefined : text
  }

  /** Returns the value of the first member that can be read. */
  function first<Value>(
    names: string[],
    make: (text: string, name: string) => Value | null | undefined,
  ): Value | undefined {
    for (const name of names) {
      const text = typeof fields[name] === 'object' ? undefined : readText(fields[name])
      const made = text === undefined ? undefined : make(text, name)
      if (text !== undefined && made === undefined) unreadable.set(name, text)
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
    flag: (name) => first([name], FLAGS.get),
    never: (name) => (row.flag(name) ? false : undefined),
    date: (...names) => first(names, (text, name) => parseDate(text, orderFor(locale, name), locale.now)),
    oneOf: (words, ...names) => first(names, (text) => words.get(text) ?? words.get(text.toLowerCase())),
    mostCareful(words, ...names) {
      const answered = names.filter((name) => readText(fields[name]) !== undefined)
      return findMostCareful(answered.map((name) => row.oneOf(words, name)))
    },
    number: (factor, ...names) => first(names, (text) => parseNumber(text, factor)),
    weight(unit = locale.pounds ? POUND_GRAMS : KILOGRAM_GRAMS, ...names) {
      return first(names, (text) => parseWeight(text, unit)) || undefined
    },
    money(...names) {
      return first(names, (text) => {
        const amount = parseFee(text, 100)
        return amount === undefined ? undefined : { amount, currency: findCurrency(text) ?? locale.currency }
      })
    },
    sex: (...names) => first(names, parseSex) ?? {},
    age: (...names) => first(names, parseAgeOrGroup) ?? {},
    breed(texts, context) {
      const { breed, more } = parseBreeds(texts, context)
      if (more.length > 0) surplus.push('Breed (a third)')
      return breed
    },
    colors: (...names) => uniqueTexts(names.flatMap((name) => splitWords(row.text(name) ?? ''))),
    read(...names) {
      for (const name of names) left.delete(name)
    },
    unread: () => [...[...left].filter((name) => !unreadable.has(name)), ...surplus],
    notUnderstood: () => Object.fromEntries([...unreadable].filter(([name]) => left.has(name))),
  }
  return row
}

function parseAgeOrGroup(text: string): { age?: Age; ageSpan?: AgeSpan } | undefined {
  const ageSpan = parseAge(text)
  const age = ageSpan ? undefined : AGES.get(text)
  return ageSpan ? { ageSpan } : age ? { age } : undefined
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The text of a value that is not validated yet, and may have any type; empty if it is neither text nor a
 * number. `String` and templates throw for an object with a member named `toString`.
 */
export function textOf(value: unknown): string {
  return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : ''
}

/** The number of an animal, which stands for a missing name. */
export const numberOf = (animal: Pick<Animal, 'externalId' | 'rowNumber'>, id?: string): string =>
  textOf(animal.externalId ?? id ?? animal.rowNumber)

/** Drops undefined members. @returns undefined if no member is left */
export function omitUndefined<Members extends Json>(members: Members): Members | undefined {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined)
  return defined.length > 0 ? (Object.fromEntries(defined) as Members) : undefined
}

/** Splits addresses at semicolons. */
export function splitAddresses(text: string | undefined): string[] | undefined {
  const all = splitTexts(text, ';').filter((address) => address !== '')
  return all.length > 0 ? all : undefined
}

/** Maximum number of texts. Far more texts than any member has. */
const MAX_PARTS = 1_000

/** Splits a text only at the separator of the program, because a name may contain other separators. */
export function splitTexts(text: string | undefined, sign: string): string[] {
  return text?.split(sign, MAX_PARTS).map((part) => part.trim()) ?? []
}

/** Removes missing texts, and repetitions that differ at most in case. */
export function uniqueTexts(texts: (string | undefined)[]): string[] | undefined {
  const all = texts.filter((text) => text !== undefined && text !== '') as string[]
  const byWord = new Map(all.toReversed().map((text) => [text.toLowerCase(), text]))
  const once = [...byWord.values()].toReversed()
  return once.length > 0 ? once : undefined
}
