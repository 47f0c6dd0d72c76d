import { hash } from 'node:crypto'
import type { ApiError, ErrorDetail } from '../../../errors.ts'
import { type FormBody, textIn, typedText } from '../../../http/form-body.ts'
import { type Html, html } from '../../../http/html.ts'
import { CURRENCY_CODES, countryCodes } from '../../../http/iso-codes.ts'
import type { Language } from '../../../http/language.ts'
import { amountOf, weightOf } from '../../../transfer/amounts.ts'
import { KILOGRAM_GRAMS } from '../../../transfer/words.ts'
import { digitsOf } from '../currency.ts'
import { type Problem, type TextField, textField } from '../forms.ts'
import type { Texts } from '../texts/texts.ts'
import { wholeNumberOf } from './address.ts'

// The fields of the forms for an animal and for an organization: how a field shows what is stored, what it
// puts into the patch, and what it says if the patch is refused. The lists of fields are in `animals/form.ts`
// and `organization/form.ts`.

type Words = Texts['console']
type Json = Record<string, unknown>

interface KindRules {
  /** The text for a stored value; `String` when absent. @param parent the object that holds the value */
  show?(value: unknown, parent: Json): string
  /**
   * The value that a text means; the text itself when absent. A text without a meaning stays a text, and the
   * contract refuses it.
   *
   * @param sibling the text of the field beside it, by the last part of its name
   */
  read?(text: string, sibling: (part: string) => string | undefined): unknown
  /** The sentence for a value that the contract refuses. */
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
  lines: { show: joinWith('\n'), read: (text) => split(text, /\n/), problem: 'videos' },
  ids: { show: joinWith(', '), read: (text) => split(text, /[\s,]+/).map(readId), problem: 'bond' },
  number: { read: readNumber, problem: 'number' },
  kilograms: {
    show: (grams) => String(Number(grams) / KILOGRAM_GRAMS),
    read: (text) => weightOf(text, KILOGRAM_GRAMS) ?? text,
    problem: 'number',
  },
  money: {
    show(amount, { currency }) {
      const digits = digitsOf(currency as string | undefined)
      return (Number(amount) / 10 ** digits).toFixed(digits)
    },
    read: (text, sibling) => amountOf(text, 10 ** digitsOf(sibling('currency')?.toUpperCase())) ?? text,
    problem: 'number',
  },
  country: { read: (text) => text.toUpperCase(), problem: 'code' },
  currency: { read: (text) => text.toUpperCase(), problem: 'code' },
  email: { problem: 'email' },
  web: { problem: 'web' },
} satisfies Record<string, KindRules>

function readId(text: string): number | string {
  return wholeNumberOf(text) ?? text
}

function readYesOrNo(text: string): boolean | string {
  return text === 'yes' ? true : text === 'no' ? false : text
}

/** Reads a number with a point or a comma before the fraction. */
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
  /** Where its value is in the patch, with a dot before a member of a member. */
  name: string
  kind: keyof typeof KINDS
  /** Over the whole width of the form. */
  wide?: boolean
}

type Kind = FormField['kind']

export const field = (name: string, kind: Kind = 'line'): FormField => ({ name, kind })
export const wide = (name: string, kind: Kind = 'line'): FormField => ({ name, kind, wide: true })

/** The text in each field of a form, by the field's name. */
export type Values = Record<string, string>

/** What a form sent. A field that was not sent is absent, but a box that is not checked is empty. */
export function readValues(form: FormBody, fields: readonly FormField[]): Values {
  const values: Values = {}
  for (const { name, kind } of fields) {
    if (form.has(name)) values[name] = textIn(form, name)
    else if (kind === 'check') values[name] = ''
  }
  return values
}

/** What the fields show of a stored animal or organization. */
export function valuesOf(stored: object, fields: readonly FormField[]): Values {
  return Object.fromEntries(
    fields.map(({ name, kind }) => [name, typedText(shown(stored as Json, name, kind))]),
  )
}

function shown(stored: Json, name: string, kind: Kind): string {
  const [member = '', part] = name.split('.')
  const parent = part === undefined ? stored : ((stored[member] ?? {}) as Json)
  const value = parent[part ?? member]
  const { show = String }: KindRules = KINDS[kind]
  return value === undefined ? '' : show(value, parent)
}

