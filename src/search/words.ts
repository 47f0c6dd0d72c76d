/** Letters that have no Unicode decomposition, but that people also type as plain letters. */
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
const PLAIN_KEYS = /[łøđðþßæœı]/g
const ACCENTS = /[\u0300-\u036f]/g
const ASCII = /^[\0-\x7f]*$/
/** Limits the marks per letter. No script uses more, and they take quadratic time (UAX #15, Stream-Safe). */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu

/**
 * Normalizes a text for comparisons: removes case, accents and compatibility forms (UAX #15, NFKD). Removes
 * only the marks U+0300 to U+036F, because in other scripts marks are parts of letters.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const bare = text.replace(TOO_MANY_MARKS, '$1').normalize('NFKD').replace(ACCENTS, '').toLowerCase()
  return bare
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(PLAIN_KEYS, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFC')
}

/** Runs of letters, marks and digits; all other characters separate words. */
const WORD_RUNS = /[\p{L}\p{M}\p{N}]+/gu
/** Like the expression above, but only for ASCII and five times as fast. */
const ASCII_WORD_RUNS = /[a-z0-9]+/g
/** Sequences of letters in scripts that do not separate words with spaces. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]+/gu
/** The same expression in a group, so `split` returns the matches too. */
const UNSPACED_PARTS = new RegExp(`(${UNSPACED.source})`, 'u')
const MAX_WORD_LENGTH = 40
/** The maximum number of words in one text. Limits the work. */
const MAX_WORDS = 2_000
/** The maximum length of the folded text. One character can fold to 18, but no real text is as long. */
const MAX_LETTERS = 65_536

/** Splits a text into at most MAX_WORDS words. In scripts without spaces, each letter and pair is a word. */
export function wordsOf(text: string): string[] {
  const folded = fold(text).slice(0, MAX_LETTERS)
  const words = new Set<string>()
  if (ASCII.test(folded))
    for (const run of folded.match(ASCII_WORD_RUNS) ?? []) words.add(run.slice(0, MAX_WORD_LENGTH))
  else for (const [run] of folded.matchAll(WORD_RUNS)) for (const word of split(run)) words.add(word)
  return [...words].slice(0, MAX_WORDS)
}

/** Counts the words as people do. In scripts without spaces, a run of letters counts as one word. */
export function countWords(text: string): number {
  const runs = [...fold(text).matchAll(WORD_RUNS)]
  return runs.flatMap(([run]) => run.split(UNSPACED_PARTS).filter((part) => part !== '')).length
}

function split(run: string): string[] {
  if (ASCII.test(run)) return [run.slice(0, MAX_WORD_LENGTH)]
  const spaced = run.split(UNSPACED).filter((word) => word !== '')
  const unspaced = [...run.matchAll(UNSPACED)].flatMap(([letters]) => singlesAndPairs([...letters]))
  return [...spaced.map((word) => [...word].slice(0, MAX_WORD_LENGTH).join('')), ...unspaced]
}

function singlesAndPairs(letters: string[]): string[] {
  return letters.flatMap((letter, index) => {
    const next = letters[index + 1]
    return next === undefined ? [letter] : [letter, letter + next]
  })
}

/** Compares two texts as both engines do: by their UTF-8 bytes, which gives the order of the code points. */
export function compareBytes(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  for (let at = 0; at < shorter; at += 1) {
    const [code, otherCode] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (code !== otherCode) return sortRank(code) - sortRank(otherCode)
  }
  return one.length - other.length
}

/** Surrogates, which encode code points above U+FFFF, sort after all other UTF-16 units. */
const sortRank = (code: number): number => (code >= 0xd800 && code <= 0xdfff ? code + 0x10000 : code)
