import { hash } from 'node:crypto'
import type { ApiError, ErrorDetail } from '../../../errors.ts'
import { type FormBody, normalizeText, readField } from '../../../http/form-body.ts'
import { type Html, html } from '../../../http/html.ts'
import { wholeNumberOf } from '../../../http/int64.ts'
import { findCountryCode } from '../../../http/iso-codes.ts'
import { KILOGRAM_GRAMS, POUND_GRAMS, parseAmount, parseWeight } from '../../../transfer/word-lists.ts'
import { fractionDigitsOf } from '../formats.ts'
import { checkField, longTextField, type Problem, selectField, type TextField, textField } from '../forms.ts'
import type { Texts } from '../texts/texts.ts'
import type { Choice } from './choices.ts'

// The fields of the forms for animals and organizations. Each field shows a stored value, reads a typed text,
// and explains a refused text. `animals/form.ts` and `organization/organization.ts` list the fields.

type Words = Texts['console']
type Json = Record<string, unknown>

interface KindRules {
  /** Converts a stored value to text. Default: `String`. @param parent the object that contains the value */
  show?(value: unknown, parent: Json): string
  /**
   * Converts a typed text to a value. Default: the text itself. A text that cannot be parsed stays a text,
   * and the schema refuses it.
   * @param sibling returns the text of another field of the same member, by the last part of that field's
   * name
   * @param part the last part of the name of this field
   */
  read?(text: string, sibling: (part: string) => string | undefined, part: string): unknown
  /** The name of the message for a value that the schema refuses. */
  problem: Exclude<keyof Words['animal']['fields']['problems'], 'tooLong'>
}

const KINDS = {
  line: { problem: 'line' },
  text: { problem: 'line' },
  choice: { problem: 'choice' },
  idChoice: { read: readId, problem: 'choice' },
  yesOrNo: { show: (value) => (value ? 'yes' : 'no'), read: readYesOrNo, problem: 'choice' },
  check: { show: (value) => (value ? 'yes' : ''), read: readYesOrNo, problem: 'choice' },
  date: { problem: 'date' },
  list: { show: joinWith(', '), read: (text) => split(text, /,|\n/), problem: 'list' },
  lines: { show: joinWith('\n'), read: (text) => split(text, /\n/).map(readWebAddress), problem: 'videos' },
  ids: { show: joinWith(', '), read: (text) => split(text, /[\s,]+/).map(readId), problem: 'bond' },
  number: { read: readNumber, problem: 'number' },
  weight: {
    show: (grams, { place }) =>
      (place as { country?: string } | undefined)?.country === 'US'
        ? `${Number((Number(grams) / POUND_GRAMS).toPrecision(3))} lb`
        : `${Number(grams) / KILOGRAM_GRAMS} kg`,
    read: (text) => parseWeight(text, KILOGRAM_GRAMS) ?? text,
    problem: 'number',
  },
  money: {
    show(amount, { currency }) {
      const digits = fractionDigitsOf(currency as string | undefined)
      return (Number(amount) / 10 ** digits).toFixed(digits)
    },
    read: (text, sibling) =>
      parseAmount(text, 10 ** fractionDigitsOf(sibling('currency')?.toUpperCase())) ?? text,
    problem: 'number',
  },
  country: { read: (text) => findCountryCode(text) ?? text, problem: 'country' },
  currency: { read: (text) => text.toUpperCase(), problem: 'currency' },
  email: { problem: 'email' },
  web: { read: readWebAddress, problem: 'web' },
  account: { read: (text, _sibling, network) => readAccount(network, text), problem: 'account' },
  hours: { read: readHours, problem: 'line' },
  age: { problem: 'typedAge' },
} satisfies Record<string, KindRules>

function readId(text: string): number | string {
  return wholeNumberOf(text) ?? text
}

function readYesOrNo(text: string): boolean | string {
  return text === 'yes' ? true : text === 'no' ? false : text
}

