/** Matches text that is not blank, without control characters and lone surrogates, which databases refuse. */
export const ONE_LINE = '^(?=\\s*\\S)[^\\p{Cc}\\p{Cs}]*$'

/** Like ONE_LINE, but with line breaks and tabs. */
export const MULTILINE = '^(?=\\s*\\S)(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$'

/** Bidi embeddings, overrides and isolates. In a name, they would reverse the text after the name. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

export const withoutBidiControls = (text: string): string => text.replace(BIDI_CONTROLS, '')

/** Schema members for these codes. The pattern is for tools that do not support the format. */
export const COUNTRY = { format: 'country', pattern: '^[A-Z]{2}$' } as const
export const CURRENCY = { format: 'currency', pattern: '^[A-Z]{3}$' } as const

/** A URL without spaces, control characters or other characters that must be encoded. */
export const HTTPS = '^https://[A-Za-z0-9](?:[A-Za-z0-9.:-]*)(?:[/?#][!#-;=?-Z\\[\\]_a-z~]*)?$'

const TEXT_RULE =
  'This must have a character other than a space, and no control characters or lone surrogates.'

const RULES: Record<string, string> = {
  [COUNTRY.pattern]: 'This must be two capital letters (ISO 3166), such as NL.',
  [CURRENCY.pattern]: 'This must be three capital letters (ISO 4217), such as EUR.',
  [HTTPS]: 'This must be a web address that begins with https://.',
}

/** Sets the message for values that do not match a feature's own pattern. */
export function describePattern(pattern: string, message: string): void {
  RULES[pattern] = message
}

/** The error message for a value that does not match the pattern. */
export function ruleOfPattern(pattern: string): string {
  return RULES[pattern] ?? TEXT_RULE
}

/** Equivalent patterns for the API description, because RE2 has no look-ahead and some tools have no \p. */
export const PORTABLE_PATTERNS: Record<string, { pattern: string; description: string }> = {
  [ONE_LINE]: {
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
    description: 'At least one character is not a space. No control characters or lone surrogates.',
  },
  [MULTILINE]: {
    pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$',
    description:
      'At least one character is not a space. No lone surrogates, and no control characters except line ' +
      'breaks and tabs.',
  },
}

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/**
 * An e-mail address. Accepts the part of RFC 5321 that common validators accept. Excludes quoted names,
 * domains without a dot, and IP addresses. The last label of the domain must begin with a letter.
 */
export const EMAIL = `^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$`

export function isSameEmail(stored: string | undefined, email: string): boolean {
  return stored?.toLowerCase() === email.toLowerCase()
}

/** The maximum length of a text that is cleaned. No address is longer. */
const MAX_TYPED = 1_000

/** Cleans an address that a person typed: removes spaces, mailto:, and the name before <kim@doe.example>. */
export function cleanEmail(typed: string): string {
  if (typed.length > MAX_TYPED) return typed
  const inBrackets = /<([^<>]*)>$/.exec(typed)?.[1]
  // Removes spaces and formatting characters, which are invisible.
  const bare = (inBrackets ?? typed).normalize('NFKC').replace(/[\s\p{Cf}]+/gu, '')
  return bare.replace(/^mailto:/i, '').replace(/[.,;]$/, '')
}

/** Whether a person typed more than one address. */
export const hasTwoEmails = (typed: string): boolean => typed.split(/[@＠]/).length > 2

const ERASED = '(erased)'

/** Matches an e-mail address in text. Ignores case, and skips longer addresses that contain this one. */
export interface EmailMatcher {
  /** @param value any JSON value */
  occursIn(value: unknown): boolean
  eraseIn<Value>(value: Value): Value
}

export function createEmailMatcher(email: string): EmailMatcher {
  const source = String.raw`(?<![\p{L}\p{N}_.%+-])${email.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}])`
  const pattern = new RegExp(source, 'giu')
  const folded = email.toLowerCase()
  const eraseIn = <Value>(value: Value): Value => {
    if (typeof value === 'string')
      return (value.toLowerCase().includes(folded) ? value.replace(pattern, ERASED) : value) as Value
    if (Array.isArray(value)) return value.map(eraseIn) as Value
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, eraseIn(part)])) as Value
  }
  return {
    occursIn: (value) => JSON.stringify(eraseIn(value)) !== JSON.stringify(value),
    eraseIn,
  }
}
