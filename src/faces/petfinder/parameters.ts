import { ApiError, type ErrorDetail } from '../../errors.ts'
import { splitUrl } from '../../http/send-page.ts'
import { toMeters } from './shapes.ts'

// Reads the query of a Petfinder client as leniently as the original API. Lists may be separated by commas,
// repeated, or have [] after their name. Empty values count as absent, and unknown parameters are ignored.

/** The maximum length of a value. Places are the longest values. */
const MAX_CHARACTERS = 200
/** The maximum number of values in all lists together, before their translation. */
const MAX_VALUES = 64

const OF_BOTH = ['name', 'location', 'distance', 'sort', 'page', 'limit'] as const
const OF_ANIMALS = [
  ...OF_BOTH,
  ...(['type', 'status', 'organization', 'breed', 'color', 'size', 'gender', 'age', 'coat'] as const),
  ...(['good_with_children', 'good_with_dogs', 'good_with_cats', 'house_trained'] as const),
  ...(['declawed', 'special_needs', 'after', 'before'] as const),
]
const OF_ORGANIZATIONS = [...OF_BOTH, 'query', 'state', 'country'] as const
type Name = (typeof OF_ANIMALS | typeof OF_ORGANIZATIONS)[number]

/** Returns the parameter that a name means: PHP and others write `breed[]` or `breed[0]` for `breed`. */
const parameterNamed = (written: string): string => written.replace(/^(\w+)\[\d*\]$/, '$1')

const nameTest = (names: readonly string[]) => (written: string) => names.includes(parameterNamed(written))

/** Tests whether a route reads a parameter, in any accepted spelling. */
export const PARAMETERS = { animals: nameTest(OF_ANIMALS), organizations: nameTest(OF_ORGANIZATIONS) }

export type QueryParameters = ReturnType<typeof readParameters>

