import { setTimeout as pause } from 'node:timers/promises'
import * as categoryStore from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import * as organizationStore from '../organizations/store.ts'
import { PERMANENT_MEMBERS, REMOVABLE_MEMBERS } from '../pets/fields.ts'
import { hasProfiles, listFull } from '../pets/list.ts'
import type { Pet } from '../pets/schema.ts'
import * as photos from '../photos/store.ts'
import type { Format } from './animal.ts'
import { COLUMNS, type Column, csvLine, formatCell, shieldFormulas } from './columns.ts'

/** Exports names and codes instead of ids, because ids differ between stores. */
const NAMES: Record<string, string> = { categoryId: 'category', organizationId: 'organization' }

interface Table {
  columns: readonly Column[]
  photos: boolean
}

const headingsOf = ({ columns, photos }: Table): string[] => [
  'id',
  ...columns.map(({ column }) => NAMES[column] ?? column),
  ...(photos ? ['photos'] : []),
]

/** The addresses of the full-size photos, one per line. */
const formatPhotos = ({ photos = [] }: Pet): string => photos.map(({ sizes }) => sizes.full).join('\n')

interface Options {
  /** Exports only the animals of the organization with this code. */
  organization?: string | undefined
  /** Base URL of photos, from `photosBaseUrl` in photos/storage/stored-photo.ts. */
  photosBase?: string
  maxPauses?: number
  /** Whether a table begins with a byte order mark, by which Excel recognizes UTF-8. */
  bom?: boolean | undefined
}

/** The columns if no animal has other members. Fewer columns are easier to read. */
const NARROW = COLUMNS.filter(({ member }) => PERMANENT_MEMBERS.includes(member as never))

const PAGE_SIZE = 1_000

/** The pause between reads while an open transaction, such as an import, blocks the animals after it. */
const PAUSE_MS = 250
const MAX_PAUSES = 40

/**
 * Yields every animal as a line, oldest first, including animals added during the export. Categories are
 * exported by name, because their ids differ between stores.
 * @throws if an open transaction blocks the rest for too long, because the export would be incomplete
 */
export async function* exportAnimals(
  db: Db,
  format: Exclude<Format, 'json'>,
  { organization, photosBase = '', maxPauses = MAX_PAUSES, bom = false }: Options = {},
  onPage: (animals: number) => void = () => undefined,
): AsyncGenerator<string> {
  const organizationId = organization === undefined ? undefined : await getOrganizationId(db, organization)
  const columns = (await hasProfiles(db)) ? COLUMNS : NARROW
  const table: Table = { columns, photos: await photos.hasAny(db) }
  const lineOf = format === 'csv' ? createCsvFormatter(table) : formatJsonLine
  const namesIn = createNameReader(db)
  if (format === 'csv') yield `${bom ? '\uFEFF' : ''}${headingsOf(table).join(',')}\r\n`
  let after: number | undefined
  let pauses = 0
  for (;;) {
    // The result has one more animal than the limit if there is a next page.
    const start = { limit: PAGE_SIZE, sort: 'id' as const, organizationId, after }
    const { found, cutFrom } = await listFull(db, start, photosBase)
    const page = found.slice(0, PAGE_SIZE)
    const namesOf = await namesIn(page)
    yield page.map((pet) => lineOf(pet, namesOf(pet))).join('')
    onPage(page.length)
    if (cutFrom === undefined && found.length === page.length) return
    after = page.at(-1)?.id ?? after
    if (page.length > 0) pauses = 0
    else if (pauses++ < maxPauses) await pause(PAUSE_MS)
    else throw blockedExport(cutFrom)
  }
}

function blockedExport(from: number | undefined): Error {
  return new Error(
    `an open transaction blocks the ids from ${from} on: end it, or export again after it has ended`,
  )
}

/** @throws when no organization has the code */
async function getOrganizationId(db: Db, code: string): Promise<number> {
  const id = await organizationStore.findIdByCode(db, code)
  if (id === undefined) throw new Error(`there is no organization with the code ${code}`)
  return id
}

interface Names {
  category: string
  organization: string | undefined
}

/** Caches names of categories and organizations, which stay while they have animals. Reads new ones. */
function createNameReader(db: Db): (page: Pet[]) => Promise<(pet: Pet) => Names> {
  let categories = new Map<number, string>()
  let organizations = new Map<number, string>()
  return async (page) => {
    if (page.some(({ categoryId }) => !categories.has(categoryId)))
      categories = new Map((await categoryStore.list(db)).map(({ id, name }) => [id, name]))
    if (page.some(({ organizationId }) => organizationId !== undefined && !organizations.has(organizationId)))
      organizations = await organizationStore.listCodes(db)
    return ({ categoryId, organizationId }) => ({
      category: categories.get(categoryId) ?? '',
      organization: organizationId === undefined ? undefined : organizations.get(organizationId),
    })
  }
}

function formatJsonLine({ id, name, categoryId, organizationId, ...rest }: Pet, names: Names): string {
  return `${JSON.stringify({ id, name, ...names, ...rest })}\n`
}

/** @throws if an animal has a member without a column */
function createCsvFormatter({ columns, photos }: Table): (pet: Pet, names: Names) => string {
  return (pet, names) => {
    const needsMoreColumns = columns === NARROW && REMOVABLE_MEMBERS.some((member) => member in pet)
    if (needsMoreColumns || (!photos && pet.photos))
      throw new Error('an animal changed during the export and now needs more columns: export again')
    const cells = columns.map((column) => {
      if (column.member === 'categoryId') return shieldFormulas(names.category)
      return column.member === 'organizationId' ? (names.organization ?? '') : formatCell(pet, column)
    })
    return csvLine([String(pet.id), ...cells, ...(photos ? [formatPhotos(pet)] : [])])
  }
}
