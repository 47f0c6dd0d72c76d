import { readFileSync, writeFileSync } from 'node:fs'
import { SETTINGS } from '../config.ts'
import { ERRORS, type ErrorDetail } from '../errors.ts'
import { MAX_UNREAD_BYTES } from '../http/connections.ts'
import { DELIVERY_LIMITS, SHARE_LIMITS, type ShareLimits, type ShareName } from '../limits/shares.ts'
import { HEADINGS } from '../transfer/headings.ts'
import { STATUS_PHRASES } from '../transfer/statuses.ts'
import { KINDS, WORD_LISTS } from '../transfer/word-lists.ts'

/** The meaning of each detail code. */
const DETAIL_CODES: Record<ErrorDetail['code'], string> = {
  missing: 'A required member is missing.',
  invalid_type: 'The value has the wrong type. Types are not converted: `"1"` is not a number.',
  invalid_value: 'The type is right, but the value is not allowed.',
  out_of_range: 'The number is too small or too large.',
  too_long: 'The text has too many characters.',
  unknown_organization: 'No organization has this id.',
  unknown_category: 'No category has this id.',
}

/** Renders docs/errors.md. */
function renderErrors(): string {
  const rows = Object.entries(ERRORS).map(([code, [status, meaning]]) => [
    `\`${code}\``,
    `${status}`,
    meaning,
  ])
  const details = Object.entries(DETAIL_CODES).map(([code, meaning]) => [`\`${code}\``, meaning])
  return `# Errors

Every error is a JSON object with \`code\`, \`message\` and \`status\` (the HTTP status). Programs decide by
\`code\`: the same problem always has the same code. The message is for people and may change.

${table(['Code', 'Status', 'Meaning'], rows)}
## Details

A 400 can also have \`details\`: an array with an object for each problem, at most 20. Each object names the place, as
\`pointer\` (a member of the body, RFC 6901) or \`parameter\` (of the query), and has a \`message\` and one of these values
of \`code\`:

${table(['Code', 'Meaning'], details)}`
}

/** Updates the table of operations in docs/using.md from openapi.json. */
function renderOperations(using: string): string {
  const description = JSON.parse(readFileSync(new URL('openapi.json', ROOT), 'utf8'))
  const rows = Object.entries<Record<string, Operation>>(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `\`${method.toUpperCase()} ${path}\``,
      operation.summary,
      operation['x-access'],
      operation['x-stability'] ?? (operation.deprecated ? 'deprecated' : 'stable'),
    ]),
  )
  return replaceSection(using, 'operations', table(['Request', 'Does', 'Access', 'Stability'], rows))
}

interface Operation {
  summary: string
  deprecated?: boolean
  'x-access': string
  'x-stability'?: string
}

/** The name of each shared resource, in the order of the table. */
const RESOURCES: Record<ShareName, string> = {
  photoUploads: 'Photos being received',
  newPhotos: 'Received photos waiting to be decoded',
  photoSizes: 'Requested photo sizes that do not exist yet',
  importUploads: 'Import files being received',
  imports: 'Imports and import previews',
  reads: 'Requests that read, such as searches',
  streams: 'Open streams of events',
  signIns: 'Sign-ins',
}

/** Updates the tables of settings and shares in docs/operating.md. */
function renderOperating(operating: string): string {
  return replaceSection(renderSettings(operating), 'shares', table(SHARE_HEADINGS, shareRows()))
}

const SHARE_HEADINGS = ['At one time', 'In all', 'A caller over its share']

function shareRows(): string[][] {
  const rows = Object.entries(RESOURCES).map(([name, resource]) => {
    const { max, maxPerCaller, advice, maxWaitMs = 0 }: ShareLimits = SHARE_LIMITS[name as ShareName]
    const own = maxPerCaller === undefined ? '' : `, ${maxPerCaller} for each key or person`
    const over = advice ? 'gets 429' : `waits up to ${maxWaitMs / 1_000} s, then gets 503`
    return [resource, `${max.toLocaleString('en-US')}${own}`, over]
  })
  const { max, maxPerWebhook } = DELIVERY_LIMITS
  const unread = `${MAX_UNREAD_BYTES / 1_000_000} MB, counted by address only`
  return [
    ...rows,
    [
      'Deliveries being sent to webhooks',
      `${max}, ${maxPerWebhook} to each webhook`,
      'waits, without an error',
    ],
    [
      'Bytes of large responses that clients have not read',
      unread,
      'loses its connection with the most unread bytes',
    ],
  ]
}

