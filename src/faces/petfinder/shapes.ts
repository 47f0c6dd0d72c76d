import type { Context } from '../../context.ts'
import { html } from '../../http/html.ts'
import type { Organization } from '../../organizations/schema.ts'
import * as organizations from '../../organizations/store.ts'
import { parseFields, type RenderedPet } from '../../pets/row.ts'
import type { Pet } from '../../pets/schema.ts'
import { METERS_PER_MILE } from '../../places/distance.ts'
import { type Categories, type Type, theirColor } from './words.ts'

// Converts animals and organizations to the JSON of the Petfinder API v2. Every key is present. An unknown
// value is null or an empty list, or a default value if clients would fail on null.

/** Path prefix of this API. */
export const PREFIX = '/v2'

/** Miles with up to four decimals. */
function toMiles(meters: number | undefined): number | null {
  return meters === undefined ? null : Number((meters / METERS_PER_MILE).toFixed(4))
}

export const toMeters = (miles: number): number => miles * METERS_PER_MILE

/** The members of an organization that its JSON is made from. */
type OrganizationSource = Partial<Organization> & {
  code: string
  name: string
  distanceMeters?: number | undefined
}

/** The organization code for animals without an organization. It represents the service itself. */
export const OWN_CODE = 'XX000'

export const ownOrganization = (origin: string): OrganizationSource => ({
  code: OWN_CODE,
  name: new URL(origin).hostname,
})

export const linkOf = (code: string): string => `${PREFIX}/organizations/${code.toLowerCase()}`

type Address = NonNullable<Organization['address']>

/** Escapes text for HTML, as the original API did: programs show it as HTML, and would run a script. */
function textOf(text: string): string
function textOf(text: string | undefined): string | null
function textOf(text: string | undefined): string | null {
  return text === undefined ? null : html`${text}`.text
}

/** Escapes a breed, species or color. Signs that occur in the names of the original API stay. */
const nameOf = (name: string): string => name.replace(/[<>"]/g, textOf)

/** Clients fail if the city is null, so the city and the following members default to ''. */
function toAddress({ street, city = '', region = '', postcode = '', country = '' }: Address) {
  const [state, address1] = [textOf(region), textOf(street)]
  return { address1, address2: null, city: textOf(city), state, postcode: textOf(postcode), country }
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

export function toOrganization(source: OrganizationSource, origin: string) {
  const { code, name, email, phone, address, hours, website, mission, adoptionPolicy, adoptionUrl } = source
  const social = source.social ?? {}
  const link = linkOf(code)
  return {
    id: code.toUpperCase(),
    name: textOf(name),
    email: textOf(email),
    phone: textOf(phone),
    address: toAddress(address ?? {}),
    hours: Object.fromEntries(DAYS.map((day) => [day, textOf(hours?.[day])])),
    url: code === OWN_CODE ? `${origin}/` : `${origin}/organizations/${code}`,
    website: website ?? null,
    mission_statement: textOf(mission),
    adoption: { policy: textOf(adoptionPolicy), url: adoptionUrl ?? null },
    social_media: {
      facebook: social.facebook ?? null,
      twitter: social.x ?? null,
      youtube: social.youtube ?? null,
      instagram: social.instagram ?? null,
      // This service stores no Pinterest address.
      pinterest: null,
    },
    photos: (source.photos ?? []).map(toPhoto),
    distance: toMiles(source.distanceMeters),
    _links: {
      self: { href: link },
      animals: { href: `${PREFIX}/animals?organization=${code.toLowerCase()}` },
    },
  }
}

/** Photos are larger than in the original API: up to 300, 600 and 1,200 pixels wide, and the full size. */
function toPhoto({ sizes }: { sizes: Record<'small' | 'medium' | 'large' | 'full', string> }) {
  const { small, medium, large, full } = sizes
  return { small, medium, large, full }
}

/** The public data of an animal, with its timestamps. */
type PublicPet = Omit<Pet, 'staff'> & {
  publishedAt?: string
  statusChangedAt?: string
  createdAt: string
}

/** The data of an organization that its animals show. */
type Owner = Pick<Organization, 'code' | 'email' | 'phone' | 'address'>

const AGES = { baby: 'Baby', young: 'Young', adult: 'Adult', senior: 'Senior' } as const
const GENDERS = { male: 'Male', female: 'Female', unknown: 'Unknown' } as const
const SIZES = { small: 'Small', medium: 'Medium', large: 'Large', extra_large: 'Extra Large' } as const
/** Petfinder's status for each of our statuses. This API hides animals with other statuses. */
export const STATUSES = { available: 'adoptable', sold: 'adopted' } as const

function toAnimal(
  pet: PublicPet,
  { type, owner, origin }: { type: Type; owner: Owner | undefined; origin: string },
) {
  const { id, name, breed, colors = [], coat, traits = {}, goodWith = {}, photos = [], place } = pet
  const code = owner?.code ?? OWN_CODE
  const cover = photos[0]?.sizes
  const colorOf = (index: number): string | null => {
    const color = theirColor(type.slug, colors[index])
    return color === null ? null : nameOf(color)
  }
  return {
    id,
    organization_id: code.toUpperCase(),
    url: `${origin}/animals/${id}`,
    type: type.name,
    species: nameOf(pet.species ?? type.name),
    breeds: {
      primary: nameOf(breed?.primary ?? pet.species ?? type.name),
      secondary: breed?.secondary === undefined ? null : nameOf(breed.secondary),
      mixed: breed?.mixed ?? false,
      unknown: breed?.unknown ?? breed === undefined,
    },
    colors: {
      primary: colorOf(0),
      secondary: colorOf(1),
      tertiary: colorOf(2),
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
    tags: (pet.tags ?? []).map((tag) => textOf(tag)),
    name: textOf(name),
    description: textOf(pet.description),
    organization_animal_id: textOf(pet.externalId),
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
      email: textOf(pet.contact?.email ?? owner?.email),
      phone: textOf(pet.contact?.phone ?? owner?.phone),
      address: toAddress(place ?? owner?.address ?? {}),
    },
    _links: {
      self: { href: `${PREFIX}/animals/${id}` },
      type: { href: `${PREFIX}/types/${type.slug}` },
      organization: { href: linkOf(code) },
    },
  }
}

/** The timestamp without a fraction and without a colon in the offset, as the original API has it. */
const timeOf = (time: string): string => `${time.slice(0, 19)}+0000`

const embedOf = (address: string): string =>
  html`<iframe src="${address}" title="Video" allowfullscreen></iframe>`.text

/** The members of an animal that `toAnimals` needs. */
export const SELECTION = parseFields('*,publishedAt,statusChangedAt,createdAt')

/** The Petfinder JSON of all animals that this API may show. */
export async function toAnimals(
  { db, config }: Pick<Context, 'db' | 'config'>,
  found: RenderedPet[],
  { typeOf }: Categories,
) {
  const pets = found.map(({ toObject }) => toObject() as unknown as PublicPet)
  const ids = new Set(pets.flatMap(({ organizationId }) => organizationId ?? []))
  const owners = new Map((await organizations.findMany(db, [...ids])).map((owner) => [owner.id, owner]))
  return pets.flatMap((pet) => {
    const type = typeOf.get(pet.categoryId)
    const owner = owners.get(pet.organizationId ?? 0)
    const isShown = pet.status !== undefined && Object.hasOwn(STATUSES, pet.status)
    return type && isShown ? [toAnimal(pet, { type, owner, origin: config.origin })] : []
  })
}
