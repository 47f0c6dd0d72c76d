import { readFileSync, writeFileSync } from 'node:fs'
import { SETTINGS } from '../config.ts'
import { ERRORS, type ErrorDetail } from '../errors.ts'

/** What each code of a detail means; the type makes sure that none is missing. */
const DETAIL_CODES: Record<ErrorDetail['code'], string> = {
  missing: 'A required member is not there.',
  invalid_type: 'The value has another type; nothing is converted: `"1"` is no number.',
  invalid_value: 'The type fits, the value does not.',
  out_of_range: 'The number is too small or too large.',
  too_long: 'The text has too many characters.',
  unknown_organization: 'There is no organization with this id.',
  unknown_category: 'No category has this id.',
}

/** The whole of docs/errors.md. */
function renderErrors(): string {
  const rows = Object.entries(ERRORS).map(([code, [status, meaning]]) => [
    `\`${code}\``,
    `${status}`,
    meaning,
  ])
  const details = Object.entries(DETAIL_CODES).map(([code, meaning]) => [`\`${code}\``, meaning])
  return `# Errors

Every error is a JSON object with \`code\`, \`message\` and \`status\`, which repeats the HTTP status. Decide by \`code\`: it
never changes for a condition. The message is for a person and may change.

${table(['Code', 'Status', 'Meaning'], rows)}
## Details

A 400 may have a fourth member, \`details\`: an array with an object for each problem. It names the place, as \`pointer\`
(a member of the body, RFC 6901) or \`parameter\` (of the query), and has a \`code\` and a \`message\`:

${table(['Code', 'Meaning'], details)}`
}

/** docs/using.md with its table of operations renewed, from the description. */
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
  return renew(using, 'operations', table(['Request', 'Does', 'Access', 'Stability'], rows))
}

interface Operation {
  summary: string
  deprecated?: boolean
  'x-access': string
  'x-stability'?: string
}

/** docs/operating.md with its table of settings renewed. */
function renderSettings(operating: string): string {
  const rows = Object.entries(SETTINGS).map(([name, { default: fallback, meaning }]) => [
    `\`${name}\``,
    fallback === '' ? 'empty' : `\`${fallback}\``,
    meaning,
  ])
  return renew(operating, 'settings', table(['Setting', 'Default', 'Meaning'], rows))
}

/** Puts a text between the marks of its name. */
function renew(document: string, name: string, text: string): string {
  const part = new RegExp(`(?<=<!-- ${name} -->\n).*(?=<!-- /${name} -->)`, 's')
  if (!part.test(document)) throw new Error(`a document lacks the marks of its ${name}`)
  return document.replace(part, () => `\n${text}\n`)
}

/** The whole of .env.example. */
function renderEnvironment(): string {
  const settings = Object.entries(SETTINGS).map(
    ([name, { default: fallback, meaning }]) => `\n# ${meaning}\n#${name}=${fallback}\n`,
  )
  return `# The settings of adoptable, each with its default. All are optional. In a copy named .env, remove the # before
# those to change, then start; what the environment says wins over the file.
${settings.join('')}`
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`)
  return lines.join('').replaceAll('<', '&lt;')
}

/** The documents that follow from a list in the source: how each should read, given how it reads now. */
export const DOCUMENTS: Record<string, (now: string) => string> = {
  'docs/errors.md': renderErrors,
  'docs/operating.md': renderSettings,
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
