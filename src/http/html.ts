/** Text that is HTML already: nothing in it has to be escaped any more. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template; undefined and false leave nothing. */
export type Part = Html | string | number | undefined | false | readonly Part[]

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Template tag: whatever is put in is escaped, unless it is HTML; the items of a list follow each other. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let text = strings[0] as string
  // Pages are made of thousands of these.
  for (let index = 0; index < parts.length; index += 1) text += textOf(parts[index]) + strings[index + 1]
  return new Html(text)
}

function textOf(part: Part): string {
  if (typeof part === 'string') return SPECIAL.test(part) ? escaped(part) : part
  if (part instanceof Html) return part.text
  if (part === undefined || part === false) return ''
  // Values of a description may be of any kind.
  if (!Array.isArray(part)) return escaped(String(part))
  let text = ''
  for (const one of part) text += textOf(one)
  return text
}

const SPECIAL = /[&<>"']/
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] as string)

/** A sentence of the description, in which backticks mark code. */
export function prose(text = ''): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
  return html`${parts}`
}

/** Items of a sentence: a, b and c. */
export function listed(items: readonly Part[], last = 'and'): Html {
  const parts = items.map((item, index) => {
    const before = index === 0 ? '' : index === items.length - 1 ? ` ${last} ` : ', '
    return html`${before}${item}`
  })
  return html`${parts}`
}
