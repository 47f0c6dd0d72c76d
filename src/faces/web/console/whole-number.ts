/** A whole number as a form or an address has it, of something in the store. */
export function wholeNumberOf(text: unknown): number | undefined {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
