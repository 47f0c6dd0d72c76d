import type { Context } from '../../context.ts'
import { html } from '../../http/html.ts'
import type { Organization } from '../../organizations/schema.ts'
import * as organizations from '../../organizations/store.ts'
import { pickedOf } from '../../pets/row.ts'
import type { Pet } from '../../pets/schema.ts'
import type { Seen } from '../../pets/store.ts'
import { type Categories, type Type, theirColor } from './words.ts'

// Animals and organizations as clients of this face know them, and the one place where they are made. What is
// not known is null, an empty list, or where these clients fail over null, a word that says so; no key is
// left out.

/** Where this face is. */
export const PREFIX = '/v2'

/** Clients of this face count in miles. */
const METERS_IN_A_MILE = 1_609.344

/** To four decimals. */
function toMiles(meters: number | undefined): number | null {
  return meters === undefined ? null : Number((meters / METERS_IN_A_MILE).toFixed(4))
}

export const toMeters = (miles: number): number => miles * METERS_IN_A_MILE

/** What is known of one. */
type Known = Partial<Organization> & { code: string; name: string; distanceMeters?: number | undefined }

/** Of animals that belong to none: the installation's own. */
export const OWN_CODE = 'XX000'

export const ownOrganization = (origin: string): Known => ({ code: OWN_CODE, name: new URL(origin).hostname })

export const linkOf = (code: string): string => `${PREFIX}/organizations/${code.toLowerCase()}`

interface Address {
  street?: string | undefined
  city?: string | undefined
  region?: string | undefined
  postcode?: string | undefined
  country?: string | undefined
}

