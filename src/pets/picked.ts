import { ALL, COLUMN_MEMBERS, PHOTOS, PROFILE_MEMBERS, TIMES } from './fields.ts'
import { PET_COLUMNS, partsOf, type Row, type Show } from './row.ts'

// Of an animal only the members that a caller names in `fields`, and its times, which others do not get.

export interface Picked {
  /** In the order in which they are shown. */
  names: string[]
  /** Whether any of them is in the texts of the row. */
  profile: boolean
}

type TimesOf = [
  publishedAt: number | null,
  statusChangedAt: number | null,
  createdAt: number,
  updatedAt: number,
]
/** Of who picked nothing of the profile the last three are not read. */
export type PickedRow = [...times: TimesOf, ...Row]

const OWN_COLUMNS = PET_COLUMNS.slice(0, PET_COLUMNS.indexOf('profile'))

export function columnsOf({ profile }: Picked) {
  return [...Object.values(TIMES), ...(profile ? PET_COLUMNS : OWN_COLUMNS)] as const
}

const PHOTOS_INDEX = PET_COLUMNS.indexOf('photos')

const TIME_NAMES: string[] = Object.keys(TIMES)
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
  const [published, statusChanged, created, updated, ...pet] = row
  const times = [published, statusChanged, created, updated]
  // What nobody asked for is not parsed.
  const read = profile ? pet : pet.slice(0, OWN_COLUMNS.length)
  if (!names.includes(PHOTOS)) read[PHOTOS_INDEX] = null
  const parts = partsOf(read as Row, show)
  const held: Record<string, unknown> = {}
  for (const name of names) {
    const value = TIME_NAMES.includes(name) ? timeOf(times[TIME_NAMES.indexOf(name)]) : parts[name]
    if (value !== undefined) held[name] = value
  }
  return held
}

/** What is older than the release that keeps a time has none. */
function timeOf(ms: number | null | undefined): string | undefined {
  return ms ? new Date(ms).toISOString() : undefined
}
