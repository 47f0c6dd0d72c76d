import type { IncomingHttpHeaders } from 'node:http'

/** Languages of pages and e-mails. The first one is the default. */
export const LANGUAGES = ['en', 'es'] as const

export type Language = (typeof LANGUAGES)[number]

class Text<T> {
  readonly by: Record<Language, T>

  constructor(by: Record<Language, T>) {
    this.by = by
  }
}

/**
 * A text in every language: a string, or a list, function or object of strings where that reads better. For
 * another language, add a parameter: every text that lacks the language is then a type error.
 */
export const text = <T>(en: T, es: NoInfer<T>): Text<T> => new Text({ en, es })

/** Texts by name. Texts with a changing part are functions. */
type Table = Text<unknown> | ((...parts: never[]) => Table) | { readonly [name: string]: Table }

export type Words<Name extends string | number = string> = Record<Name, Text<string>>

/** A table in one language. */
type Translated<T> =
  T extends Text<infer Own>
    ? Own
    : T extends (...parts: infer Parts) => infer Result
      ? (...parts: Parts) => Translated<Result>
      : { [Name in keyof T]: Translated<T[Name]> }

function translate(table: Table, language: Language): unknown {
  if (table instanceof Text) return table.by[language]
  if (typeof table === 'function') return (...parts: never[]) => translate(table(...parts), language)
  return Object.fromEntries(Object.entries(table).map(([name, one]) => [name, translate(one, language)]))
}

/** A table in every language. */
export function byLanguage<T>(table: T & Table): Record<Language, Translated<T>> {
  const inOne = (language: Language) => translate(table, language) as Translated<T>
  return { en: inOne('en'), es: inOne('es') }
}

/** Longer Accept-Language headers are cut to this length. */
const MAX_CHARACTERS = 200

/** The language that a visitor chose on a page. */
const COOKIE = 'language'
const YEAR_SECONDS = 31_536_000
const COOKIE_PATTERN = new RegExp(`(?:^|; ?)${COOKIE}=(${LANGUAGES.join('|')})(?:;|$)`)

/** The Set-Cookie header that stores the choice. */
export function languageCookie(language: Language): string {
  return `${COOKIE}=${language}; Max-Age=${YEAR_SECONDS}; Path=/; HttpOnly; SameSite=Lax`
}

/** The Vary header of pages that depend on the language. */
export const LANGUAGE_VARY = 'Accept-Language, Cookie'

/** Returns the language of the cookie, or else what the browser prefers (RFC 9110, section 12.5.4). */
export function languageOf({ cookie, 'accept-language': accepted = '' }: IncomingHttpHeaders): Language {
  const [, chosen] = (cookie !== undefined && COOKIE_PATTERN.exec(cookie)) || []
  if (chosen !== undefined) return chosen as Language
  const ranked = accepted
    .slice(0, MAX_CHARACTERS)
    .split(',')
    .map((range) => {
      const [tag = '', weight] = range.trim().split(/\s*;\s*q=/i)
      return {
        name: tag.toLowerCase().split('-')[0] ?? '',
        weight: weight === undefined ? 1 : Number(weight),
      }
    })
    .filter(({ weight }) => weight > 0)
    .sort((left, right) => right.weight - left.weight)
  const match = ranked.find(({ name }) => LANGUAGES.includes(name as Language))
  return (match?.name as Language | undefined) ?? LANGUAGES[0]
}
