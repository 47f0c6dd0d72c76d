import Format from 'typebox/format'

/** Something that is no space; no control character and no lone surrogate, which stores would change. */
export const ONE_LINE = '^(?=\\s*\\S)[^\\p{Cc}\\p{Cs}]*$'

/** The same, but for line ends and tabs. */
export const LINES = '^(?=\\s*\\S)(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$'

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

/** Schemas that use this file check `format: email` by it: TypeBox alone takes more. */
const IS_EMAIL = new RegExp(EMAIL)
Format.Set('email', (text) => IS_EMAIL.test(text))