function renderSettings(operating: string): string {
  const rows = Object.entries(SETTINGS).map(([name, { default: fallback, meaning }]) => [
    `\`${name}\``,
    fallback === '' ? 'empty' : `\`${fallback}\``,
    meaning,
  ])
  return replaceSection(operating, 'settings', table(['Setting', 'Default', 'Meaning'], rows))
}

/** The meanings of the parts of a status, in the order of the table. */
const STATUS_PARTS: Record<keyof typeof STATUS_PHRASES, string> = {
  available: '`available`',
  pending: '`pending`',
  alone: '`pending`, if the status has no other words',
  sold: '`sold` (adopted)',
  place: 'allowed together with the words of `available`, `pending` or `sold`',
  hold: 'allowed together with the words of `pending`',
}

/** Updates the lists of docs/import-words.md. */
function renderImportWords(importWords: string): string {
  const statuses = Object.entries(STATUS_PARTS).map(([part, meaning]): [string, string] => [
    meaning,
    STATUS_PHRASES[part as keyof typeof STATUS_PHRASES],
  ])
  const words = Object.entries(WORD_LISTS).flatMap(([list, meanings]) =>
    Object.entries<string>(meanings).map(([meaning, all]): [string, string] => [
      `${list}, \`${meaning}\``,
      all,
    ]),
  )
  const columns = HEADINGS.filter(([, headings]) => headings !== '').map(
    ([column, headings]): [string, string] => [`\`${column}\``, headings],
  )
  const lists = { statuses, words, columns, kinds: Object.entries(KINDS) }
  return Object.entries(lists).reduce(
    (document, [name, items]) => replaceSection(document, name, items.map(formatItem).join('')),
    importWords,
  )
}

const MAX_LINE = 120

/** An item of a list, in lines that are not too long. */
function formatItem([term, text]: [term: string, text: string]): string {
  const words = `- **${term}:** ${text}`.replaceAll('<', '&lt;').split(/\s+/)
  return words
    .reduce((lines, word) =>
      lines.length - lines.lastIndexOf('\n') + word.length > MAX_LINE
        ? `${lines}\n  ${word}`
        : `${lines} ${word}`,
    )
    .concat('\n')
}

/** Replaces the text between the comments `<!-- NAME -->` and `<!-- /NAME -->`. */
function replaceSection(document: string, name: string, text: string): string {
  const section = new RegExp(`(?<=<!-- ${name} -->\n).*(?=<!-- /${name} -->)`, 's')
  if (!section.test(document))
    throw new Error(`the document has no comments <!-- ${name} --> and <!-- /${name} -->`)
  return document.replace(section, () => `\n${text}\n`)
}

/** Renders .env.example. */
function renderEnvironment(): string {
  const settings = Object.entries(SETTINGS).map(
    ([name, { default: fallback, meaning }]) => `\n# ${meaning}\n#${name}=${fallback}\n`,
  )
  return `# All settings of adoptable with their defaults. Each is optional. Copy this file to .env, remove the # from the settings
# that you change, and start. The environment takes precedence over the file.
${settings.join('')}`
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`)
  return lines.join('').replaceAll('<', '&lt;')
}

/** The documents generated from the source. Each function gets the current text and returns the new text. */
export const DOCUMENTS: Record<string, (present: string) => string> = {
  'docs/errors.md': renderErrors,
  'docs/import-words.md': renderImportWords,
  'docs/operating.md': renderOperating,
  'docs/using.md': renderOperations,
  '.env.example': renderEnvironment,
}

export const ROOT = new URL('../../', import.meta.url)

if (import.meta.main) {
  for (const [name, render] of Object.entries(DOCUMENTS)) {
    const file = new URL(name, ROOT)
    writeFileSync(file, render(readFileSync(file, { encoding: 'utf8', flag: 'a+' })))
  }
}
