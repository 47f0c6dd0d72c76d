import { ApiError } from '../../errors.ts'
import { toMeters } from './miles.ts'
import type { QueryParameters } from './query-parameters.ts'

// Values of the query of an old client, each made ours. A parameter that cannot be used is refused by name.

const SIZES = new Map(['xlarge', 'extra-large', 'extra large'].map((name) => [name, 'extra_large']))
const VALUES = {
  size: ['small', 'medium', 'large', 'extra_large'],
  gender: ['male', 'female', 'unknown'],
  age: ['baby', 'young', 'adult', 'senior'],
  coat: ['short', 'medium', 'long', 'wire', 'hairless', 'curly'],
} as const

/** Of one page; the contract of these clients has no more. */
const [MOST_LIMIT, MOST_PAGE] = [100, 1_000_000]
const [FIRST_MILES, MOST_MILES] = [100, 500]

const UNKNOWN_PLACE = 'Could not determine location.'

export function pageOf(parameters: QueryParameters): { page: number; limit: number } {
  return {
    page: parameters.whole('page', 1, MOST_PAGE) ?? 1,
    limit: parameters.whole('limit', 1, MOST_LIMIT) ?? 20,
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
  const distance = parameters.whole('distance', 1, MOST_MILES)
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
