import { type Html, html } from '../../http/html.ts'

/** A mailto link. Escapes characters that could add a header to the e-mail (RFC 6068, section 2). */
export function mailLink(email: string): Html {
  const [name = '', domain = ''] = email.split('@')
  return html`<a href="mailto:${encodeURIComponent(name)}@${domain}">${email}</a>`
}
