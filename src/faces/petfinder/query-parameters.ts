import { ApiError, type ErrorDetail } from '../../errors.ts'

// The query of an old client, read as leniently as such clients need: a list by commas, repeated, or with []
// behind its name. Empty values count as absent, and unknown parameters are ignored.

/** Of one value: a place is the longest that anybody has to give. */
const MOST_CHARACTERS = 200
/** In all lists together, as they are sent: one of them may stand for several of ours. */
const MOST_VALUES = 64

export type QueryParameters = ReturnType<typeof readParameters>

export function readParameters(url: string) {
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? []
  const values = new URLSearchParams(query)
  const problems: ErrorDetail[] = []
  let left = MOST_VALUES

  function all(name: string): string[] {
    return [name, `${name}[]`, `${name}[0]`]
      .flatMap((one) => values.getAll(one))
      .map((value) => value.replace(/\p{Cc}/gu, ' '))
  }

  /** Tells of a value that cannot be used. */
  function refuse(parameter: string, message: string): void {
    if (!problems.some((problem) => problem.parameter === parameter))
      problems.push({ parameter, code: 'invalid_value', message })
  }

  function bounded(name: string, value: string): string {
    if (value.length > MOST_CHARACTERS)
      refuse(name, `This value is too long. It should have ${MOST_CHARACTERS} characters or less.`)
    return value.slice(0, MOST_CHARACTERS)
  }

  /** The last one, where it is repeated. */
  function one(name: string): string | undefined {
    return bounded(name, all(name).at(-1)?.trim() ?? '') || undefined
  }

  /** @param known whole values that have commas in them, in lower case */
  function list(name: string, known: ReadonlySet<string> = new Set()): string[] | undefined {
    const parts = all(name).flatMap((value) => (known.has(value.toLowerCase()) ? [value] : split(value)))
    const given = [...new Set(parts.map((value) => value.trim()).filter(Boolean))]
    if (given.length > left) refuse(name, `Give at most ${MOST_VALUES} values in all lists together.`)
    const taken = given.slice(0, left)
    left -= taken.length
    return given.length > 0 ? taken.map((value) => bounded(name, value)) : undefined
  }

  function whole(name: string, least: number, most: number): number | undefined {
    const text = one(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (!/^[+-]?\d{1,15}(?:\.0+)?$/.test(text)) refuse(name, 'This value should be a valid number.')
    else if (value < least) refuse(name, `This value should be ${least} or more.`)
    else if (value > most) refuse(name, `This value should be ${most} or less.`)
    else return value
    return undefined
  }

  /** @throws {ApiError} invalid_parameter with all that was refused */
  function requireUsable(): void {
    if (problems.length > 0) throw new ApiError('invalid_parameter', { details: problems })
  }

  return { one, list, whole, refuse, requireUsable, kept: () => keptOf(values) }
}

/** As the links of pages repeat it: sorted by name, and without the page. */
function keptOf(values: URLSearchParams): string {
  const pairs = [...values].filter(([name, value]) => name !== 'page' && name !== '' && value !== '')
  pairs.sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
  // Clients knew commas, colons and slashes as they are.
  const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return text.join('&').replace(/%(?:2C|3A|2F|40)/g, decodeURIComponent)
}

/** At its commas, but for those inside of brackets, as in "Tricolor (Brown, Black, & White)". */
function split(value: string): string[] {
  const parts = ['']
  let depth = 0
  for (const sign of value) {
    if (sign === '(') depth += 1
    if (sign === ')') depth = Math.max(depth - 1, 0)
    if (sign === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += sign
  }
  return parts
}
