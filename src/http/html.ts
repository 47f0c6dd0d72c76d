/** HTML text that needs no escaping. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A value in a template. `undefined` and `false` render nothing. */
export type Part = Html | string | number | undefined | false | readonly Part[]

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Template tag. Escapes all values except Html, removes bidi controls, and joins the items of lists. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let text = strings[0] as string
  // Uses a plain loop for speed, because a page consists of thousands of templates.
  for (let index = 0; index < parts.length; index += 1) text += render(parts[index]) + strings[index + 1]
  return new Html(text)
}

function render(part: Part): string {
  if (typeof part === 'string') return SPECIAL.test(part) ? escapeHtml(part) : part
  if (part instanceof Html) return part.text
  if (part === undefined || part === false) return ''
  // Values from the API description may have any type.
  if (!Array.isArray(part)) return escapeHtml(String(part))
  let text = ''
  for (const item of part) text += render(item)
  return text
}

// Bidi embeddings, overrides and isolates. In a name, they would reverse the text after the name.
const SPECIAL = /[&<>"'\u202a-\u202e\u2066-\u2069]/
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'\u202a-\u202e\u2066-\u2069]/g, (sign) => ESCAPES[sign] ?? '')

/** Renders a sentence in which backticks mark code. */
export function renderProse(text = ''): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
  return html`${parts}`
}

/** Joins items as in a sentence: a, b and c. */
export function joinList(items: readonly Part[], last = 'and'): Html {
  const parts = items.map((item, index) => {
    const before = index === 0 ? '' : index === items.length - 1 ? ` ${last} ` : ', '
    return html`${before}${item}`
  })
  return html`${parts}`
}
