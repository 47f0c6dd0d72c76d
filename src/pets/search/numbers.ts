import { fold } from '../../search/words.ts'

// The forms of shelter IDs, kennels and microchips by which staff search and sort animals.

/** The maximum length and number of the forms of one text. */
const [MAX_LENGTH, MAX_FORMS] = [100, 8]
const WORDS = /[\p{L}\p{M}\p{N}]+/gu

/** Removes case, accents, spaces and punctuation, so all spellings of a number are equal. */
export const bareNumber = (text: string): string =>
  (fold(text).match(WORDS) ?? []).join('').slice(0, MAX_LENGTH)

/**
 * @returns the number from each of its words on: for `CO12-2026-0153`, these are `co1220260153`, `20260153`
 * and `0153`
 */
export function numberForms(text: string): string[] {
  const words = fold(text).match(WORDS) ?? []
  return words.slice(0, MAX_FORMS).map((_, first) => words.slice(first).join('').slice(0, MAX_LENGTH))
}

const [SORTED_CHARACTERS, SORTED_DIGITS] = [60, 12]

/** @returns a sort key: A-9 comes before A-10, and a missing text comes after all others */
export function numberKey(text: string | null | undefined): string {
  if (!text) return '1'
  const padded = fold(text).replace(/\d+/g, (digits) => digits.padStart(SORTED_DIGITS, '0'))
  return `0${[...padded].slice(0, SORTED_CHARACTERS).join('')}`
}
