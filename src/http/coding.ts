/** Supported content codings, smallest output first (RFC 9110, section 8.4.1). */
export const CODINGS = ['br', 'zstd', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** Smaller responses are not compressed, because they fit into one packet anyway. */
export const MIN_BYTES = 1_024

/** Limits the memory for parsed headers, because clients can send ever new ones. */
const MAX_REMEMBERED = 200
const MAX_REMEMBERED_CHARACTERS = 200

const remembered = new Map<string, Coding | undefined>()

/**
 * Chooses the coding that the client prefers. If the client gives several codings the same weight, chooses
 * the one with the smallest output. A client that refuses `identity` and all our codings gets an uncompressed
 * response, as RFC 9110, section 12.4.1, allows.
 *
 * @param header Accept-Encoding
 * @returns undefined for an uncompressed response
 */
export function codingFor(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined
  const cached = remembered.get(header)
  if (cached !== undefined || remembered.has(header)) return cached
  const coding = choose(header)
  if (header.length > MAX_REMEMBERED_CHARACTERS) return coding
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(header, coding)
  return coding
}

/**
 * The ETag of an encoded response. It differs from the ETag of the uncompressed response, because a strong
 * ETag identifies exact bytes (RFC 9110, section 8.8.3.3).
 */
export function encodedEtag(etag: string, coding: Coding): string {
  return `${etag.slice(0, -1)}-${coding}"`
}

/** Implements RFC 9110, section 12.5.3. */
function choose(header: string): Coding | undefined {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    // `x-gzip` means `gzip` (section 8.4.1.3).
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  const weightFor = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const highest = Math.max(...CODINGS.map(weightFor))
  if (highest === 0 || highest < (weights.get('identity') ?? 0)) return undefined
  return CODINGS.find((coding) => weightFor(coding) === highest)
}

/**
 * Reads a weight. An invalid weight counts as 0, so nothing is compressed unless the client clearly requests
 * it.
 */
function weightOf(parameters: string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  if (weight === undefined) return 1
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0
}