/** Reads a number with a decimal point or comma. */
function readNumber(text: string): number | string {
  return /^-?\d{1,12}(?:[.,]\d{1,12})?$/.test(text) ? Number(text.replace(',', '.')) : text
}

function split(text: string, separator: RegExp): string[] {
  const parts = text.split(separator).map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

function joinWith(separator: string) {
  return (values: unknown): string => (values as unknown[]).join(separator)
}

export interface FormField {
  /** The path of the value in the patch, such as `breed.primary`. */
  name: string
  kind: keyof typeof KINDS
  /** The class of a field that is as wide as the form: always, or on a phone. */
  width?: 'wide' | 'long'
}

type Kind = FormField['kind']

export const field = (name: string, kind: Kind = 'line'): FormField => ({ name, kind })
export const wide = (name: string, kind: Kind = 'line'): FormField => ({ name, kind, width: 'wide' })
/** A field with long values, which half of a phone would cut off. */
export const long = (name: string, kind: Kind = 'line'): FormField => ({ name, kind, width: 'long' })

/** The texts of a form, by field name. */
export type Values = Record<string, string>

/**
 * Reads the fields of a sent form. A missing field is absent from the result, but an unchecked box is empty.
 */
export function readValues(form: FormBody, fields: readonly FormField[]): Values {
  const values: Values = {}
  for (const { name, kind } of fields) {
    if (form.has(name)) values[name] = readField(form, name)
    else if (kind === 'check') values[name] = ''
  }
  return values
}

/** Converts a stored animal or organization to the texts of the fields. */
export function valuesOf(stored: object, fields: readonly FormField[]): Values {
  return Object.fromEntries(
    fields.map(({ name, kind }) => [name, normalizeText(textOf(stored as Json, name, kind))]),
  )
}

function textOf(stored: Json, name: string, kind: Kind): string {
  const [member = '', part] = name.split('.')
  const parent = part === undefined ? stored : ((stored[member] ?? {}) as Json)
  const value = parent[part ?? member]
  const { show = String }: KindRules = KINDS[kind]
  return value === undefined ? '' : show(value, parent)
}

/** The names of the fields whose text differs from the stored one. */
export function changedFields(values: Values, now: Values): Set<string> {
  return new Set(Object.keys(values).filter((name) => values[name] !== (now[name] ?? '')))
}

/** The JSON merge patch (RFC 7396) for some fields. An empty field removes its value. */
export function patchOf(values: Values, names: ReadonlySet<string>, fields: readonly FormField[]): Json {
  const patch: Json = {}
  for (const { name, kind } of fields) {
    if (!names.has(name)) continue
    const [member = '', part] = name.split('.')
    const value = readValue(values, name, kind)
    if (part === undefined) patch[member] = value
    else patch[member] = { ...(patch[member] as Json | undefined), [part]: value }
  }
  return patch
}

function readValue(values: Values, name: string, kind: Kind): unknown {
  const text = values[name] ?? ''
  const { read = String }: KindRules = KINDS[kind]
  const sibling = (part: string) => values[name.replace(/[^.]+$/, part)]
  return text === '' ? null : read(text, sibling, name.split('.').at(-1) ?? '')
}

const MARK_LENGTH = 5

const markOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, MARK_LENGTH)

/**
 * A short hash of each text that a form shows. The form sends the hashes back, so the service knows which
 * fields were edited.
 */
export function marksOf(values: Values, fields: readonly FormField[]): string {
  return fields.map(({ name }) => markOf(values[name] ?? '')).join('')
}

/**
 * The edited texts, which differ from their hashes. If the hashes do not belong to this form, all texts count
 * as edited.
 */
export function typedIn(values: Values, marks: string, fields: readonly FormField[]): Values {
  const hasAllMarks = marks.length === fields.length * MARK_LENGTH
  const typed: Values = {}
  for (const [index, { name }] of fields.entries()) {
    const text = values[name]
    const mark = marks.slice(index * MARK_LENGTH, (index + 1) * MARK_LENGTH)
    if (text !== undefined && !(hasAllMarks && markOf(text) === mark)) typed[name] = text
  }
  return typed
}

