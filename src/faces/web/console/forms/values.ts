import { hash } from 'node:crypto'
import { type FormBody, textIn, typedText } from '../../../../http/form-body.ts'
import { amountOf, weightOf } from '../../../../transfer/amounts.ts'
import { KILOGRAM_GRAMS } from '../../../../transfer/words.ts'
import { digitsOf } from '../../currency.ts'
import { wholeNumberOf } from '../address.ts'
import type { FormField, Kind } from './fields.ts'

// Between what a form is about, as the contract has it, and the texts of its fields.

/** The text in each field of a form, by the field's name. */
export type Values = Record<string, string>

export type Json = Record<string, unknown>

/** What was sent of the fields; one that is not there says nothing, but for a box that is not checked. */
export function readValues(form: FormBody, fields: readonly FormField[]): Values {
  const values: Values = {}
  for (const { name, kind } of fields) {
    if (form.has(name)) values[name] = textIn(form, name)
    else if (kind === 'check') values[name] = ''
  }
  return values
}

/** What a form is about, as its fields show it. */
export function valuesOf(shown: object, fields: readonly FormField[]): Values {
  return Object.fromEntries(fields.map(({ name, kind }) => [name, typedText(toText(kind, name, shown))]))
}

function valueAt(shown: object, name: string): unknown {
  const [member = '', part] = name.split('.')
  const value = (shown as Json)[member]
  return part === undefined ? value : (value as Json | undefined)?.[part]
}

/** The field with the currency of an amount of money: the member beside it. */
const currencyOf = (name: string): string => `${name.split('.')[0]}.currency`

function toText(kind: Kind, name: string, shown: object): string {
  const value = valueAt(shown, name)
  if (value === undefined) return ''
  if (kind === 'yesOrNo') return value ? 'yes' : 'no'
  if (kind === 'check') return value ? 'yes' : ''
  if (kind === 'list' || kind === 'ids') return (value as unknown[]).join(', ')
  if (kind === 'lines') return (value as unknown[]).join('\n')
  if (kind === 'kilograms') return String(Number(value) / KILOGRAM_GRAMS)
  if (kind === 'money') {
    const digits = digitsOf(valueAt(shown, currencyOf(name)) as string | undefined)
    return (Number(value) / 10 ** digits).toFixed(digits)
  }
  return String(value)
}

/** Undefined for an empty field. What cannot be read stays text, and is refused as what it is not. */
function toValue(kind: Kind, name: string, values: Values): unknown {
  const text = values[name] ?? ''
  if (text === '') return undefined
  if (kind === 'yesOrNo' || kind === 'check') return text === 'yes' ? true : text === 'no' ? false : text
  if (kind === 'list') return partsOf(text, /,|\n/)
  if (kind === 'lines') return partsOf(text, /\n/)
  if (kind === 'idChoice') return toId(text)
  if (kind === 'ids') return partsOf(text, /[\s,]+/).map(toId)
  if (kind === 'country' || kind === 'currency') return text.toUpperCase()
  if (kind === 'number') return toNumber(text)
  if (kind === 'kilograms') return weightOf(text, KILOGRAM_GRAMS) ?? text
  if (kind === 'money') return amountOf(text, 10 ** digitsOf(values[currencyOf(name)]?.toUpperCase())) ?? text
  return text
}

const partsOf = (text: string, between: RegExp): string[] =>
  text
    .split(between)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** A text that is none stays one, and is refused. */
const toId = (text: string): number | string => wholeNumberOf(text) ?? text

/** With a point or a comma before the fraction; a text that is none stays one. */
function toNumber(text: string): number | string {
  return /^-?\d{1,12}(?:[.,]\d{1,12})?$/.test(text) ? Number(text.replace(',', '.')) : text
}

function put(into: Json, name: string, value: unknown): void {
  const [member = '', part] = name.split('.')
  if (part === undefined) {
    into[member] = value
    return
  }
  const inner = (into[member] ?? {}) as Json
  inner[part] = value
  into[member] = inner
}

/** What a form says, as the contract has it; an empty field says nothing. */
export function bodyOf(values: Values, fields: readonly FormField[]): Json {
  const body: Json = {}
  for (const { name, kind } of fields) {
    const value = toValue(kind, name, values)
    if (value !== undefined) put(body, name, value)
  }
  return body
}

/** The fields that were touched, and hold something else now. */
export function changedFields(values: Values, touched: ReadonlySet<string>, now: Values): Set<string> {
  return new Set([...touched].filter((name) => values[name] !== now[name]))
}

/** What a form changes (RFC 7396) by these fields; an empty one takes the value away. */
export function patchOf(values: Values, changed: ReadonlySet<string>, fields: readonly FormField[]): Json {
  const patch: Json = {}
  for (const { name, kind } of fields)
    if (changed.has(name)) put(patch, name, toValue(kind, name, values) ?? null)
  return patch
}

const MARK_CHARACTERS = 5

const markOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, MARK_CHARACTERS)

/** What a form remembers of what it showed, in few characters: so it knows what is touched. */
export function marksOf(values: Values, fields: readonly FormField[]): string {
  return fields.map(({ name }) => markOf(values[name] ?? '')).join('')
}

/** The fields whose text is another one than was shown. Without marks that fit, all of them. */
export function touchedFields(values: Values, marks: string, fields: readonly FormField[]): Set<string> {
  const isWhole = marks.length === fields.length * MARK_CHARACTERS
  const touched = fields.filter(({ name }, index) => {
    const text = values[name]
    const shown = marks.slice(index * MARK_CHARACTERS, (index + 1) * MARK_CHARACTERS)
    return text !== undefined && !(isWhole && markOf(text) === shown)
  })
  return new Set(touched.map(({ name }) => name))
}
