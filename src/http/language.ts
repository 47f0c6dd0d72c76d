import type { IncomingHttpHeaders } from 'node:http'

/** Languages that pages and letters are written in, the first one for everybody else. */
export const LANGUAGES = ['en', 'es'] as const

export type Language = (typeof LANGUAGES)[number]

/** A longer header is cut: what is wanted most comes first. */
const MAX_CHARACTERS = 200

/** Of the pages alone: what somebody chose there. */
const COOKIE = 'language'
const YEAR_SECONDS = 31_536_000
const CHOSEN = new RegExp(`(?:^|; ?)${COOKIE}=(${LANGUAGES.join('|')})(?:;|$)`)

/** The Set-Cookie that has a browser keep a choice. */
export function languageCookie(language: Language): string {
  return `${COOKIE}=${language}; Max-Age=${YEAR_SECONDS}; Path=/; HttpOnly; SameSite=Lax`
}

/** What a page in somebody's language depends on, for caches. */
export const LANGUAGE_VARY = 'Accept-Language, Cookie'

/** The one that somebody chose, or else that their browser asks for most (RFC 9110, section 12.5.4). */
export function languageOf({ cookie, 'accept-language': accepted = '' }: IncomingHttpHeaders): Language {
  const [, chosen] = (cookie !== undefined && CHOSEN.exec(cookie)) || []
  if (chosen !== undefined) return chosen as Language
  const wanted = accepted
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
    .sort((one, other) => other.weight - one.weight)
  const found = wanted.find(({ name }) => LANGUAGES.includes(name as Language))
  return (found?.name as Language | undefined) ?? LANGUAGES[0]
}