interface Schema {
  maxLength?: number
  enum?: unknown[]
  properties?: Record<string, Schema>
}

/** The schema of a field's value. @param members the schemas of the members of the patch */
export function schemaIn(members: Record<string, object>, name: string): Schema {
  const [member = '', part] = name.split('.')
  const schema: Schema = members[member] ?? {}
  return (part === undefined ? schema : schema.properties?.[part]) ?? {}
}

/** The name for problems that belong to no field. The form itself has the id `field-form`. */
export const NON_FIELD = 'form'

interface FormWords {
  fields: readonly FormField[]
  labels: Record<string, string>
  maxLengthOf?(name: string): number | undefined
  /** Returns a message that replaces the message for the kind of the field. */
  messageOf?(name: string, code: ErrorDetail['code']): string | undefined
}

/** The problems of a refused patch, each with the field of the form. */
export function problemsOf(
  { code, details = [] }: Pick<ApiError, 'code' | 'details'>,
  words: Words,
  form: FormWords,
): Problem[] {
  if (details.length === 0) return [{ field: NON_FIELD, message: words.errors[code] ?? words.otherError }]
  const problems = new Map<string, Problem>()
  for (const detail of details) {
    const problem = problemOf(detail, words, form)
    // Reports one problem per field, even if three tags are too long.
    if (!problems.has(problem.field)) problems.set(problem.field, problem)
  }
  return [...problems.values()]
}

function problemOf({ pointer = '', code }: ErrorDetail, words: Words, form: FormWords): Problem {
  const path = pointer.slice(1).replaceAll('/', '.')
  const found = form.fields.find(({ name }) => path === name || path.startsWith(`${name}.`))
  if (!found) return { field: NON_FIELD, message: words.otherError }
  const { name, kind } = found
  const { problems } = words.animal.fields
  const label = form.labels[name] ?? name
  const maxLength = form.maxLengthOf?.(name)
  if (code === 'missing') return { field: name, message: problems.missing(label) }
  if (code === 'too_long' && maxLength !== undefined)
    return { field: name, message: problems.tooLong(label, maxLength) }
  return { field: name, message: form.messageOf?.(name, code) ?? problems[KINDS[kind].problem](label) }
}

/** Attributes of short fields. A number gets no numeric keypad, because on phones it has no minus sign. */
const INPUTS: Partial<Record<Kind, Partial<TextField>>> = {
  date: { type: 'date' },
  money: { inputMode: 'decimal' },
  email: { type: 'email' },
}

interface ControlOptions {
  /** The rows of a long text. */
  rows: number
  choices: readonly Choice[]
}

/** The control for a kind of field. */
export function controlOf(kind: Kind, field: TextField, { rows, choices }: ControlOptions): Html {
  if (kind === 'choice' || kind === 'idChoice' || kind === 'yesOrNo')
    return selectField({ ...field, choices })
  if (kind === 'check') return checkField(field)
  if (kind === 'text') return longTextField({ ...field, rows })
  if (kind === 'lines') return longTextField({ ...field, rows: 2 })
  return kind === 'currency' ? currencyField(field) : textField({ ...field, ...INPUTS[kind] })
}

/** A control that is as wide as its field. */
export const widen = ({ width }: FormField, control: Html): Html =>
  width ? html`<div class="${width}">${control}</div>` : control

/** The currencies of most shelters. A list of all would add 7 kB to the page. */
const COMMON_CURRENCIES = ['USD', 'CAD', 'MXN', 'EUR', 'GBP']

/** A field for the code of a currency, with suggestions. A page may have it only once. */
export function currencyField(field: TextField): Html {
  const options = COMMON_CURRENCIES.map((code) => html`<option value="${code}">`)
  return html`${textField({ ...field, list: 'currencies' })}<datalist id="currencies">${options}</datalist>`
}

