import { metersBetween } from '../places/distance.ts'
import { locate, MAX_CITY_METERS, type PlaceAddress } from '../places/gazetteer.ts'
import type { Animal } from './animal.ts'
import { isObject, textOf } from './source-row.ts'

// Finds numbers that a spreadsheet program has damaged. They are left out and reported, or repaired.

/** A long number that was shortened, such as 9.85112E+14, or saved again without its last digits. */
const SHORTENED = /^\d(?:[.,]\d{1,20}E\+?|E\+)\d{1,3}$|^(?=\d{15}$)\d{3,8}0{7,}$/i

export const isShortened = (text: string): boolean => SHORTENED.test(text)

/** Leaves out a shortened microchip or animal number, which would be wrong. */
export function withoutShortened(animal: Animal): Animal {
  const { externalId, staff } = animal
  const result = { ...animal }
  const notUnderstood: Record<string, string> = { ...animal.notUnderstood }
  if (typeof externalId === 'string' && isShortened(externalId)) {
    result.externalId = undefined
    notUnderstood.externalId = externalId
  }
  const chip = isObject(staff) ? textOf(staff.microchip) : ''
  if (isObject(staff) && isShortened(chip)) {
    result.staff = { ...staff, microchip: undefined }
    notUnderstood['staff.microchip'] = chip
  }
  return Object.keys(notUnderstood).length > 0 ? { ...result, notUnderstood } : animal
}

/** A ZIP code whose zeros at the start are lost. */
const LOST_ZEROS = /^(\d{3,4})(-\d{4})?$/

/** The states whose ZIP codes begin with zero, with the beginnings of their ZIP codes. */
const ZERO_STATES = new Map(
  Object.entries({
    ...{ ct: /^06/, connecticut: /^06/, me: /^0(?:39|4)/, maine: /^0(?:39|4)/ },
    ...{ ma: /^0(?:1|2[0-7]|55)/, massachusetts: /^0(?:1|2[0-7]|55)/, vt: /^05/, vermont: /^05/ },
    ...{ nh: /^03[0-8]/, 'new hampshire': /^03[0-8]/, nj: /^0[78]/, 'new jersey': /^0[78]/ },
    ...{ ny: /^0(?:05|63)/, 'new york': /^0(?:05|63)/, ri: /^02[89]/, 'rhode island': /^02[89]/ },
    ...{ pr: /^00[679]/, 'puerto rico': /^00[679]/, vi: /^008/, 'virgin islands': /^008/ },
  }),
)
const zipOf = (region: unknown): RegExp | undefined => ZERO_STATES.get(textOf(region).toLowerCase())

/**
 * Restores the zeros of ZIP codes if the city confirms them. Leaves out a ZIP code that certainly lacks them.
 * @returns the lines with a restored ZIP code
 */
export async function repairPostcodes(drafts: { line: number; animal: Animal }[]): Promise<number[]> {
  const repaired: number[] = []
  for (const { line, animal } of drafts) {
    const place = isObject(animal.place) ? (animal.place as PlaceAddress) : {}
    const [, digits, rest = ''] = LOST_ZEROS.exec(textOf(place.postcode)) ?? []
    if (digits === undefined || (place.country ?? 'US') !== 'US') continue
    const whole = digits.padStart(5, '0')
    if (await isNear(whole, place)) {
      animal.place = { ...place, postcode: whole + rest }
      repaired.push(line)
    } else if (place.country === 'US' || zipOf(place.region)) {
      animal.place = { ...place, postcode: undefined }
      animal.notUnderstood = { ...animal.notUnderstood, 'place.postcode': digits + rest }
    }
  }
  return repaired
}

/** Maximum length of the name of a city or region that is looked up. */
const MAX_PLACE = 200

async function isNear(postcode: string, { city, region }: PlaceAddress): Promise<boolean> {
  // Not validated yet: a long text takes minutes to fold, and any other type fails.
  const texts = [city, region].filter((text) => text !== undefined)
  if (!city || texts.some((text) => typeof text !== 'string' || text.length > MAX_PLACE)) return false
  const [one, other] = await Promise.all([
    locate({ postcode, country: 'US' }),
    locate({ city, region, country: 'US' }),
  ])
  if (other === undefined) return false
  // The list lacks ZIP codes that only have post-office boxes, such as 02101 in Boston.
  return one ? metersBetween(one, other) < MAX_CITY_METERS : zipOf(region)?.test(postcode) === true
}
