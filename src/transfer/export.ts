import { setTimeout as pause } from 'node:timers/promises'
import * as categoryStore from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import { COLUMN_MEMBERS, PROFILE_MEMBERS } from '../pets/fields.ts'
import type { Pet } from '../pets/schema.ts'
import * as search from '../pets/search.ts'
import type { Format } from './animal.ts'
import { shieldFormulas } from './formula.ts'
import { cellOf, LEAVES, type Leaf } from './leaves.ts'

/** The name of its category says more than the id, and holds in another store too. */
const headOf = (leaves: readonly Leaf[]): string[] => [
  'id',
  ...leaves.map(({ column }) => (column === 'categoryId' ? 'category' : column)),
]

/** Of a store whose animals have no more than these: a table that a person can read. */
const NARROW = LEAVES.filter(({ member }) => COLUMN_MEMBERS.includes(member as never))

/** So many animals are read at once. */
const PAGE = 1_000

/** For a transaction that holds up what comes after its animals: an import's, say, takes a moment. */
const PAUSE_MS = 250
const MOST_PAUSES = 40

/**
 * Every animal as a line, oldest first, also those that are added meanwhile; with the name of its category,
 * because another store may have given that another id.
 *
 * @throws when a transaction holds up the rest for too long: what lacks animals is no export
 */
export async function* exportAnimals(
  db: Db,
  format: Exclude<Format, 'json'>,
  mostPauses = MOST_PAUSES,
  onPage: (animals: number) => void = () => undefined,
): AsyncGenerator<string> {
  const leaves = (await search.hasProfiles(db)) ? LEAVES : NARROW
  const lineOf = format === 'csv' ? csvLines(leaves) : jsonLine
  const categories = await categoryNames(db)
  if (format === 'csv') yield `${headOf(leaves).join(',')}\r\n`
  let after: number | undefined
  let pauses = 0
  for (;;) {
    // One animal more than asked for tells that there is a next page.
    const { found, cutFrom } = await search.listWhole(db, { limit: PAGE, sort: 'id', after })
    const page = found.slice(0, PAGE)
    // A category may be new since; one that has animals stays.
    if (page.some(({ categoryId }) => !categories.has(categoryId))) {
      for (const [id, name] of await categoryNames(db)) categories.set(id, name)
    }
    yield page.map((pet) => lineOf(pet, categories.get(pet.categoryId) ?? '')).join('')
    onPage(page.length)
    if (cutFrom === undefined && found.length === page.length) return
    after = page.at(-1)?.id ?? after
    if (page.length > 0) pauses = 0
    else if (pauses++ < mostPauses) await pause(PAUSE_MS)
    else throw heldUp(cutFrom)
  }
}

function heldUp(from: number | undefined): Error {
  return new Error(
    `an open transaction still holds ids from ${from} on: end it, or export again when it is over`,
  )
}

async function categoryNames(db: Db): Promise<Map<number, string>> {
  return new Map((await categoryStore.list(db)).map(({ id, name }) => [id, name]))
}

function jsonLine({ id, name, categoryId: _, ...rest }: Pet, category: string): string {
  return `${JSON.stringify({ id, name, category, ...rest })}\n`
}

/** @throws when an animal has something that no column is for */
function csvLines(leaves: readonly Leaf[]): (pet: Pet, category: string) => string {
  return (pet, category) => {
    if (leaves === NARROW && PROFILE_MEMBERS.some((member) => member in pet))
      throw new Error('an animal got a profile while the others were written: export again')
    const cells = leaves.map((leaf) =>
      leaf.member === 'categoryId' ? shieldFormulas(category) : cellOf(pet, leaf),
    )
    return `${[String(pet.id), ...cells].map(cell)}\r\n`
  }
}

/** RFC 4180, section 2; so quoted, spaces at either end stay too. */
function cell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
