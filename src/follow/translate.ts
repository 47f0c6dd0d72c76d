import type { Logger } from 'pino'
import { NewCategory } from '../categories/schema.ts'
import { yieldToEventLoop } from '../http/turns.ts'
import { createBodyValidator } from '../http/validate.ts'
import { NewOrganization } from '../organizations/schema.ts'
import { publicOf } from '../pets/fields.ts'
import { merge, problemsOf } from '../pets/rules.ts'
import { NewPet } from '../pets/schema.ts'
import { MAX_PHOTOS } from '../photos/schema.ts'
import { fileName, readFileName, SIZES } from '../photos/storage/photo-files.ts'
import { Photo, type StoredPhoto } from '../photos/storage/stored-photo.ts'
import { type Batch, organizationPage, type SourceAnimal, type SourceOrganization } from './copies.ts'
import type { openSource } from './source.ts'

const validatePet = createBodyValidator(NewPet)
const validateOrganization = createBodyValidator(NewOrganization)
const validateCategory = createBodyValidator(NewCategory)
const validatePhoto = createBodyValidator(Photo)

/** Members that a source adds to an animal or organization. They are not validated yet. */
interface Additions {
  id: number
  source?: string
  photos?: unknown
  createdAt?: string
}
type ListedPet = NewPet & Additions
type ListedOrganization = NewOrganization & Additions

interface Options {
  id: number
  url: string
  logger: Logger
  clock: () => number
}

/** Validates what a source sends, and reads the categories and organizations that its animals name. */
export function createTranslator(
  client: ReturnType<typeof openSource>,
  { id: followed, url, logger, clock }: Options,
) {
  let categories = new Map<number, string>()
  const organizations = new Map<number, SourceOrganization>()
  let isReported = false

  /** @param extra ids of organizations that have changed */
  async function batchOf(found: object[], extra: number[] = []): Promise<Batch> {
    const animals = new Map<number, SourceAnimal>()
    isReported = false
    for (const one of found) {
      await yieldToEventLoop()
      const animal = await toAnimal(one as ListedPet)
      if (animal) animals.set(animal.sourceId, animal)
    }
    const named = [...animals.values()].flatMap(({ pet }) => pet.organizationId ?? [])
    const owners: SourceOrganization[] = []
    for (const id of new Set([...named, ...extra])) {
      const owner = organizations.get(id) ?? (await readOrganization(id))
      if (!owner) continue
      organizations.set(id, owner)
      owners.push(owner)
    }
    return { animals: [...animals.values()], gone: [], organizations: owners, progress: {} }
  }

  /** @returns undefined for an animal that is not copied: it is not public, not valid, or a copy itself */
  async function toAnimal(read: ListedPet): Promise<SourceAnimal | undefined> {
    const { id, source: origin, status, photos, createdAt } = read
    if (!Number.isSafeInteger(id) || origin !== undefined || status === undefined) return undefined
    const { value, error } = validatePet(membersOf(read))
    const category =
      value && (categories.get(value.categoryId) ?? (await readCategories()).get(value.categoryId))
    if (!value || category === undefined || problemsOf(value, value, clock()).length > 0) {
      const reason = error?.details?.[0]?.pointer
      // One line per batch, because a source can send any number.
      if (!isReported)
        logger.warn({ followed, animal: id, reason }, 'an animal of a followed source is not valid')
      isReported = true
      return undefined
    }
    // A key with more access than it needs reads the exact place, which is not public.
    const { place, bondedWith: partners = [], ...others } = value
    const rounded = publicOf('place', place) as typeof place
    const created = Date.parse(createdAt ?? '')
    return {
      sourceId: id,
      pet: merge({}, rounded ? { ...others, place: rounded } : others),
      createdAt: Number.isNaN(created) ? null : created,
      category,
      page: `${url}/animals/${id}`,
      photos: photosOf(photos, url),
      bondedWith: partners,
    }
  }

  async function readCategories(): Promise<Map<number, string>> {
    const list = (await client.listCategories()) as { id: number; name: string }[]
    categories = new Map(list.filter((one) => validateCategory(one).value).map(({ id, name }) => [id, name]))
    return categories
  }

  /** @returns undefined if the source has removed it */
  async function readOrganization(id: number): Promise<SourceOrganization | undefined> {
    const read = (await client.findOrganization(id)) as ListedOrganization | undefined
    return read && toOrganization({ ...read, id }, url)
  }

  return {
    batchOf,
    /** Forgets organizations and, if one has changed, the categories, so they are read again. */
    forget(organizationIds: number[], isCategoryChanged: boolean): void {
      for (const id of organizationIds) organizations.delete(id)
      if (isCategoryChanged) categories.clear()
    },
  }
}

/** The members of an animal that are copied. Its age follows from its birth date. */
function membersOf({ id: _, source: _page, photos, createdAt, staff, contact, ...sent }: ListedPet) {
  const { age, ...dated } = sent
  return sent.birthDate === undefined ? sent : dated
}

function toOrganization(read: ListedOrganization, url: string): SourceOrganization {
  const { id, applicationQuestions: _, applicationNotices: _own, photos, ...sent } = read
  const { code = String(id), ...details } = validateOrganization(sent).value ?? { name: new URL(url).host }
  return { sourceId: id, details, page: organizationPage(url, code), photos: photosOf(photos, url) }
}

/** The photos that browsers load from the source, as the `photos` column has them. */
function photosOf(photos: unknown, url: string): string | null {
  if (!Array.isArray(photos)) return null
  const stored = photos.slice(0, MAX_PHOTOS).flatMap((photo) => toStoredPhoto(photo, url) ?? [])
  return stored.length > 0 ? JSON.stringify(stored) : null
}

/** The base of photo addresses. It becomes a part of the content security policy of pages. */
const BASE = /^(https?:)\/\/[\w.-]{1,253}(?::\d{1,5})?(?:\/[\w.~-]{1,100}){0,10}$/

/** @returns undefined for a photo whose files are not named as in this release, or not sent over https */
function toStoredPhoto(photo: unknown, url: string): StoredPhoto | undefined {
  const { value } = validatePhoto(photo)
  const small = value?.sizes.small ?? ''
  const end = small.lastIndexOf('/')
  const [at, file] = [small.slice(0, end), readFileName(small.slice(end + 1))]
  const [, protocol] = BASE.exec(at) ?? []
  if (!value || !file || !protocol || (protocol === 'http:' && !url.startsWith('http:'))) return undefined
  const { id, alt, width, height, sizes } = value
  if (SIZES.some((size) => sizes[size] !== `${at}/${fileName(file.hash, size)}`)) return undefined
  if (!(width > 0 && height > 0)) return undefined
  return { id, hash: file.hash, width, height, ...(alt !== undefined && { alt }), at }
}
