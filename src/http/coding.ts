/** The codings that answers come in, the one that makes them smallest first (RFC 9110, section 8.4.1). */
export const CODINGS = ['br', 'zstd', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** Below this many bytes a coding saves less than it costs: an answer fits into one packet in any case. */
export const MIN_BYTES = 1_024

/** Of clients that all send something else, so many headers of so many characters are remembered. */
const MAX_REMEMBERED = 200
const LONGEST_REMEMBERED = 200

const remembered = new Map<string, Coding | undefined>()

/**
 * The coding that a client likes most, the smallest of equals; undefined for none. Who refuses answers as
 * they are (`identity;q=0`) and takes none of ours still gets one as it is, as RFC 9110, section 12.4.1, allows.
 *
 * @param header Accept-Encoding
 */
export function codingFor(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined
  const known = remembered.get(header)
  if (known !== undefined || remembered.has(header)) return known
  const coding = choose(header)
  if (header.length > LONGEST_REMEMBERED) return coding
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(header, coding)
  return coding
}

/** The ETag of an answer in a coding: strong ones stand for bytes (RFC 9110, section 8.8.3.3). */
export function codedTag(etag: string, coding: Coding): string {
  return `${etag.slice(0, -1)}-${coding}"`
}

/** RFC 9110, section 12.5.3. */
function choose(header: string): Coding | undefined {
  const weights = new Map<string, number>()
  for (const one of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim())
    // Its other name counts as the same (section 8.4.1.3).
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  const liking = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const most = Math.max(...CODINGS.map(liking))
  if (most === 0 || most < (weights.get('identity') ?? 0)) return undefined
  return CODINGS.find((coding) => liking(coding) === most)
}

/** A weight that cannot be read is none: nothing goes out coded that was not clearly asked for. */
function weightOf(parameters: string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  if (weight === undefined) return 1
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0
}
