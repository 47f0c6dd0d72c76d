import { ApiError, type ErrorDetail } from '../../errors.ts'
import { toMeters } from './shapes.ts'

// The query of an old client, read as leniently as such clients need: a list by commas, repeated, or with []
// behind its name. Empty values count as absent, and unknown parameters are ignored.

/** Of one value: a place is the longest that anybody has to give. */
const MAX_CHARACTERS = 200
/** In all lists together, as they are sent: one of them may stand for several of ours. */
const MAX_VALUES = 64

export type QueryParameters = ReturnType<typeof readParameters>

export function readParameters(url: string) {
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? []
  const values = new URLSearchParams(query)
  const problems: ErrorDetail[] = []
  let left = MAX_VALUES

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
    if (value.length > MAX_CHARACTERS)
      refuse(name, `This value is too long. It should have ${MAX_CHARACTERS} characters or less.`)
    return value.slice(0, MAX_CHARACTERS)
  }

  /** The last one, where it is repeated. */
  function one(name: string): string | undefined {
    return bounded(name, all(name).at(-1)?.trim() ?? '') || undefined
  }

  /** @param known whole values that have commas in them, in lower case */
  function list(name: string, known: ReadonlySet<string> = new Set()): string[] | undefined {
    const parts = all(name).flatMap((value) => (known.has(value.toLowerCase()) ? [value] : split(value)))
    const given = [...new Set(parts.map((value) => value.trim()).filter(Boolean))]
    if (given.length > left) refuse(name, `Give at most ${MAX_VALUES} values in all lists together.`)
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

// Values of the query of an old client, each made ours. A parameter that cannot be used is refused by name.

const SIZES = new Map(['xlarge', 'extra-large', 'extra large'].map((name) => [name, 'extra_large']))
const VALUES = {
  size: ['small', 'medium', 'large', 'extra_large'],
  gender: ['male', 'female', 'unknown'],
  age: ['baby', 'young', 'adult', 'senior'],
  coat: ['short', 'medium', 'long', 'wire', 'hairless', 'curly'],
} as const

/** Of one page; the contract of these clients has no more. */
const [MAX_LIMIT, MAX_PAGE] = [100, 1_000_000]
const [FIRST_MILES, MAX_MILES] = [100, 500]

const UNKNOWN_PLACE = 'Could not determine location.'

export function pageOf(parameters: QueryParameters): { page: number; limit: number } {
  return {
    page: parameters.whole('page', 1, MAX_PAGE) ?? 1,
    limit: parameters.whole('limit', 1, MAX_LIMIT) ?? 20,
  }
}

/** A latitude and a longitude, a postcode, or a city with its state: a city alone was never enough. */
const PLACES = [
  /^-?\d{1,2}(?:\.\d+)?, *-?\d{1,3}(?:\.\d+)?$/,
  /^(?=.*\d)[a-z\d][a-z\d -]{2,9}$/i,
  /^[\p{L}\p{M} .'’-]+(?:,[\p{L}\p{M} .'’-]+){1,2}$/u,
]

/** @returns the place as it was written, and kilometres */
export function nearOf(parameters: QueryParameters): { location: string; within: number } | undefined {
  const location = parameters.one('location')
  const distance = parameters.whole('distance', 1, MAX_MILES)
  if (location === undefined) return undefined
  if (!PLACES.some((form) => form.test(location))) parameters.refuse('location', UNKNOWN_PLACE)
  return { location, within: toMeters(distance ?? FIRST_MILES) / 1_000 }
}

/** An error of a search over its `near`, in the words of these clients. */
export function toLocationError(error: unknown): unknown {
  const isOfPlace = error instanceof ApiError && error.details?.some(({ parameter }) => parameter === 'near')
  if (!isOfPlace) return error
  const detail = { parameter: 'location', code: 'invalid_value', message: UNKNOWN_PLACE } as const
  return new ApiError('invalid_parameter', { details: [detail] })
}

export function choiceOf<const Value extends string>(
  parameters: QueryParameters,
  name: string,
  known: readonly Value[],
): Value | undefined {
  const text = parameters.one(name)?.toLowerCase()
  const value = known.find((one) => one === text)
  if (text !== undefined && value === undefined)
    parameters.refuse(name, `This value should be one of: ${known.join(', ')}.`)
  return value
}

export function choicesOf<const Name extends keyof typeof VALUES>(
  parameters: QueryParameters,
  name: Name,
): (typeof VALUES)[Name][number][] | undefined {
  const known = VALUES[name] as readonly string[]
  return parameters.list(name)?.flatMap((text) => {
    const value = SIZES.get(text.toLowerCase()) ?? text.toLowerCase()
    if (known.includes(value)) return [value as (typeof VALUES)[Name][number]]
    parameters.refuse(name, `"${text}" is not a valid ${name}.`)
    return []
  })
}

const YES = ['true', '1']
const NO = ['false', '0']

export function booleanOf(parameters: QueryParameters, name: string): 'true' | 'false' | undefined {
  const text = parameters.one(name)?.toLowerCase()
  if (text === undefined) return undefined
  if (YES.includes(text)) return 'true'
  if (!NO.includes(text)) parameters.refuse(name, 'This value should be true or false.')
  return 'false'
}

/** Can only be asked for: a no is what these clients never had, and means the same as nothing. */
export function flagOf(parameters: QueryParameters, name: string): 'true' | undefined {
  return booleanOf(parameters, name) === 'true' ? 'true' : undefined
}

/** ISO 8601 with an offset, with or without a colon, or a day alone. */
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

export function dateTimeOf(parameters: QueryParameters, name: string): string | undefined {
  const text = parameters.one(name)
  if (text === undefined) return undefined
  // In a query a plus is a blank.
  const [, day, time = '00:00', offset = 'Z'] =
    MOMENT.exec(text.replace(/ (?=\d\d:?\d\d$)(?<=:\d\d )/, '+')) ?? []
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  const at = Date.parse(`${day}T${time}${sign ? `${sign}${hours}:${minutes}` : 'Z'}`)
  if (Number.isNaN(at)) parameters.refuse(name, 'This value is not a valid datetime.')
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
