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
  return new Html(String.raw({ raw: strings }, ...parts.map(textOf)))
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(textOf).join('')
  if (part === undefined || part === false) return ''
  return String(part).replace(/[&<>"']/g, (sign) => ESCAPES[sign] as string)
}

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