/** These clients fail over a city that is null. */
function toAddress({ street, city = '', region = '', postcode = '', country = '' }: Address) {
  return { address1: street ?? null, address2: null, city, state: region, postcode, country }
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

export function toOrganization(known: Known, origin: string) {
  const { code, name, email, phone, address, hours, website, mission, adoptionPolicy, adoptionUrl } = known
  const social = known.social ?? {}
  const link = linkOf(code)
  return {
    id: code.toUpperCase(),
    name,
    email: email ?? null,
    phone: phone ?? null,
    address: toAddress(address ?? {}),
    hours: Object.fromEntries(DAYS.map((day) => [day, hours?.[day] ?? null])),
    url: code === OWN_CODE ? `${origin}/` : `${origin}/organizations/${code}`,
    website: website ?? null,
    mission_statement: mission ?? null,
    adoption: { policy: adoptionPolicy ?? null, url: adoptionUrl ?? null },
    social_media: {
      facebook: social.facebook ?? null,
      twitter: social.x ?? null,
      youtube: social.youtube ?? null,
      instagram: social.instagram ?? null,
      // Ours know no address there.
      pinterest: null,
    },
    photos: (known.photos ?? []).map(toPhoto),
    distance: toMiles(known.distanceMeters),
    _links: {
      self: { href: link },
      animals: { href: `${PREFIX}/animals?organization=${code.toLowerCase()}` },
    },
  }
}

/** Ours are wider: at most 300, 600 and 1,200 pixels, and the full size. */
function toPhoto({ sizes }: { sizes: Record<'small' | 'medium' | 'large' | 'full', string> }) {
  const { small, medium, large, full } = sizes
  return { small, medium, large, full }
}

/** An animal as everybody sees it, with its times. */
type ShownPet = Omit<Pet, 'staff'> & {
  publishedAt?: string
  statusChangedAt?: string
  createdAt: string
  distanceMeters?: number
}

/** What of its organization is shown with it. */
interface Owner {
  code: string
  email?: string | undefined
  phone?: string | undefined
  address?: Parameters<typeof toAddress>[0] | undefined
}

const AGES = { baby: 'Baby', young: 'Young', adult: 'Adult', senior: 'Senior' } as const
const GENDERS = { male: 'Male', female: 'Female', unknown: 'Unknown' } as const
const SIZES = { small: 'Small', medium: 'Medium', large: 'Large', extra_large: 'Extra Large' } as const
/** Of ours those that are shown at all. */
export const STATUSES = { available: 'adoptable', sold: 'adopted' } as const

function toAnimal(
  pet: ShownPet,
  { type, owner, origin }: { type: Type; owner: Owner | undefined; origin: string },
) {
  const { id, name, breed, colors = [], coat, traits = {}, goodWith = {}, photos = [], place } = pet
  const code = owner?.code ?? OWN_CODE
  const cover = photos[0]?.sizes
  return {
    id,
    organization_id: code.toUpperCase(),
    url: `${origin}/animals/${id}`,
    type: type.name,
    species: pet.species ?? type.name,
    breeds: {
      primary: breed?.primary ?? pet.species ?? type.name,
      secondary: breed?.secondary ?? null,
      mixed: breed?.mixed ?? false,
      unknown: breed?.unknown ?? breed === undefined,
    },
    colors: {
      primary: theirColor(type.slug, colors[0]),
      secondary: theirColor(type.slug, colors[1]),
      tertiary: theirColor(type.slug, colors[2]),
    },
    age: AGES[(pet.age ?? 'adult') as keyof typeof AGES],
    gender: GENDERS[(pet.sex ?? 'unknown') as keyof typeof GENDERS],
    size: SIZES[(pet.size ?? 'medium') as keyof typeof SIZES],
    coat: coat === undefined ? null : coat[0]?.toUpperCase() + coat.slice(1),
    attributes: {
      spayed_neutered: traits.spayedNeutered ?? false,
      house_trained: traits.houseTrained ?? false,
      declawed: type.slug === 'cat' ? (traits.declawed ?? null) : null,
      special_needs: traits.specialNeeds ?? false,
      shots_current: traits.vaccinated ?? false,
    },
    environment: {
      children: goodWith.children ?? null,
      dogs: goodWith.dogs ?? null,
      cats: goodWith.cats ?? null,
    },
    tags: pet.tags ?? [],
    name,
    description: pet.description ?? null,
    organization_animal_id: pet.externalId ?? null,
    photos: photos.map(toPhoto),
    primary_photo_cropped: cover
      ? { small: cover.small, medium: cover.medium, large: cover.medium, full: cover.full }
      : null,
    videos: (pet.videos ?? []).map((address) => ({ embed: embedOf(address) })),
    status: STATUSES[pet.status as keyof typeof STATUSES],
    status_changed_at: timeOf(pet.statusChangedAt ?? pet.publishedAt ?? pet.createdAt),
    published_at: timeOf(pet.publishedAt ?? pet.statusChangedAt ?? pet.createdAt),
    distance: toMiles(pet.distanceMeters),
    contact: {
      email: pet.contact?.email ?? owner?.email ?? null,
      phone: pet.contact?.phone ?? owner?.phone ?? null,
      address: toAddress(place ?? owner?.address ?? {}),
    },
    _links: {
      self: { href: `${PREFIX}/animals/${id}` },
      type: { href: `${PREFIX}/types/${type.slug}` },
      organization: { href: linkOf(code) },
    },
  }
}

/** The form that these clients read: no fraction, and no colon in the offset. */
const timeOf = (time: string): string => `${time.slice(0, 19)}+0000`

const embedOf = (address: string): string =>
  html`<iframe src="${address}" title="Video" allowfullscreen></iframe>`.text

/** What an animal is made from: all of it that everybody sees, with its times. */
export const PICKED = pickedOf('*,publishedAt,statusChangedAt,createdAt')

/** Those that these clients see, as they know them, each with what is shown of its organization. */
export async function toAnimals(
  { db, config }: Pick<Context, 'db' | 'config'>,
  found: Seen[],
  { typeOf }: Categories,
) {
  const pets = found.map(({ toObject }) => toObject() as unknown as ShownPet)
  const ids = new Set(pets.flatMap(({ organizationId }) => organizationId ?? []))
  const owners = new Map((await organizations.findMany(db, [...ids])).map((owner) => [owner.id, owner]))
  return pets.flatMap((pet) => {
    const type = typeOf.get(pet.categoryId)
    const owner = owners.get(pet.organizationId ?? 0)
    const isShown = pet.status !== undefined && Object.hasOwn(STATUSES, pet.status)
    return type && isShown ? [toAnimal(pet, { type, owner, origin: config.origin })] : []
  })
}
