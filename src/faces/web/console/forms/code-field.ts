import { type Html, html } from '../../../../http/html.ts'
import { CURRENCY_CODES, countryCodes } from '../../../../http/iso-codes.ts'
import type { Language } from '../../../../http/language.ts'
import { type TextField, textField } from '../../forms.ts'

/** What a code stands for: ISO 3166, or ISO 4217. */
type Coded = 'country' | 'currency'

/** A field for a code, for which a browser offers the names while somebody types. One of each on a page. */
export function codeField(of: Coded, language: Language, field: TextField): Html {
  return html`${textField({ ...field, list: of })}${codeList(of, language)}`
}

const lists = new Map<string, Html>()

function codeList(of: Coded, language: Language): Html {
  const key = `${of} ${language}`
  const list = lists.get(key) ?? newList(of, language)
  lists.set(key, list)
  return list
}

/** Without end tags, which HTML does not ask for: there are hundreds. */
function newList(of: Coded, language: Language): Html {
  const names = new Intl.DisplayNames(language, { type: of === 'country' ? 'region' : 'currency' })
  const { compare } = new Intl.Collator(language)
  const named = (of === 'country' ? countryCodes() : CURRENCY_CODES).map((code) => [
    code,
    names.of(code) ?? code,
  ])
  const sorted = named.sort(([, one = ''], [, other = '']) => compare(one, other))
  return html`<datalist id="${of}">${sorted.map(([code, name]) => html`<option value="${code}">${name}`)}</datalist>`
}
