/** What somebody tells of a place. */
export interface Where {
  city?: string | undefined
  region?: string | undefined
  postcode?: string | undefined
  country?: string | undefined
}

/** Names that a person would take for the same are the same, with accents or without. */
function fold(text: string): string {
  if (/^[A-Za-z]+$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

export const postcodeKey = (country: string, code: string): string => `p ${country} ${fold(code)}`
export const cityKey = (name: string, country = '', region = ''): string =>
  `c ${country} ${fold(region)} ${fold(name)}`

const US_POSTCODE = /^(\d{5})(?:-\d{4})?$/
/** Of Canada the first half, which the lists have. */
const CA_POSTCODE = /^([A-Za-z]\d[A-Za-z])(?: ?\d[A-Za-z]\d)?$/

/** Countries whose regions are known. A region without a country is taken for one of theirs. */
const WITH_REGIONS = ['US', 'CA']

/**
 * Under which keys a place may be found, the most precise first. What was told is not passed over: of a city
 * in a region no namesake elsewhere will do, and five digits are a postcode of many countries.
 */
export function keysOf({ city, region, postcode = '', country }: Where): string[] {
  const keys: string[] = []
  const american = US_POSTCODE.exec(postcode)?.[1]
  const canadian = CA_POSTCODE.exec(postcode)?.[1]
  const mayBeAnywhere = country === undefined && city !== undefined
  if (american && !mayBeAnywhere && (country ?? 'US') === 'US') keys.push(postcodeKey('US', american))
  if (canadian && !mayBeAnywhere && (country ?? 'CA') === 'CA') keys.push(postcodeKey('CA', canadian))
  if (city === undefined) return keys
  const countries = country === undefined ? WITH_REGIONS : [country]
  if (region === undefined || !WITH_REGIONS.includes(country ?? 'US'))
    return [...keys, cityKey(city, country)]
  return [...keys, ...countries.map((one) => cityKey(city, one, region))]
}

/** 53 bits of a text, as a number holds them: of some 300,000 keys no two meet by chance. */
export function hashOf(key: string): number {
  let [one, other] = [0x811c9dc5, 0x9dc5811c]
  for (let i = 0; i < key.length; i += 1) {
    const code = key.charCodeAt(i)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x85ebca6b) ^ (other >>> 13)
  }
  return (one >>> 0) * 0x200000 + ((other >>> 0) & 0x1fffff)
}
