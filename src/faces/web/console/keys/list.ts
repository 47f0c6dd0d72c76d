import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { type Html, html } from '../../../../http/html.ts'
import * as keys from '../../../../keys/store.ts'
import { dayIn } from '../../dates.ts'
import type { Texts } from '../../texts/texts.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { afterIn, PAGE, paged } from '../pager.ts'
import { PREFIX } from '../pages.ts'

export const KEYS = `${PREFIX}/keys`

/** The keys of programs, without their secrets. */
export function listKeys(app: App, { db }: Context): void {
  app.get('/keys', async (request) => {
    const { keys: words } = wordsFor(request).words
    const { organizationId } = request.caller
    const after = afterIn(request)
    const part = { organizationId, limit: PAGE + 1, ...(after !== undefined && { after }) }
    const { rows, pager } = paged(request, await keys.list(db, part), KEYS)
    const main = html`<div class="head"><h1>${words.title}</h1>
<a class="button" href="${KEYS}/new">${words.make}</a></div>
<p class="lead">${words.lead}</p>
${rows.length > 0 ? html`<ul class="rows">${rows.map((key) => row(key, request))}</ul>` : html`<p class="card">${words.none}</p>`}${pager}`
    return consolePage(request, { title: words.title, main })
  })
}

function row(key: keys.Key, request: FastifyRequest): Html {
  const { language, words } = wordsFor(request)
  const { id, name, access, created_at, organization } = key
  const facts = [words.keys.number(id), organization ?? words.people.everywhere, dayIn(language, created_at)]
  return html`<li><div class="about"><a href="${KEYS}/${id}">${name}</a>
<small>${facts.join(' · ')}</small></div>
<div class="state">${stateOf(key, words)} <small>${words.keys.accesses[access]} · ${planOf(key, words)}</small></div></li>`
}

export function stateOf({ revoked_at }: keys.Key, { keys: words }: Texts['console']): Html {
  return revoked_at === null
    ? html`<span class="tag available">${words.valid}</span>`
    : html`<span class="tag">${words.revoked}</span>`
}

export function planOf({ plan, per_minute, per_day }: keys.Key, { keys: words }: Texts['console']): string {
  const figures = per_minute === null || per_day === null ? undefined : words.figures(per_minute, per_day)
  return figures === undefined ? (words.plans[plan] ?? plan) : `${words.plans[plan]} (${figures})`
}
