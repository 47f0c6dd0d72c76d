import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import type { Language } from '../../../../http/language.ts'
import { parseDate } from '../../../../transfer/dates.ts'
import { decodeWord, ENCODINGS, SINGLE_BYTE } from '../../../../transfer/encoding.ts'
import { formatDate } from '../../dates.ts'
import type { Texts } from '../../texts/texts.ts'
import { PREFIX } from '../pages.ts'
import type { Reason } from './refusal-words.ts'
import type { UploadedFile } from './uploads.ts'

// Asks how to read a file whose dates or letters have several meanings.

/** The answers that a form may have, by the name of their field. */
const ANSWERS = { dayFirst: ['yes', 'no'], encoding: ENCODINGS } as const

/** Adds the answers in a form to the settings. */
export function withAnswers({ bytes, chosen }: UploadedFile, form: FormBody): UploadedFile {
  const answers = Object.entries(ANSWERS).flatMap(([name, values]) => {
    const value = form.get(name) ?? ''
    return values.includes(value as never) ? [[name, value]] : []
  })
  return { bytes, chosen: { ...chosen, ...Object.fromEntries(answers) } }
}

/** @param form the id of the form that sends the answer */
export function questionSection(
  failed: Reason | undefined,
  { words, language, form }: { words: Texts['console']; language: Language; form: string },
): Html | false {
  const { questions: own, columns } = words.import
  const [{ code, value = '' } = {}] = failed?.why ?? []
  const question = { unclear_dates: datesIn, unclear_encoding: readingsOf }[code as string]
  if (!question) return false
  const { name, label, choices } = question()
  const options = choices.map(([answer, text]) => html`<option value="${answer}">${text}</option>`)
  return html`<section class="card"><h2>${own.title}</h2><p class="field"><label for="field-${name}">${label}</label>
<select id="field-${name}" name="${name}" form="${form}"><option value="">${words.animal.fields.choose}</option>${options}</select></p>
<div class="row"><button form="${form}" formaction="${PREFIX}/import/columns">${columns.show}</button></div></section>`

  function datesIn() {
    const choices = (['day', 'month'] as const).map((order) => {
      const day = parseDate(value, order) ?? ''
      return [order === 'day' ? 'yes' : 'no', formatDate(language, Date.parse(day))] as const
    })
    return { name: 'dayFirst', label: own.date(value), choices }
  }

  function readingsOf() {
    const choices = SINGLE_BYTE.map((encoding) => [encoding, decodeWord(value, encoding)] as const)
    return { name: 'encoding', label: own.word, choices }
  }
}
