import { type Html, html } from '../../http/html.ts'

/** A mailto link. Escapes characters that could add a header to the e-mail (RFC 6068, section 2). */
export function mailLink(email: string): Html {
  const [name = '', domain = ''] = email.split('@')
  return html`<a href="mailto:${encodeURIComponent(name)}@${domain}">${email}</a>`
}

/** The address of a link that opens a new e-mail, in which the person enters the recipient. */
export function mailTextAddress(subject: string, text: string): string {
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text)}`
}
