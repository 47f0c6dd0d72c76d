import type { FastifyRequest } from 'fastify'
import type { ClosingStatus, Stored } from '../../../../applications/store.ts'
import { type FormBody, textIn } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { longTextField } from '../../forms.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { MOST_CHARACTERS } from './page.ts'
import { applicantName } from './sent.ts'

/** The field of the question: with it an application is closed, without it the question comes first. */
export const SURE = 'sure'

/** Of the form that led here, what goes along beside the reply. */
const KEPT = ['was', 'was-reply', 'note', 'was-note']

/** Asks before an application is closed, which nobody can undo, and for a word to the applicant. */
export function closingPage(
  request: FastifyRequest,
  stored: Stored,
  { status, form }: { status: ClosingStatus; form: FormBody },
): string {
  const { applications } = wordsFor(request).words
  const { closing } = applications
  const asked = closing[status]
  const { id, personal } = stored
  const title = asked.title(applicantName(stored, request))
  const path = `${PREFIX}/applications/${id}`
  const kept = KEPT.filter((name) => form.has(name))
  return consolePage(request, {
    title,
    main: html`<div class="narrow"><h1>${title}</h1>
<p>${closing.text}</p>
<form method="post" action="${path}" novalidate>
<input type="hidden" name="status" value="${status}"><input type="hidden" name="${SURE}" value="yes">
${kept.map((name) => html`<input type="hidden" name="${name}" value="${textIn(form, name)}">`)}
${longTextField({
  name: 'reply',
  label: closing.reply,
  hint: applications.replyHint,
  value: form.has('reply') ? textIn(form, 'reply') : personal?.reply,
  rows: 4,
  mostCharacters: MOST_CHARACTERS,
})}
<div class="row"><button class="danger">${asked.yes}</button>
<a class="button plain" href="${path}">${closing.no}</a></div></form></div>`,
  })
}