/** The names of the fields whose text differs from what the form would show now. */
export function changedFields(values: Values, now: Values): Set<string> {
  return new Set(Object.keys(values).filter((name) => values[name] !== (now[name] ?? '')))
}

/** The patch (RFC 7396) that some fields of a form make. An empty field removes its value. */
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
  return text === '' ? null : read(text, (part) => values[name.replace(/[^.]+$/, part)])
}

const MARK_LENGTH = 5

const markOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, MARK_LENGTH)

/** A short hash of each text that a form shows. The form sends them back, so we know what somebody typed. */
export function marksOf(values: Values, fields: readonly FormField[]): string {
  return fields.map(({ name }) => markOf(values[name] ?? '')).join('')
}

/** The texts that differ from what the form showed; all texts if the marks do not fit the form. */
export function typedIn(values: Values, marks: string, fields: readonly FormField[]): Values {
  const isWhole = marks.length === fields.length * MARK_LENGTH
  const typed: Values = {}
  for (const [index, { name }] of fields.entries()) {
    const text = values[name]
    const mark = marks.slice(index * MARK_LENGTH, (index + 1) * MARK_LENGTH)
    if (text !== undefined && !(isWhole && markOf(text) === mark)) typed[name] = text
  }
  return typed
}

interface Schema {
  maxLength?: number
  enum?: unknown[]
  properties?: Record<string, Schema>
}

/** The contract's schema of a field's value. @param members the schema of each member of the patch */
export function schemaIn(members: Record<string, object>, name: string): Schema {
  const [member = '', part] = name.split('.')
  const schema: Schema = members[member] ?? {}
  return (part === undefined ? schema : schema.properties?.[part]) ?? {}
}

/** The field of a problem that no field has: the form itself has the id `field-form`. */
export const NON_FIELD = 'form'

interface FormWords {
  fields: readonly FormField[]
  labels: Record<string, string>
  maxLengthOf(name: string): number | undefined
  /** The sentence for a field, if the sentence of its kind does not fit. */
  messageOf?(name: string, code: ErrorDetail['code']): string | undefined
}

/** Why the contract refuses a patch, in words, at the fields that made it. */
export function problemsOf({ code, details = [] }: ApiError, words: Words, form: FormWords): Problem[] {
  if (details.length === 0) return [{ field: NON_FIELD, message: words.errors[code] ?? words.otherError }]
  const problems = new Map<string, Problem>()
  for (const detail of details) {
    const problem = problemOf(detail, words, form)
    // Three tags that are too long are one problem.
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
  const maxLength = form.maxLengthOf(name)
  if (code === 'missing') return { field: name, message: problems.missing(label) }
  if (code === 'too_long' && maxLength !== undefined)
    return { field: name, message: problems.tooLong(label, maxLength) }
  return { field: name, message: form.messageOf?.(name, code) ?? problems[KINDS[kind].problem](label) }
}

/** A field for a code, for which a browser offers the names. A page has at most one of each kind. */
export function codeField(of: 'country' | 'currency', language: Language, field: TextField): Html {
  return html`${textField({ ...field, list: of })}${codeList(of, language)}`
}

const codeLists = new Map<string, Html>()

function codeList(of: 'country' | 'currency', language: Language): Html {
  const key = `${of} ${language}`
  const list = codeLists.get(key) ?? newCodeList(of, language)
  codeLists.set(key, list)
  return list
}

/** Leaves out the end tags, which HTML does not require: there are hundreds of options. */
function newCodeList(of: 'country' | 'currency', language: Language): Html {
  const names = new Intl.DisplayNames(language, { type: of === 'country' ? 'region' : 'currency' })
  const { compare } = new Intl.Collator(language)
  const codes = of === 'country' ? countryCodes() : CURRENCY_CODES
  const named = codes.map((code) => [code, names.of(code) ?? code])
  const sorted = named.sort(([, one = ''], [, other = '']) => compare(one, other))
  return html`<datalist id="${of}">${sorted.map(([code, name]) => html`<option value="${code}">${name}`)}</datalist>`
}
