import type { Tables } from '../db/tables.ts'
import { seesWhole, type View } from '../http/caller.ts'
import { toPhotos } from '../photos/storage/kept.ts'
import {
  ALL,
  COLUMN_MEMBERS,
  type ColumnMember,
  columnOf,
  isGuarded,
  type Member,
  PHOTOS,
  PROFILE_MEMBERS,
  publicOf,
  TIMES,
} from './fields.ts'
import type { NewPet, Pet } from './schema.ts'

/*
 * How an animal lies in its row. The contract's members have columns. All others, the profile, are JSON objects
 * in three texts, written here in one order of members and answered as they are, without being parsed:
 *
 *   profile      what every caller sees alike
 *   public_part  the guarded members, as everybody sees them
 *   staff_part   the same, as those see them who see all
 *
 * So a new member is a line in fields.ts and no migration, and no caller pays for what another may see.
 */

const TEXTS = { profile: 'profile', publicPart: 'public_part', staffPart: 'staff_part' } as const

/** What is kept of an animal, by the name it has in statements. */
const COLUMNS = {
  ...Object.fromEntries(COLUMN_MEMBERS.map((member) => [member, columnOf(member)] as const)),
  ...TEXTS,
  ageDueAt: 'age_due_at',
} as Record<Kept, keyof Tables['pet']>

type Kept = ColumnMember | keyof typeof TEXTS | 'ageDueAt'
export const KEPT = Object.keys(COLUMNS) as Kept[]
export const keptIn = (name: Kept): keyof Tables['pet'] => COLUMNS[name]

/** The columns of an animal, each with what stands for its value in a statement. */
export function byColumn<Value>(standIn: (name: Kept) => Value): Record<keyof Tables['pet'], Value> {
  return Object.fromEntries(KEPT.map((name) => [COLUMNS[name], standIn(name)])) as never
}

/** What an animal is shown from: its id and version, and the columns that hold members. */
export const PET_COLUMNS = [
  'id',
  'version',
  ...COLUMN_MEMBERS.map((member) => `${columnOf(member)} as ${member}` as const),
  'photos',
  'profile',
  'public_part as publicPart',
  'staff_part as staffPart',
] as const

/** The values of PET_COLUMNS. */
export interface Row {
  id: number
  version: number
  name: string
  categoryId: number
  status: string | null
  externalId: string | null
  organizationId: number | null
  photos: string | null
  profile: string | null
  publicPart: string | null
  staffPart: string | null
}

/** Null for what an animal does not have. */
export type Written = Record<Kept, unknown> & { categoryId: number }

const OPEN = PROFILE_MEMBERS.filter((member) => !isGuarded(member))
const GUARDED = PROFILE_MEMBERS.filter(isGuarded)

/** @param ageDueAt when its age group is no longer right, in Unix milliseconds */
export function written(pet: NewPet, ageDueAt: number | null): Written {
  const own = COLUMN_MEMBERS.map((member) => [member, pet[member] ?? null])
  return {
    ...(Object.fromEntries(own) as Pick<Written, ColumnMember>),
    profile: textOf(OPEN, (member) => pet[member]),
    publicPart: textOf(GUARDED, (member) => publicOf(member, pet[member])),
    staffPart: textOf(GUARDED, (member) => pet[member]),
    ageDueAt,
  }
}

function textOf<Name extends Member>(members: Name[], read: (member: Name) => unknown): string | null {
  const held: Record<string, unknown> = {}
  for (const member of members) held[member] = read(member)
  const text = JSON.stringify(held)
  return text === '{}' ? null : text
}

/** To whom an animal is shown, and where its photos then are. */
export interface Show {
  view: View
  /** As `photosAt` of photos/storage/kept.ts gives it. */
  photosAt: string
}

/** With all that is kept of it in the texts and columns of its own. A member without a value is absent. */
export function toPet(row: Row): Pet {
  const { id, name, categoryId, status, externalId, organizationId, profile, staffPart } = row
  const pet: Pet = { id, name, categoryId }
  if (status !== null) pet.status = status as NonNullable<Pet['status']>
  if (externalId !== null) pet.externalId = externalId
  if (organizationId !== null) pet.organizationId = organizationId
  for (const text of [profile, staffPart]) if (text !== null) Object.assign(pet, JSON.parse(text))
  return pet
}

/** The same with its photos. @param at as `photosAt` gives it */
export function toWhole(row: Row, at: string): Pet {
  const photos = toPhotos(row.photos, at)
  return photos ? { ...toPet(row), photos } : toPet(row)
}

/** The animal as a caller sees it, as JSON. */
export function toJson(row: Row, { view, photosAt }: Show): string {
  const { id, name, categoryId, status, externalId, organizationId, photos, profile } = row
  let json = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}`
  if (status !== null) json += `,"status":"${status}"`
  if (externalId !== null) json += `,"externalId":${JSON.stringify(externalId)}`
  if (organizationId !== null) json += `,"organizationId":${organizationId}`
  if (photos !== null) json += `,"photos":${JSON.stringify(toPhotos(photos, photosAt))}`
  if (profile !== null) json += `,${profile.slice(1, -1)}`
  const part = seesWhole(view, organizationId) ? row.staffPart : row.publicPart
  if (part !== null) json += `,${part.slice(1, -1)}`
  return `${json}}`
}

/** The same as an object; of a row without texts what has a column of its own. */
function partsOf(row: Row, { view, photosAt }: Show): Record<string, unknown> {
  const { id, name, categoryId, status, externalId, organizationId, photos, profile } = row
  const texts = [profile, seesWhole(view, organizationId) ? row.staffPart : row.publicPart]
  const parts = {
    ...{ id, name, categoryId, status: status ?? undefined },
    externalId: externalId ?? undefined,
    organizationId: organizationId ?? undefined,
    photos: toPhotos(photos, photosAt),
  }
  return Object.assign(parts, ...texts.map((text) => text && JSON.parse(text)))
}

/** What everybody sees of the members in the texts of a row. */
export function toPublicParts(profile: string | null, publicPart: string | null): Record<string, unknown> {
  const parts = [profile, publicPart].map((text) => (text === null ? {} : JSON.parse(text)))
  return Object.assign({}, ...parts)
}

/** The strong ETag of the animal: changes with every change of it. */
export function etagOfPet(id: number, version: number): string {
  return `"${id}-${version}"`
}

/** Whether callers who see all see something else of it than others. */
export function differs({ publicPart, staffPart }: Row): boolean {
  return publicPart !== staffPart
}

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
