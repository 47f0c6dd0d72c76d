import Schema from 'typebox/schema'
import { MAX_PHOTOS } from '../photos/schema.ts'
import { AltText } from '../photos/storage/kept.ts'
import type { Fields, Format, PhotoList } from './animal.ts'

type Source = PhotoList['sources'][number]

/**
 * The photos that the members of an animal name: texts with addresses, or photos as services show them.
 *
 * @returns undefined when they name none
 */
export function photosIn(fields: Fields, members: readonly string[], format: Format): PhotoList | undefined {
  // A cover is named among the others once more.
  const byAddress = new Map<string, Source>()
  for (const value of members.flatMap((member) => fields[member])) {
    for (const source of sourcesIn(value, format))
      if (!byAddress.has(source.address)) byAddress.set(source.address, source)
  }
  if (byAddress.size === 0) return undefined
  const sources = [...byAddress.values()].slice(0, MAX_PHOTOS)
  return { sources, surplus: byAddress.size - sources.length }
}

/** Between the addresses in a cell. An address may hold a semicolon itself. */
const BETWEEN = /\s*;\s*(?=https?:)|\s+/i

function sourcesIn(value: unknown, format: Format): Source[] {
  if (typeof value === 'string') {
    const addresses = format === 'csv' ? value.split(BETWEEN) : [value.trim()]
    return addresses.flatMap((address) => (address ? { address } : []))
  }
  if (typeof value !== 'object' || value === null) return []
  const { alt, sizes, ...rest } = value as { alt?: unknown; sizes?: object }
  const { full, large } = { ...rest, ...sizes } as { full?: unknown; large?: unknown }
  const address = full ?? large
  return typeof address === 'string' ? [{ address, ...(isAlt(alt) && { alt }) }] : []
}

const altText = Schema.Compile(AltText)

/** What the service would refuse, a photo goes without. */
const isAlt = (alt: unknown): alt is string => altText.Check(alt)
