import { ALL, COLUMN_MEMBERS, PHOTOS, PROFILE_MEMBERS, TIMES } from './fields.ts'
import { PET_COLUMNS, partsOf, type Row, type Show } from './row.ts'

// Of an animal only the members that a caller names in `fields`, and its times, which others do not get.

export interface Picked {
  /** In the order in which they are shown. */
  names: string[]
  /** Whether any of them is in the texts of the row. */
  profile: boolean
}

/** The three texts of the profile are absent when no member in them was picked. */
export interface PickedRow extends Row {
  publishedAt: number | null
  statusChangedAt: number | null
  createdAt: number
  updatedAt: number
}

const OWN_COLUMNS = PET_COLUMNS.slice(0, PET_COLUMNS.indexOf('profile'))

const TIME_COLUMNS = (Object.keys(TIMES) as (keyof typeof TIMES)[]).map(
  (name) => `${TIMES[name]} as ${name}` as const,
)

export function columnsOf({ profile }: Picked) {
  return [...TIME_COLUMNS, ...(profile ? PET_COLUMNS : OWN_COLUMNS)] as const
}

const TIME_NAMES: string[] = Object.keys(TIMES)
const isTime = (name: string): name is keyof typeof TIMES => TIME_NAMES.includes(name)
const OWN_NAMES = ['id', ...COLUMN_MEMBERS, PHOTOS]
const PROFILE_NAMES: string[] = PROFILE_MEMBERS

/** @param fields as the pattern has it */
export function pickedOf(fields: string): Picked {
  const named = fields.split(',')
  const isPicked = (name: string) => named.includes(name)
  const isMember = (name: string) => isPicked(ALL) || isPicked(name)
  const ofProfile = PROFILE_NAMES.filter(isMember)
  const names = [...OWN_NAMES.filter(isMember), ...ofProfile, ...TIME_NAMES.filter(isPicked)]
  return { names, profile: ofProfile.length > 0 }
}

/** What was picked of an animal, as a caller sees it. A member without a value is absent. */
export function pickedFrom(row: PickedRow, show: Show, { names, profile }: Picked): Record<string, unknown> {
  // What nobody asked for is not parsed.
  const unread = {
    ...(!profile && { profile: null, publicPart: null, staffPart: null }),
    ...(!names.includes(PHOTOS) && { photos: null }),
  }
  const parts = partsOf({ ...row, ...unread }, show)
  const held: Record<string, unknown> = {}
  for (const name of names) {
    const value = isTime(name) ? timeOf(row[name]) : parts[name]
    if (value !== undefined) held[name] = value
  }
  return held
}

/** What is older than the release that keeps a time has none. */
function timeOf(ms: number | null | undefined): string | undefined {
  return ms ? new Date(ms).toISOString() : undefined
}