export function readParameters(url: string, isRead: (name: string) => boolean) {
  const values = new URLSearchParams(splitUrl(url)[1])
  const byName = Map.groupBy(values, ([written]) => parameterNamed(written))
  const problems: ErrorDetail[] = []
  let left = MAX_VALUES

  function all(name: Name): string[] {
    return (byName.get(name) ?? []).map(([, value]) => value.replace(/\p{Cc}/gu, ' '))
  }

  /** Records an invalid value. Only the first problem of each parameter is reported. */
  function refuse(parameter: Name, message: string): void {
    if (!problems.some((problem) => problem.parameter === parameter))
      problems.push({ parameter, code: 'invalid_value', message })
  }

  function bounded(name: Name, value: string): string {
    if (value.length > MAX_CHARACTERS)
      refuse(name, `This value is too long. It should have ${MAX_CHARACTERS} characters or less.`)
    return value.slice(0, MAX_CHARACTERS)
  }

  /**
   * The value of a parameter that takes one. If it is repeated, the last value counts. Several values in
   * brackets are a list, and using one of them would search for something else than the client means.
   */
  function one(name: Name): string | undefined {
    const given = all(name).map((value) => value.trim())
    const isList = byName.get(name)?.some(([written]) => written !== name)
    if (isList && new Set(given.filter(Boolean)).size > 1)
      refuse(name, 'This parameter takes one value, not a list.')
    return bounded(name, given.findLast(Boolean) ?? '') || undefined
  }

  /** Returns the values of a list. @param withCommas values in lower case that are not split at commas */
  function list(name: Name, withCommas: ReadonlySet<string> = new Set()): string[] | undefined {
    const parts = all(name).flatMap((value) => (withCommas.has(value.toLowerCase()) ? [value] : split(value)))
    const items = [...new Set(parts.map((value) => value.trim()).filter(Boolean))]
    if (items.length > left) refuse(name, `Give at most ${MAX_VALUES} values in all lists together.`)
    const accepted = items.slice(0, left)
    left -= accepted.length
    return items.length > 0 ? accepted.map((value) => bounded(name, value)) : undefined
  }

  function integer(name: Name, min: number, max: number): number | undefined {
    const text = one(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (!/^[+-]?\d{1,15}(?:\.0+)?$/.test(text)) refuse(name, 'This value should be a valid number.')
    else if (value < min) refuse(name, `This value should be ${min} or more.`)
    else if (value > max) refuse(name, `This value should be ${max} or less.`)
    else return value
    return undefined
  }

  /** @throws {ApiError} invalid_parameter with all recorded problems */
  function requireValid(): void {
    if (problems.length > 0) throw new ApiError('invalid_parameter', { details: problems })
  }

  return { one, list, integer, refuse, requireValid, pageQuery: () => pageQueryOf(values, isRead) }
}

/** The query for links to other pages. It is sorted by name, without `page` and unknown parameters. */
function pageQueryOf(values: URLSearchParams, isRead: (name: string) => boolean): string {
  const pairs = [...values].filter(
    ([name, value]) => parameterNamed(name) !== 'page' && value !== '' && isRead(name),
  )
  pairs.sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
  // The original API did not escape commas, colons, slashes and @.
  const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return text.join('&').replace(/%(?:2C|3A|2F|40)/g, decodeURIComponent)
}

/** Splits at commas that are not inside brackets, as in "Tricolor (Brown, Black, & White)". */
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

// These functions return the typed values of the parameters. They report invalid values to `refuse`.

const SIZES = new Map(['xlarge', 'extra-large', 'extra large'].map((name) => [name, 'extra_large']))
const VALUES = {
  size: ['small', 'medium', 'large', 'extra_large'],
  gender: ['male', 'female', 'unknown'],
  age: ['baby', 'young', 'adult', 'senior'],
  coat: ['short', 'medium', 'long', 'wire', 'hairless', 'curly'],
} as const

/** The limits are those of the original API. */
const [MAX_LIMIT, MAX_PAGE] = [100, 1_000_000]
const [DEFAULT_MILES, MAX_MILES] = [100, 500]

const UNKNOWN_PLACE = 'Could not determine location.'

export function pageOf(parameters: QueryParameters): { page: number; limit: number } {
  return {
    page: parameters.integer('page', 1, MAX_PAGE) ?? 1,
    limit: parameters.integer('limit', 1, MAX_LIMIT) ?? 20,
  }
}

/** Latitude and longitude, a postcode, or names with a comma. */
const PLACES = [
  /^-?\d{1,2}(?:\.\d+)?, *-?\d{1,3}(?:\.\d+)?$/,
  /^(?=.*\d)[a-z\d][a-z\d -]{2,9}$/i,
  /^[\p{L}\p{M}\d .'’-]+(?:,[\p{L}\p{M}\d .'’-]+){1,2}$/u,
]
/** A state, or a city with its state but without a comma. The original API refused a city without a state. */
const STATE = /^[\p{L}\p{M}\d .'’/-]+$/u

/** @returns the location from the query, and the distance in kilometers */
export function nearOf(parameters: QueryParameters): { location: string; within: number } | undefined {
  const location = parameters.one('location')
  const distance = parameters.integer('distance', 1, MAX_MILES)
  if (location === undefined) return undefined
  const within = toMeters(distance ?? DEFAULT_MILES) / 1_000
  if (PLACES.some((pattern) => pattern.test(location))) return { location, within }
  if (!STATE.test(location)) parameters.refuse('location', UNKNOWN_PLACE)
  // An empty city before the comma keeps the search from looking for a city with this name.
  return { location: `,${location}`, within }
}

/** Turns an error about our parameter `near` into one about `location`. */
export function toLocationError(error: unknown): unknown {
  const isOfPlace = error instanceof ApiError && error.details?.some(({ parameter }) => parameter === 'near')
  if (!isOfPlace) return error
  const detail = { parameter: 'location', code: 'invalid_value', message: UNKNOWN_PLACE } as const
  return new ApiError('invalid_parameter', { details: [detail] })
}

export function choiceOf<const Value extends string>(
  parameters: QueryParameters,
  name: Name,
  choices: readonly Value[],
): Value | undefined {
  const text = parameters.one(name)?.toLowerCase()
  const value = choices.find((choice) => choice === text)
  if (text !== undefined && value === undefined)
    parameters.refuse(name, `This value should be one of: ${choices.join(', ')}.`)
  return value
}

export function choicesOf<const Choice extends keyof typeof VALUES>(
  parameters: QueryParameters,
  name: Choice,
): (typeof VALUES)[Choice][number][] | undefined {
  const choices = VALUES[name] as readonly string[]
  return parameters.list(name)?.flatMap((text) => {
    const value = SIZES.get(text.toLowerCase()) ?? text.toLowerCase()
    if (choices.includes(value)) return [value as (typeof VALUES)[Choice][number]]
    parameters.refuse(name, `"${text}" is not a valid ${name}.`)
    return []
  })
}

const YES = ['true', '1']
const NO = ['false', '0']

export function booleanOf(parameters: QueryParameters, name: Name): 'true' | 'false' | undefined {
  const text = parameters.one(name)?.toLowerCase()
  if (text === undefined) return undefined
  if (YES.includes(text)) return 'true'
  if (!NO.includes(text)) parameters.refuse(name, 'This value should be true or false.')
  return 'false'
}

/** A filter that can only be true. The original API had no value false, so false counts as absent. */
export function flagOf(parameters: QueryParameters, name: Name): 'true' | undefined {
  return booleanOf(parameters, name) === 'true' ? 'true' : undefined
}

/** ISO 8601: a date, or a date and time with an offset. The offset may have no colon. */
const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

export function dateTimeOf(parameters: QueryParameters, name: Name): string | undefined {
  const text = parameters.one(name)
  if (text === undefined) return undefined
  // A plus that is not escaped in the query arrives as a space.
  const [, day, time = '00:00', offset = 'Z'] =
    DATE_TIME.exec(text.replace(/ (?=\d\d:?\d\d$)(?<=:\d\d )/, '+')) ?? []
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  const at = Date.parse(`${day}T${time}${sign ? `${sign}${hours}:${minutes}` : 'Z'}`)
  if (Number.isNaN(at)) parameters.refuse(name, 'This value is not a valid datetime.')
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
