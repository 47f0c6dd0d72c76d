import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { type Html, html } from '../../../../http/html.ts'
import { history } from '../../../../pets/history.ts'
import type { StoredPet } from '../../../../pets/store.ts'
import { type Doer, doersOf } from '../../../../staff/store.ts'
import { timeIn } from '../../dates.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import { wordsFor } from '../frame.ts'
import { type Told, told } from './told.ts'

/** Who changed what. */
export async function historySection(
  { db }: Context,
  request: FastifyRequest,
  { id }: StoredPet & { id: number },
): Promise<Html> {
  const { language, words } = wordsFor(request)
  const texts = textsOf(language)
  const changes = (await history(db, id, request.caller.view)) ?? []
  const doers = await doersOf(
    db,
    changes.map(({ keyId }) => keyId),
  )
  const items = changes.map(
    ({ at, keyId, changes }) => html`<li><p><strong>${doerIn(words, doers.get(keyId))}</strong>
<time datetime="${at}">${timeIn(language, Date.parse(at))}</time></p>
<ul>${told(changes, texts).map((one) => html`<li>${changeIn(words, one)}</li>`)}</ul></li>`,
  )
  return html`<section class="card" aria-labelledby="history"><h2 id="history">${words.animal.sections.history}</h2>
${items.length > 0 ? html`<ol class="history">${items}</ol>` : html`<p>${words.animal.history.none}</p>`}</section>`
}

export function doerIn(words: Texts['console'], doer: Doer | undefined): string {
  const { history } = words.animal
  if (!doer) return history.unknown
  if (doer.kind === 'formerStaff') return history.somebody
  return doer.kind === 'key' ? history.key(doer.name) : doer.name
}

function changeIn(words: Texts['console'], { label, from, to }: Told): Html {
  const { nothing } = words.animal.history
  if (from === undefined || to === undefined) return html`${label}`
  return html`${label}: <del>${from || nothing}</del> → <ins>${to || nothing}</ins>`
}
