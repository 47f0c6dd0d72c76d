import type { Organization } from '../../organizations/schema.ts'
import { toMiles } from './miles.ts'
import { PREFIX } from './prefix.ts'

// An organization as clients of this face know it. What is not known is null, and no key is left out.

/** What is known of one. */
type Known = Partial<Organization> & { code: string; name: string; distanceMeters?: number | undefined }

/** Of animals that belong to none: the installation's own. */
export const OWN_CODE = 'XX000'

export const ownOrganization = (origin: string): Known => ({ code: OWN_CODE, name: new URL(origin).hostname })

export const linkOf = (code: string): string => `${PREFIX}/organizations/${code.toLowerCase()}`

export interface Address {
  street?: string | undefined
  city?: string | undefined
  region?: string | undefined
  postcode?: string | undefined
  country?: string | undefined
}

/** These clients fail over a city that is null. */
export function toAddress({ street, city = '', region = '', postcode = '', country = '' }: Address) {
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
export function toPhoto({ sizes }: { sizes: Record<'small' | 'medium' | 'large' | 'full', string> }) {
  const { small, medium, large, full } = sizes
  return { small, medium, large, full }
}
