import { ONE_LINE } from '../http/text.ts'
import type { Fields, Photographed } from './animal.ts'

type Source = Photographed['photos'][number]

/** The photos that the members of an animal name: texts with addresses, or photos as services show them. */
export function photosIn(fields: Fields, members: readonly string[]): Source[] {
  const all = members.flatMap((member) => [fields[member]].flat()).flatMap(sourcesIn)
  // A cover is named among the others once more.
  return all.filter(({ address }, index) => all.findIndex((one) => one.address === address) === index)
}

function sourcesIn(value: unknown): Source[] {
  if (typeof value === 'string')
    return value.split(/[\s;]+/).flatMap((address) => (address ? { address } : []))
  if (typeof value !== 'object' || value === null) return []
  const { alt, sizes, ...rest } = value as { alt?: unknown; sizes?: object }
  const { full, large } = { ...rest, ...sizes } as { full?: unknown; large?: unknown }
  const address = full ?? large
  return typeof address === 'string' ? [{ address, ...(isAlt(alt) && { alt }) }] : []
}

const MOST_ALT = 500

/** What the service would refuse, a photo goes without. */
function isAlt(alt: unknown): alt is string {
  return typeof alt === 'string' && [...alt].length <= MOST_ALT && new RegExp(ONE_LINE, 'u').test(alt)
}
