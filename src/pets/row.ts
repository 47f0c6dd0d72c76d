import type { Tables } from '../db/tables.ts'
import { seesInternalData, type View } from '../http/caller.ts'
import type { Validators } from '../http/conditional.ts'
import { toPhotos } from '../photos/storage/stored-photo.ts'
import {
  ALL_FIELDS,
  COLUMN_MEMBERS,
  type ColumnMember,
  columnOf,
  isGuarded,
  type Member,
  PHOTOS,
  PROFILE_MEMBERS,
  publicOf,
  SOURCE,
  TIMES,
} from './fields.ts'
import type { NewPet, Pet } from './schema.ts'

/*
 * How a row stores an animal. The contract's members have columns. All other members are the profile, which
 * is in three JSON columns. Responses copy these columns without parsing:
 *
 *   profile      members that every caller sees
 *   public_part  the public parts of the guarded members
 *   staff_part   the guarded members in full
 *
 * A new member needs only a line in fields.ts, and no migration.
 */

const TEXTS = { profile: 'profile', publicPart: 'public_part', staffPart: 'staff_part' } as const

/** The columns of an animal, by the names of their parameters in prepared queries. */
const COLUMNS = {
  ...Object.fromEntries(COLUMN_MEMBERS.map((member) => [member, columnOf(member)] as const)),
  ...TEXTS,
  ageDueAt: 'age_due_at',
} as Record<StoredKey, keyof Tables['pet']>

type StoredKey = ColumnMember | keyof typeof TEXTS | 'ageDueAt'
export const STORED_KEYS = Object.keys(COLUMNS) as StoredKey[]
export const columnOfKey = (name: StoredKey): keyof Tables['pet'] => COLUMNS[name]

/** Has a value for each column of an animal, such as the parameter of the column. */
export function byColumn<Value>(toValue: (name: StoredKey) => Value): Record<keyof Tables['pet'], Value> {
  return Object.fromEntries(STORED_KEYS.map((name) => [COLUMNS[name], toValue(name)])) as never
}

/** The id, the version and all columns with members. */
export const PET_COLUMNS = [
  'id',
  'version',
  ...COLUMN_MEMBERS.map((member) => `${columnOf(member)} as ${member}` as const),
  'photos',
  'source',
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
  /** The page of the animal at the installation from which it was copied. */
  source: string | null
  profile: string | null
  publicPart: string | null
  staffPart: string | null
}

/** An animal with the age derived from its birth date. */
export interface AgedPet {
  pet: NewPet
  /** When the next age group begins, in Unix milliseconds. Null if there is no next age group. */
  ageDueAt: number | null
  /** For a copy: the page of the animal at its source, and its photos there. */
  source?: string | undefined
  photos?: string | null
}

/** Converts an animal to a row. Absent members become null. */
export type ColumnValues = Record<StoredKey, unknown> & { categoryId: number }

const OPEN = PROFILE_MEMBERS.filter((member) => !isGuarded(member))
const GUARDED = PROFILE_MEMBERS.filter(isGuarded)

export function toColumnValues({ pet, ageDueAt }: AgedPet): ColumnValues {
  const own = COLUMN_MEMBERS.map((member) => [member, pet[member] ?? null])
  return {
    ...(Object.fromEntries(own) as Pick<ColumnValues, ColumnMember>),
    profile: textOf(OPEN, (member) => pet[member]),
    publicPart: textOf(GUARDED, (member) => publicOf(member, pet[member])),
    staffPart: textOf(GUARDED, (member) => pet[member]),
    ageDueAt,
  }
}

function textOf<Name extends Member>(members: Name[], read: (member: Name) => unknown): string | null {
  const values: Record<string, unknown> = {}
  for (const member of members) values[member] = read(member)
  const text = JSON.stringify(values)
  return text === '{}' ? null : text
}

/** Options for rendering an animal for a caller. */
export interface RenderOptions {
  view: View
  /** The start of photo URLs, from `photosBaseUrl`. */
  photosBase: string
}

/** @returns all members, private ones included, without photos */
export function toPet(row: Row): Pet {
  const { id, name, categoryId, status, externalId, organizationId, profile, staffPart } = row
  const pet: Pet = { id, name, categoryId }
  if (status !== null) pet.status = status as NonNullable<Pet['status']>
  if (externalId !== null) pet.externalId = externalId
  if (organizationId !== null) pet.organizationId = organizationId
  for (const text of [profile, staffPart]) if (text !== null) Object.assign(pet, JSON.parse(text))
  return pet
}

/** @returns all members, private ones included, with photos. @param photosBase the start of photo URLs */
export function toFullPet(row: Row, photosBase: string): Pet {
  const photos = toPhotos(row.photos, photosBase)
  return photos ? { ...toPet(row), photos } : toPet(row)
}

