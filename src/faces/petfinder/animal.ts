import { html } from '../../http/html.ts'
import type { Pet } from '../../pets/schema.ts'
import { theirColor } from './colors.ts'
import { toMiles } from './miles.ts'
import { linkOf, OWN_CODE, toAddress, toPhoto } from './organization.ts'
import { PREFIX } from './prefix.ts'
import type { Type } from './types.ts'

// An animal as clients of this face know it, and the one place where it is made. What is not known is null,
// an empty list, or where these clients fail over null, a word that says so; no key is left out.

/** An animal as everybody sees it, with its times. */
export type ShownPet = Omit<Pet, 'staff'> & {
  publishedAt?: string
  statusChangedAt?: string
  createdAt: string
  distanceMeters?: number
}

/** What of its organization is shown with it. */
export interface Owner {
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

export function toAnimal(
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
