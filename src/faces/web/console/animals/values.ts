import { hash } from 'node:crypto'
import type { FormBody } from '../../../../http/form-body.ts'
import type { Pet } from '../../../../pets/schema.ts'
import { FORM_FIELDS, type Kind } from './fields.ts'

// Between an animal and the texts of a form.

/** The text in each field of a form, by the field's name. */
export type Values = Record<string, string>

type Json = Record<string, unknown>

/** What was sent of the fields; one that is not there says nothing, but for a box that is not checked. */
export function valuesIn(form: FormBody, fields = FORM_FIELDS): Values {
  const values: Values = {}
  for (const { name, kind } of fields) {
    if (form.has(name)) values[name] = plain(form.get(name) ?? '')
    else if (kind === 'check') values[name] = ''
  }
  return values
}

/** As two texts are compared: a browser sends every line end as two characters. */
const plain = (text: string): string => text.replace(/\r\n?/g, '\n').trim()

/** An animal, or what else has fields, as a form shows it. */
export function valuesOf(pet: Partial<Pet>, fields = FORM_FIELDS): Values {
  return Object.fromEntries(
    fields.map(({ name, kind }) => [name, plain(toText(kind, valueAt(pet, name), pet))]),
  )
}

function valueAt(pet: object, name: string): unknown {
  const [member = '', part] = name.split('.')
  const value = (pet as Json)[member]
  return part === undefined ? value : (value as Json | undefined)?.[part]
}

function toText(kind: Kind, value: unknown, { fee }: Partial<Pet>): string {
  if (value === undefined) return ''
  if (kind === 'yesOrNo') return value ? 'yes' : 'no'
  if (kind === 'check') return value ? 'yes' : ''
  if (kind === 'list' || kind === 'ids') return (value as unknown[]).join(', ')
  if (kind === 'lines') return (value as unknown[]).join('\n')
  if (kind === 'kilograms') return String(Number(value) / GRAMS)
  if (kind === 'money') return (Number(value) / unitOf(fee?.currency)).toFixed(digitsOf(fee?.currency))
  return String(value)
}

const GRAMS = 1_000

/** Digits behind the point, of a currency that there is. */
function digitsOf(currency: string | undefined): number {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency ?? '' })
    return format.resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

const unitOf = (currency: string | undefined): number => 10 ** digitsOf(currency)

/** Undefined for an empty field. What cannot be read stays text, and is refused as what it is not. */
function toValue(kind: Kind, text: string, values: Values): unknown {
  if (text === '') return undefined
  if (kind === 'yesOrNo' || kind === 'check') return text === 'yes' ? true : text === 'no' ? false : text
  if (kind === 'list') return partsOf(text, /,|\n/)
  if (kind === 'lines') return partsOf(text, /\n/)
  if (kind === 'ids')
    return partsOf(text, /[\s,]+/).map((one) => (/^\d{1,15}$/.test(one) ? Number(one) : one))
  if (kind === 'code') return text.toUpperCase()
  if (kind === 'number') return numberIn(text)
  if (kind === 'kilograms') return scaled(numberIn(text), GRAMS)
  if (kind === 'money') return scaled(numberIn(text), unitOf(values['fee.currency']?.toUpperCase()))
  return text
}

const partsOf = (text: string, between: RegExp): string[] =>
  text
    .split(between)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** With a point or a comma before the fraction; a text that is none stays one. */
function numberIn(text: string): number | string {
  return /^-?\d{1,12}(?:[.,]\d{1,12})?$/.test(text) ? Number(text.replace(',', '.')) : text
}

function scaled(value: number | string, unit: number): unknown {
  return typeof value === 'number' ? Number((value * unit).toFixed(3)) : value
}

/** Ids are sent as numbers, though a form chooses them from a list. */
const NUMBERED = new Set(['categoryId', 'organizationId'])

function read(name: string, kind: Kind, values: Values): unknown {
  const text = values[name] ?? ''
  const value = toValue(kind, text, values)
  return NUMBERED.has(name) && /^\d{1,15}$/.test(text) ? Number(text) : value
}

/** The animal that a form describes, as the contract has it. */
export function newPetOf(values: Values): Json {
  const pet: Json = {}
  for (const { name, kind } of FORM_FIELDS) {
    const value = read(name, kind, values)
    if (value !== undefined) put(pet, name, value)
  }
  return withoutLoose(pet)
}

/** What of a form says nothing by itself: a currency without a fee, and what goes with a birth date alone. */
function withoutLoose(pet: Json): Json {
  const { fee, birthDate, birthDateExact, age, ...others } = pet
  const { amount } = (fee ?? {}) as Json
  return {
    ...others,
    ...(amount !== undefined && { fee }),
    ...(birthDate === undefined ? age !== undefined && { age } : { birthDate }),
    ...(birthDate !== undefined && birthDateExact !== undefined && { birthDateExact }),
  }
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

/** The fields that go together: a fee is one thing in two fields. */
const TOGETHER = ['fee.amount', 'fee.currency']

/** What a form changes of an animal (RFC 7396): fields that were touched, and hold something else now. */
export function patchOf(
  values: Values,
  touched: ReadonlySet<string>,
  now: Values,
  fields = FORM_FIELDS,
): Json {
  const changed = new Set([...touched].filter((name) => values[name] !== now[name]))
  if (TOGETHER.some((name) => changed.has(name))) for (const name of TOGETHER) changed.add(name)
  const patch: Json = {}
  for (const { name, kind } of fields)
    if (changed.has(name)) put(patch, name, read(name, kind, values) ?? null)
  if (changed.has('fee.amount') && values['fee.amount'] === '') patch.fee = null
  if (values.birthDate === '') delete patch.birthDateExact
  return patch
}

const MARK_CHARACTERS = 5

const markOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, MARK_CHARACTERS)

/** What a form remembers of the animal that it showed, in few characters: so it knows what is touched. */
export function marksOf(values: Values, fields = FORM_FIELDS): string {
  return fields.map(({ name }) => markOf(values[name] ?? '')).join('')
}

/** The fields whose text is another one than was shown. Without marks that fit, all of them. */
export function touchedIn(values: Values, marks: string, fields = FORM_FIELDS): Set<string> {
  const isWhole = marks.length === fields.length * MARK_CHARACTERS
  const touched = fields.filter(({ name }, index) => {
    const text = values[name]
    const shown = marks.slice(index * MARK_CHARACTERS, (index + 1) * MARK_CHARACTERS)
    return text !== undefined && !(isWhole && markOf(text) === shown)
  })
  return new Set(touched.map(({ name }) => name))
}