/** Renders an animal as a caller sees it. */
function toJson(row: Row, { view, photosBase }: RenderOptions): string {
  const { id, name, categoryId, status, externalId, organizationId, photos, source, profile } = row
  let json = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}`
  if (status !== null) json += `,"status":"${status}"`
  if (externalId !== null) json += `,"externalId":${JSON.stringify(externalId)}`
  if (organizationId !== null) json += `,"organizationId":${organizationId}`
  if (photos !== null) json += `,"photos":${JSON.stringify(toPhotos(photos, photosBase))}`
  if (source !== null) json += `,"source":${JSON.stringify(source)}`
  if (profile !== null) json += `,${profile.slice(1, -1)}`
  const part = seesInternalData(view, organizationId) ? row.staffPart : row.publicPart
  if (part !== null) json += `,${part.slice(1, -1)}`
  return `${json}}`
}

/** @returns the public parts of the members in the JSON columns */
export function toPublicParts(profile: string | null, publicPart: string | null): Record<string, unknown> {
  const parts = [profile, publicPart].map((text) => (text === null ? {} : JSON.parse(text)))
  return Object.assign({}, ...parts)
}

/** @returns the strong ETag of an animal. Each change gives the animal another ETag */
export function etagOfPet(id: number, version: number): string {
  return `"${id}-${version}"`
}

export function validatorsOf(row: StoredRow): Validators {
  const { id, version, updatedAt, organizationId, publicPart, staffPart } = row
  return {
    etag: etagOfPet(id, version),
    updatedAt,
    variesByView: publicPart !== staffPart,
    owner: organizationId,
  }
}

/** The members that `fields` selects. */
export interface FieldSelection {
  /** The names of the members, in the order of responses. */
  names: string[]
  /** True if any of the members is in a JSON column. */
  profile: boolean
}

/** A row with its times, in Unix milliseconds. Without selected members in them, JSON columns are absent. */
export interface StoredRow extends Row {
  publishedAt: number | null
  statusChangedAt: number | null
  createdAt: number
  updatedAt: number
}

const OWN_COLUMNS = PET_COLUMNS.slice(0, PET_COLUMNS.indexOf('profile'))

const TIME_COLUMNS = (Object.keys(TIMES) as (keyof typeof TIMES)[]).map(
  (name) => `${TIMES[name]} as ${name}` as const,
)

export function columnsOf({ profile }: FieldSelection) {
  return [...TIME_COLUMNS, ...(profile ? PET_COLUMNS : OWN_COLUMNS)] as const
}

const TIME_NAMES: string[] = Object.keys(TIMES)
const isTime = (name: string): name is keyof typeof TIMES => TIME_NAMES.includes(name)
const OWN_NAMES = ['id', ...COLUMN_MEMBERS, PHOTOS, SOURCE]
const PROFILE_NAMES: string[] = PROFILE_MEMBERS

/** @param fields a text that matches FIELDS_PATTERN */
export function parseFields(fields: string): FieldSelection {
  const named = fields.split(',')
  const isNamed = (name: string) => named.includes(name)
  const isMember = (name: string) => isNamed(ALL_FIELDS) || isNamed(name)
  const ofProfile = PROFILE_NAMES.filter(isMember)
  const names = [...OWN_NAMES.filter(isMember), ...ofProfile, ...TIME_NAMES.filter(isNamed)]
  return { names, profile: ofProfile.length > 0 }
}

export const STORED_COLUMNS = columnsOf(parseFields(ALL_FIELDS))

/** Renders the selected members of an animal as a caller sees them. */
function selectFields(
  row: StoredRow,
  options: RenderOptions,
  { names, profile }: FieldSelection,
): Record<string, unknown> {
  // Parses only the JSON columns that have selected members.
  const unread = {
    ...(!profile && { profile: null, publicPart: null, staffPart: null }),
    ...(!names.includes(PHOTOS) && { photos: null }),
  }
  const parts = JSON.parse(toJson({ ...row, ...unread }, options))
  const members: Record<string, unknown> = {}
  for (const name of names) {
    const value = isTime(name) ? timeOf(row[name]) : parts[name]
    if (value !== undefined) members[name] = value
  }
  return members
}

/** Formats a time of an animal. Animals from older releases may have no times. */
function timeOf(ms: number | null | undefined): string | undefined {
  return ms ? new Date(ms).toISOString() : undefined
}

/** An animal as a caller sees it. */
export interface RenderedPet {
  /** Renders the animal as JSON. Parses the row only if `fields` selects some of the members. */
  toJson(): string
  toObject(): Record<string, unknown>
}

/** @param selection absent for all members; otherwise `row` must have the times */
export function represent(
  row: Row | StoredRow,
  options: RenderOptions,
  selection?: FieldSelection,
): RenderedPet {
  if (!selection) {
    const json = () => toJson(row, options)
    return { toJson: json, toObject: () => JSON.parse(json()) }
  }
  const toObject = () => selectFields(row as StoredRow, options, selection)
  return { toObject, toJson: () => JSON.stringify(toObject()) }
}

/** An animal as a caller sees it, with its validators. */
export interface PetView extends Validators, RenderedPet {
  id: number
}

export function toPetView(row: StoredRow, options: RenderOptions, selection?: FieldSelection): PetView {
  return { id: row.id, ...represent(row, options, selection), ...validatorsOf(row) }
}
