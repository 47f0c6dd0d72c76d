import { setTimeout as pause } from 'node:timers/promises'
import * as categoryStore from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import * as organizationStore from '../organizations/store.ts'
import { LASTING_MEMBERS, REMOVABLE_MEMBERS } from '../pets/fields.ts'
import type { Pet } from '../pets/schema.ts'
import * as search from '../pets/search.ts'
import * as photos from '../photos/store.ts'
import type { Format } from './animal.ts'
import { shieldFormulas } from './formula.ts'
import { cellOf, LEAVES, type Leaf } from './leaves.ts'

/** A name or a code says more than an id, and holds in another store too. */
const NAMES: Record<string, string> = { categoryId: 'category', organizationId: 'organization' }

/** What a table of animals has columns for. */
interface Columns {
  leaves: readonly Leaf[]
  photos: boolean
}

const headOf = ({ leaves, photos }: Columns): string[] => [
  'id',
  ...leaves.map(({ column }) => NAMES[column] ?? column),
  ...(photos ? ['photos'] : []),
]

/** Addresses of the largest size, a line each. */
const photosCell = ({ photos = [] }: Pet): string => photos.map(({ sizes }) => sizes.full).join('\n')

interface Options {
  /** Code of the one whose animals are wanted. */
  organization?: string | undefined
  /** What addresses of photos begin with, as `photosAt` of photos/storage/kept.ts gives it. */
  photosAt?: string
  mostPauses?: number
}

/** Of a store whose animals have no more than these: a table that a person can read. */
const NARROW = LEAVES.filter(({ member }) => LASTING_MEMBERS.includes(member as never))

/** So many animals are read at once. */
const PAGE = 1_000

/** For a transaction that holds up what comes after its animals: an import's, say, takes a moment. */
const PAUSE_MS = 250
const MAX_PAUSES = 40

/**
 * Every animal as a line, oldest first, also those that are added meanwhile; with the name of its category,
 * because another store may have given that another id.
 *
 * @throws when a transaction holds up the rest for too long: what lacks animals is no export
 */
export async function* exportAnimals(
  db: Db,
  format: Exclude<Format, 'json'>,
  { organization, photosAt = '', mostPauses = MAX_PAUSES }: Options = {},
  onPage: (animals: number) => void = () => undefined,
): AsyncGenerator<string> {
  const organizationId = organization === undefined ? undefined : await knownId(db, organization)
  const leaves = (await search.hasProfiles(db)) ? LEAVES : NARROW
  const columns: Columns = { leaves, photos: await photos.hasAny(db) }
  const lineOf = format === 'csv' ? csvLines(columns) : jsonLine
  const namesIn = nameReader(db)
  if (format === 'csv') yield `${headOf(columns).join(',')}\r\n`
  let after: number | undefined
  let pauses = 0
  for (;;) {
    // One animal more than asked for tells that there is a next page.
    const start = { limit: PAGE, sort: 'id' as const, organizationId, after }
    const { found, cutFrom } = await search.listWhole(db, start, photosAt)
    const page = found.slice(0, PAGE)
    const namesOf = await namesIn(page)
    yield page.map((pet) => lineOf(pet, namesOf(pet))).join('')
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

/** @throws when no organization has the code */
async function knownId(db: Db, code: string): Promise<number> {
  const id = await organizationStore.idOfCode(db, code)
  if (id === undefined) throw new Error(`there is no organization with the code ${code}`)
  return id
}

interface Names {
  category: string
  organization: string | undefined
}

/** What has animals stays, and what is new is read when its first animal comes. */
function nameReader(db: Db): (page: Pet[]) => Promise<(pet: Pet) => Names> {
  let categories = new Map<number, string>()
  let organizations = new Map<number, string>()
  return async (page) => {
    if (page.some(({ categoryId }) => !categories.has(categoryId)))
      categories = new Map((await categoryStore.list(db)).map(({ id, name }) => [id, name]))
    if (page.some(({ organizationId }) => organizationId !== undefined && !organizations.has(organizationId)))
      organizations = await organizationStore.codes(db)
    return ({ categoryId, organizationId }) => ({
      category: categories.get(categoryId) ?? '',
      organization: organizationId === undefined ? undefined : organizations.get(organizationId),
    })
  }
}

function jsonLine({ id, name, categoryId, organizationId, ...rest }: Pet, names: Names): string {
  return `${JSON.stringify({ id, name, ...names, ...rest })}\n`
}

/** @throws when an animal has something that no column is for */
function csvLines({ leaves, photos }: Columns): (pet: Pet, names: Names) => string {
  return (pet, names) => {
    const outgrew = leaves === NARROW && REMOVABLE_MEMBERS.some((member) => member in pet)
    if (outgrew || (!photos && pet.photos))
      throw new Error('an animal got more than there are columns for while others were written: export again')
    const cells = leaves.map((leaf) => {
      if (leaf.member === 'categoryId') return shieldFormulas(names.category)
      return leaf.member === 'organizationId' ? (names.organization ?? '') : cellOf(pet, leaf)
    })
    return `${[String(pet.id), ...cells, ...(photos ? [photosCell(pet)] : [])].map(cell)}\r\n`
  }
}

/** RFC 4180, section 2; so quoted, spaces at either end stay too. */
function cell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
