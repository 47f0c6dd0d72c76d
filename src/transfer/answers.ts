import type { NewPet, Pet, PetPatch } from '../pets/schema.ts'
import type { Animal, Mapping } from './animal.ts'
import { textOf } from './source-row.ts'

// Removes values that adopters rely on, if a file no longer has them. A column of the file without a usable
// value removes the value that an earlier file, or a person, has set.

/** Questions with yes and no as answers. Any other answer goes to the staff notes under this label. */
const QUESTIONS = {
  'goodWith.children': 'Good with children',
  'goodWith.dogs': 'Good with dogs',
  'goodWith.cats': 'Good with cats',
  'traits.spayedNeutered': 'Spayed or neutered',
  'traits.houseTrained': 'House trained',
  'traits.declawed': 'Declawed',
  'traits.specialNeeds': 'Special needs',
  'traits.vaccinated': 'Vaccinated',
}

type Question = keyof typeof QUESTIONS

/**
 * Members whose values a file can remove, by the path of the member. All others keep their value, because
 * programs often leave out what does not change, such as a breed or a microchip.
 */
export type Retractable = Question | 'description' | 'fee' | 'tags'
const RETRACTABLE = [...(Object.keys(QUESTIONS) as Question[]), 'description', 'fee', 'tags'] as const

/** The columns in adoptable's own format. */
export const OWN_SOURCES: NonNullable<Mapping['sources']> = Object.fromEntries(
  RETRACTABLE.map((path) => [path, [path === 'fee' ? 'fee.amount' : path]]),
)

/** The answers of a line that are neither yes nor no, by the label of the question; empty for none. */
type Answers = Record<string, string>

type Json = Record<string, unknown>

/** Words for unknown. They give staff no information. */
const UNKNOWN = new Set(
  'unknown unk u ? ?? - -- n/a na none null desconocido desconocida no_sé no_se 2'.split(' '),
)
const MAX_ANSWER = 200

/**
 * Finds the values that a line removes from the stored animal, and drops unusable answers of the line.
 * @param has whether the file has a column, even if the column is empty in this line
 */
export function takeAnswers(
  animal: Animal,
  { sources = {} }: Pick<Mapping, 'sources'>,
  has: (column: string) => boolean,
): Pick<Animal, 'withdrawn' | 'answers'> {
  const withdrawn = [...(animal.withdrawn ?? [])]
  const answers: Answers = {}
  // Reads all values first: removing one part of a null removes the null.
  for (const [path, value] of RETRACTABLE.map((path) => [path, valueAt(animal, path)] as const)) {
    const columns = sources[path] ?? []
    const isQuestion = path in QUESTIONS
    const isLacking = value === undefined || value === null || (isQuestion && typeof value === 'string')
    // In a column that asks the opposite, such as "No cats", an answer other than no can only remove a yes.
    const isOpposite = typeof value === 'string' && has(path.replace(/^goodWith/, 'notGoodWith'))
    if (value !== null && !columns.some(has) && !isOpposite) continue
    if (isQuestion) answers[QUESTIONS[path as Question]] = ''
    if (!isLacking) continue
    if (isQuestion) {
      const unread = columns.map((column) => animal.notUnderstood?.[column]).find((text) => text)
      answers[QUESTIONS[path as Question]] = cleanAnswer(textOf(value ?? unread))
    }
    if (value !== undefined) remove(animal, path)
    withdrawn.push(path)
  }
  return { withdrawn, answers }
}

/** An animal whose status was removed from the file is no longer published. */
export function takeStatus(animal: Animal): void {
  if ((animal.status ?? animal.statusWord) === undefined)
    Object.assign(animal, { status: undefined, unlisted: true })
}

function cleanAnswer(text: string): string {
  const word = text
    .slice(0, MAX_ANSWER)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return UNKNOWN.has(word.toLowerCase().replaceAll(' ', '_')) ? '' : word
}

function valueAt(animal: Animal | Pet, path: Retractable): unknown {
  const [member = '', part] = path.split('.')
  const whole = (animal as Json)[member]
  return part === undefined || typeof whole !== 'object' || whole === null ? whole : (whole as Json)[part]
}

function remove(animal: Animal, path: Retractable): void {
  const [member = '', part] = path.split('.')
  const whole = (animal as Json)[member]
  const isPart = part !== undefined && typeof whole === 'object' && whole !== null
  const { [part ?? '']: _removed, ...rest } = isPart ? (whole as Json) : {}
  Object.assign(animal, { [member]: Object.keys(rest).length > 0 ? rest : undefined })
}

/** Adds the removal of these values to a patch. @returns the patch, and the paths of the removed values */
export function withRemovals(
  patch: PetPatch,
  before: Pet,
  paths: readonly string[],
): { patch: PetPatch; removed: Retractable[] } {
  const removed = RETRACTABLE.filter((path) => paths.includes(path) && valueAt(before, path) !== undefined)
  const nulls: Record<string, unknown> = {}
  for (const path of removed) {
    const [member = '', part] = path.split('.')
    const parts = part && { ...((patch as Json)[member] as Json), ...(nulls[member] as Json), [part]: null }
    nulls[member] = part === undefined ? null : parts
  }
  return { patch: { ...patch, ...nulls }, removed }
}

const MAX_NOTES = 20_000

/** Puts answers other than yes and no into the staff notes. Replaces those from an earlier file. */
export function withAnswers<Change extends NewPet | PetPatch>(
  change: Change,
  answers: Answers = {},
  before?: Pet,
): Change {
  const labels = Object.keys(answers)
  if (labels.length === 0) return change
  const old = before?.staff?.notes
  const notes = change.staff?.notes ?? old ?? ''
  const others = notes.split('\n').filter((line) => !labels.some((label) => line.startsWith(`${label}: `)))
  const lines = labels.flatMap((label) => (answers[label] ? `${label}: ${answers[label]}` : []))
  const all = [...lines, ...(notes === '' ? [] : others)].join('\n').slice(0, MAX_NOTES)
  if (all === notes) return change
  return { ...change, staff: { ...change.staff, notes: all.trim() === '' ? null : all } }
}
