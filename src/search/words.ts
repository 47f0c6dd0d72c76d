/** Letters that have no decomposition, though people look for them without their strokes and ties. */
const PLAIN: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
}
const UNPLAIN = /[łøđðþßæœı]/g
const ACCENTS = /[\u0300-\u036f]/g
const ASCII = /^[\0-\x7f]*$/
/** No writing puts so many marks on a letter; more take the square of the time (UAX #15, Stream-Safe). */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu

/**
 * A text as it is compared: without case, accents and compatibility forms (UAX #15, NFKD). Of marks only
 * those of U+0300 to U+036F go: those of other scripts are parts of their letters.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const bare = text.replace(TOO_MANY_MARKS, '$1').normalize('NFKD').replace(ACCENTS, '').toLowerCase()
  return bare
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(UNPLAIN, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFC')
}

/** Runs of letters, marks and digits; everything else stands between words. */
const RUNS = /[\p{L}\p{M}\p{N}]+/gu
/** The same of a text in ASCII, five times as fast. */
const ASCII_RUNS = /[a-z0-9]+/g
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]+/gu
/** The same, with what is found kept by a split. */
const UNSPACED_PARTS = new RegExp(`(${UNSPACED.source})`, 'u')
const LONGEST = 40
/** Of a text more words are not looked for: whatever is written into one is bounded work. */
const MAX_WORDS = 2_000
/** A letter may stand for 18 others: so many are looked at, more than any script makes of a long text. */
const MAX_LETTERS = 65_536

/** The first words of a text, each once. In scripts without spaces each letter, and each two, are words. */
export function wordsOf(text: string): string[] {
  const folded = fold(text).slice(0, MAX_LETTERS)
  const words = new Set<string>()
  if (ASCII.test(folded)) for (const run of folded.match(ASCII_RUNS) ?? []) words.add(run.slice(0, LONGEST))
  else for (const [run] of folded.matchAll(RUNS)) for (const word of split(run)) words.add(word)
  return [...words].slice(0, MAX_WORDS)
}

/** How many words people see in a text: letters in a row are one, also where each two are looked for. */
export function countWords(text: string): number {
  const runs = [...fold(text).matchAll(RUNS)]
  return runs.flatMap(([run]) => run.split(UNSPACED_PARTS).filter((part) => part !== '')).length
}

function split(run: string): string[] {
  if (ASCII.test(run)) return [run.slice(0, LONGEST)]
  const spaced = run.split(UNSPACED).filter((word) => word !== '')
  const unspaced = [...run.matchAll(UNSPACED)].flatMap(([letters]) => singlesAndPairs([...letters]))
  return [...spaced.map((word) => [...word].slice(0, LONGEST).join('')), ...unspaced]
}

function singlesAndPairs(letters: string[]): string[] {
  return letters.flatMap((letter, index) => {
    const next = letters[index + 1]
    return next === undefined ? [letter] : [letter, letter + next]
  })
}

/** As the stores compare texts: by the bytes of UTF-8, which is by code points. */
export function compareBytes(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  for (let at = 0; at < shorter; at += 1) {
    const [code, otherCode] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (code !== otherCode) return rankOf(code) - rankOf(otherCode)
  }
  return one.length - other.length
}

/** Halves of code points beyond U+FFFF come behind all others. */
const rankOf = (code: number): number => (code >= 0xd800 && code <= 0xdfff ? code + 0x10000 : code)
