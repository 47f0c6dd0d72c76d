/** Something that is no space; no control character and no lone surrogate, which stores would change. */
export const ONE_LINE = '^(?=\\s*\\S)[^\\p{Cc}\\p{Cs}]*$'

/** The same, but for line ends and tabs. */
export const LINES = '^(?=\\s*\\S)(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$'

/** Members of the schema of such a code. The pattern is for tools that know no such format. */
export const COUNTRY = { format: 'country', pattern: '^[A-Z]{2}$' } as const
export const CURRENCY = { format: 'currency', pattern: '^[A-Z]{3}$' } as const

/** An address without a space, a control character or anything else that a URL has to encode. */
export const HTTPS = '^https://[A-Za-z0-9](?:[A-Za-z0-9.:-]*)(?:[/?#][!#-;=?-Z\\[\\]_a-z~]*)?$'

const TEXT_RULE =
  'This needs a character that is not a space, and may hold no control character or lone surrogate.'

const RULES: Record<string, string> = {
  [COUNTRY.pattern]: 'This must be two capital letters (ISO 3166), such as NL.',
  [CURRENCY.pattern]: 'This must be three capital letters (ISO 4217), such as EUR.',
  [HTTPS]: 'This must be an address that begins with https://.',
}

/** Says in words what a pattern asks for, that a feature makes of names of its own. */
export function setRule(pattern: string, words: string): void {
  RULES[pattern] = words
}

/** What a value has to be so that it fits a pattern, for whoever sent another one. */
export function ruleOf(pattern: string): string {
  return RULES[pattern] ?? TEXT_RULE
}

/** What every tool takes of these two: RE2 knows no look-ahead, and not all know \p. Words say the rest. */
export const PUBLISHED: Record<string, { pattern: string; words: string }> = {
  [ONE_LINE]: {
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
    words: 'At least one character is not a space. No control characters or lone surrogates.',
  },
  [LINES]: {
    pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$',
    words:
      'At least one character is not a space. No lone surrogates, and of control characters only line ends ' +
      'and tabs.',
  },
}

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/**
 * What is taken for an e-mail address: of RFC 5321 what ordinary validators take too. So no quoted names,
 * domains without a dot or IP addresses. The last part of the domain begins with a letter.
 */
export const EMAIL = `^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$`
