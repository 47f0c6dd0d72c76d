import { ALL, MEMBERS, PHOTOS, PROFILE_MEMBERS, TIMES } from './fields.ts'
import { PET_COLUMNS, partsOf, type Row, type Show } from './row.ts'

// Of an animal only the members that a caller names in `fields`, and its times, which others do not get.

export interface Picked {
  names: ReadonlySet<string>
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

/** @param fields as the pattern has it */
export function pickedOf(fields: string): Picked {
  const named = fields.split(',')
  const names = new Set(named.flatMap((name) => (name === ALL ? ['id', ...MEMBERS, PHOTOS] : [name])))
  return { names, profile: PROFILE_MEMBERS.some((member) => names.has(member)) }
}

/** What was picked of an animal, as a caller sees it, as JSON. */
export function pickedToJson(row: PickedRow, show: Show, { names }: Picked): string {
  const [published, statusChanged, created, updated, ...pet] = row
  const times = [published, statusChanged, created, updated]
  const shown = Object.keys(TIMES).map((name, index) => [name, timeOf(times[index])] as [string, unknown])
  const members = Object.entries(partsOf(pet, show)).concat(shown)
  const held = members.filter(([name, value]) => value !== undefined && names.has(name))
  return `{${held.map(([name, value]) => `"${name}":${JSON.stringify(value)}`)}}`
}

/** What is older than the release that keeps a time has none. */
function timeOf(ms: number | null | undefined): string | undefined {
  return ms ? new Date(ms).toISOString() : undefined
}
