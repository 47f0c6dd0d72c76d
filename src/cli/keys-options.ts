import { InvalidArgumentError } from 'commander'
import { isKeyName, MAX_NAME } from '../keys/make.ts'

// What the options of the keys commands take.

export function name(text: string): string {
  if (!isKeyName(text)) throw new InvalidArgumentError(`It must have 1 to ${MAX_NAME} printable characters.`)
  return text
}

export function count(text: string): number {
  const value = Number(text)
  if (!/^\d{1,10}$/.test(text) || value < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.')
  return value
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** @returns milliseconds */
export function time(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (!digits || !unit)
    throw new InvalidArgumentError('It must be a number and a unit, such as 24h (s, m, h or d).')
  return Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]
}
