/** What a person would take for the same is the same. PostgreSQL refuses NUL: U+FFFD stands for it. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim().replaceAll('\0', '\ufffd')
}
