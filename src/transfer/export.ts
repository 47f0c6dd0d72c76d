import { setTimeout as pause } from 'node:timers/promises'
import * as categoryStore from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import { MEMBERS } from '../pets/fields.ts'
import * as search from '../pets/search.ts'
import type { Format } from './animal.ts'
import { shieldFormulas } from './formula.ts'

/** The name of its category says more than the id, and holds in another store too. */
const COLUMNS = ['id', ...MEMBERS.map((member) => (member === 'categoryId' ? 'category' : member))]

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
  const lineOf = format === 'csv' ? csvLine : jsonLine
  const categories = await categoryNames(db)
  if (format === 'csv') yield `${COLUMNS.join(',')}\r\n`
  let after: number | undefined
  let pauses = 0
  for (;;) {
    // One animal more than asked for tells that there is a next page.
    const { found, cutFrom } = await search.list(db, { limit: PAGE, sort: 'id', after })
    const page = found.slice(0, PAGE)
    // A category may be new since; one that has animals stays.
    if (page.some(({ categoryId }) => !categories.has(categoryId))) {
      for (const [id, name] of await categoryNames(db)) categories.set(id, name)
    }
    yield page.map((pet) => lineOf({ ...pet, category: categories.get(pet.categoryId) })).join('')
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

type Exported = Record<string, unknown>

function jsonLine(animal: Exported): string {
  return `${JSON.stringify(animal, COLUMNS)}\n`
}

function csvLine(animal: Exported): string {
  return `${COLUMNS.map((column) => cell(shieldFormulas(String(animal[column] ?? ''))))}\r\n`
}

/** RFC 4180, section 2; so quoted, spaces at either end stay too. */
function cell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
