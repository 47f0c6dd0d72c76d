/** Something that is no space; no control character and no lone surrogate, which stores would change. */
export const ONE_LINE = '^(?=\\s*\\S)[^\\p{Cc}\\p{Cs}]*$'

/** The same, but for line ends and tabs. */
export const LINES = '^(?=\\s*\\S)(?:[^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$'