// Reads web addresses, social accounts and opening hours as people type them. Other texts stay unchanged.

/** Adds https:// to `example.org` and `www.example.org/pets`. */
export function readWebAddress(text: string): string {
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[/?#:]\S*)?$/u.test(text) ? asciiAddress(text) : text
}

/** Browsers show names with accents, but a stored address has ASCII letters only. */
function asciiAddress(text: string): string {
  const address = `https://${text}`
  const isPlain = /^[!-~]*$/.test(text)
  return !isPlain && URL.canParse(address) ? new URL(address).href : address
}

/** The page of an account, by network. */
const ACCOUNT_PAGES: Record<string, (account: string) => string> = {
  facebook: (account) => `www.facebook.com/${account}`,
  instagram: (account) => `www.instagram.com/${account}`,
  tiktok: (account) => `www.tiktok.com/@${account}`,
  x: (account) => `x.com/${account}`,
  youtube: (account) => `www.youtube.com/@${account}`,
  bluesky: (account) => `bsky.app/profile/${account.includes('.') ? account : `${account}.bsky.social`}`,
  linkedin: (account) => `www.linkedin.com/company/${account}`,
}

/** Reads `@name` or `name` as the page of an account. A Mastodon account also has a server: `@name@server`. */
function readAccount(network: string, text: string): string {
  const [, account = '', server] = /^@?([\w-][\w.-]*)(?:@([\w-]+(?:\.[\w-]+)+))?$/.exec(text) ?? []
  if (network === 'mastodon') return server ? `https://${server}/@${account}` : readWebAddress(text)
  const page = server === undefined ? ACCOUNT_PAGES[network] : undefined
  return account !== '' && page ? `https://${page(account)}` : readWebAddress(text)
}

const TIME = String.raw`(\d{1,2})(?:(?:[:.]|\s?h\s?)([0-5]\d)?)?\s*([ap])?\.?\s?(?:m\b)?\.?`
const RANGE = new RegExp(`^${TIME}\\s*(?:-|–|—|to|until|a|hasta)\\s*${TIME}$`, 'i')
/** No shelter opens earlier, so `1-5` means the afternoon. */
const EARLIEST_HOUR = 7

/**
 * Reads opening hours such as `10-4`, `9am to 5:30pm` and `10:00-12:00, 14:00-18:00`.
 * @returns `10:00-16:00`, or the text itself, such as `by appointment`
 */
function readHours(text: string): string {
  const ranges = text.split(/\s*(?:[,;&]|\band\b|\by\b)\s*/i).map(readRange)
  return ranges.every((range) => range !== undefined) ? ranges.join(', ') : text
}

function readRange(text: string): string | undefined {
  const [, ...parts] = RANGE.exec(text.trim().replace(/\s?(?:hrs?|horas?)\.?$/i, '')) ?? []
  if (parts.length === 0) return undefined
  const [fromHour, fromMinute = '00', fromHalf, toHour, toMinute = '00', toHalf] = parts
  let from = hourOf(fromHour, fromHalf)
  let to = hourOf(toHour, toHalf)
  const isWritten24 = [fromHour, toHour].some((hour) => hour?.startsWith('0') || Number(hour) > 12)
  if (fromHalf === undefined && from < EARLIEST_HOUR && !isWritten24) from += 12
  if (toHalf === undefined && to <= from && to <= 12 && !isWritten24) to += 12
  if (to === 0) to = 24
  const [start, end] = [`${pad(from)}:${fromMinute}`, `${pad(to)}:${toMinute}`]
  return from < 24 && end <= '24:00' && start < end ? `${start}-${end}` : undefined
}

const pad = (hour: number): string => String(hour).padStart(2, '0')

function hourOf(hour: string | undefined, half: string | undefined): number {
  if (half === undefined) return Number(hour)
  // 12 am is midnight, and 12 pm is noon.
  return (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}
