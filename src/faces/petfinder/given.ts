import { ApiError, type ErrorDetail } from '../../errors.ts'

// What a client of this face gives in the query, as leniently as such clients need: a list by commas,
// repeated, or with [] behind its name; what is empty counts as absent, and what nobody knows is ignored.

/** Of one value: a place is the longest that anybody has to give. */
const MOST_CHARACTERS = 200
/** Of one list; a search has bounds of its own. */
const MOST_VALUES = 64

export class Given {
  readonly #values: URLSearchParams
  readonly #problems: ErrorDetail[] = []

  constructor(url: string) {
    const at = url.indexOf('?')
    this.#values = new URLSearchParams(at < 0 ? '' : url.slice(at))
  }

  /** The last one, where it is repeated. */
  one(name: string): string | undefined {
    const value = this.#all(name).at(-1)?.trim()
    if (value !== undefined && value.length > MOST_CHARACTERS)
      this.refuse(name, `This value is too long. It should have ${MOST_CHARACTERS} characters or less.`)
    return value === '' ? undefined : value?.slice(0, MOST_CHARACTERS)
  }

  /** @param known whole values that have commas in them, in lower case */
  list(name: string, known: ReadonlySet<string> = new Set()): string[] | undefined {
    const values = this.#all(name).flatMap((value) =>
      known.has(value.toLowerCase()) ? [value] : split(value),
    )
    const given = [...new Set(values.map((value) => value.trim()).filter(Boolean))]
    if (given.length > MOST_VALUES) this.refuse(name, `Give at most ${MOST_VALUES} values.`)
    return given.length > 0 ? given.slice(0, MOST_VALUES) : undefined
  }

  whole(name: string, least: number, most: number): number | undefined {
    const text = this.one(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (!/^[+-]?\d{1,15}(?:\.0+)?$/.test(text)) this.refuse(name, 'This value should be a valid number.')
    else if (value < least) this.refuse(name, `This value should be ${least} or more.`)
    else if (value > most) this.refuse(name, `This value should be ${most} or less.`)
    else return value
    return undefined
  }

  /** Tells of a value that cannot be used. */
  refuse(parameter: string, message: string): void {
    if (!this.#problems.some((problem) => problem.parameter === parameter))
      this.#problems.push({ parameter, code: 'invalid_value', message })
  }

  /** @throws {ApiError} invalid_parameter with all that was refused */
  require(): void {
    if (this.#problems.length > 0) throw new ApiError('invalid_parameter', { details: this.#problems })
  }

  /** As the links of pages repeat it: sorted by name, and without the page. */
  kept(): string {
    const pairs = [...this.#values].filter(([name, value]) => name !== 'page' && name !== '' && value !== '')
    pairs.sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
    // Clients knew commas, colons and slashes as they are.
    const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    return text.join('&').replace(/%(?:2C|3A|2F|40)/g, decodeURIComponent)
  }

  #all(name: string): string[] {
    const values = this.#values
    return [...values.getAll(name), ...values.getAll(`${name}[]`), ...values.getAll(`${name}[0]`)]
  }
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
