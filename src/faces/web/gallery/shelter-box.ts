import { type Html, html, type Part } from '../../../http/html.ts'
import type { Organization } from '../../../organizations/schema.ts'
import { mailLink } from '../mail-link.ts'
import type { Phrasing } from './phrases.ts'

type Contact = Pick<Organization, 'email' | 'phone'> & { name?: string }

/** How to reach somebody: names and values for a list of facts. */
export function contactFacts({ texts: { gallery } }: Phrasing, { name, email, phone }: Contact): Html {
  return html`${name !== undefined && html`<dt>${gallery.contact}</dt><dd dir="auto">${name}</dd>`}${
    phone !== undefined && html`<dt>${gallery.phone}</dt><dd>${phoneLink(phone)}</dd>`
  }${email !== undefined && html`<dt>${gallery.email}</dt><dd>${mailLink(email)}</dd>`}`
}

/** People write numbers as they like; without a digit it is only words. */
function phoneLink(phone: string): Part {
  const digits = phone.replace(/(?!^\+)\D/g, '')
  return digits.length >= 3 ? html`<a href="tel:${digits}">${phone}</a>` : phone
}

/** To somebody else's pages, for which nobody here vouches. */
export function outwardLink(address: string, words: string, className?: string): Html {
  return html`<a href="${address}" rel="noopener nofollow ugc"${className !== undefined && html` class="${className}"`}>${words}</a>`
}

/** The address as a letter has it. */
export function addressLines({ address = {} }: Organization): string[] {
  const { street, city, region, postcode, country } = address
  const town = [city, [region, postcode].filter(Boolean).join(' ')].filter(Boolean).join(', ')
  return [street, town, country].filter((line) => line !== undefined && line !== '') as string[]
}

/** As schema.org has it. */
export function shelterData(organization: Organization, url: string): object {
  const { name, email, phone, address, website, social, latitude, longitude } = organization
  const { street, city, region, postcode, country } = address ?? {}
  const elsewhere = [website, ...Object.values(social ?? {})].filter((one) => one !== undefined)
  return {
    ...{ '@type': 'AnimalShelter', '@id': `${url}#shelter`, name, url },
    ...(email && { email }),
    ...(phone && { telephone: phone }),
    ...(address && {
      address: {
        ...{ '@type': 'PostalAddress', streetAddress: street, addressLocality: city },
        ...{ addressRegion: region, postalCode: postcode, addressCountry: country },
      },
    }),
    ...(latitude !== undefined && { geo: { '@type': 'GeoCoordinates', latitude, longitude } }),
    ...(elsewhere.length > 0 && { sameAs: elsewhere }),
  }
}
