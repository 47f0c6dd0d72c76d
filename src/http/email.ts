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
