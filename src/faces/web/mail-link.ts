import { type Html, html } from '../../http/html.ts'

/** What in an address could begin a header of the letter is spelt out (RFC 6068, section 2). */
export function mailLink(email: string): Html {
  const [name = '', domain = ''] = email.split('@')
  return html`<a href="mailto:${encodeURIComponent(name)}@${domain}">${email}</a>`
}
