import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import type { App } from '../../../http/app.ts'
import { type Html, html } from '../../../http/html.ts'
import * as keys from '../../../keys/store.ts'
import { usedToday } from '../../../limits/store.ts'
import { PLANS } from '../../../plans.ts'
import { consolePage, wordsFor } from './frame.ts'

const MOST_KEYS = 200

/** How much of its plan each key uses. */
export function usagePage(app: App, context: Context): void {
  app.get('/usage', (request) => page(context, request))
}

async function page({ config, db, clock }: Context, request: FastifyRequest): Promise<string> {
  const { language, words } = wordsFor(request)
  const { usage } = words
  const { organizationId } = request.caller
  const own = (await keys.list(db)).filter(
    (key) =>
      key.revoked_at === null && (organizationId === undefined || key.organization_id === organizationId),
  )
  const shown = own.slice(0, MOST_KEYS)
  const used = await usedToday(
    db,
    shown.map(({ id }) => `key:${id}`),
    clock(),
  )
  const whole = new Intl.NumberFormat(language)
  const rows = shown.map((key): Html => {
    const today = used.get(`key:${key.id}`) ?? 0
    const most = limitOf(key)
    return html`<tr><th scope="row">${key.name}</th><td>${key.plan}</td>
<td>${config.redisUrl === undefined && html`<meter min="0" max="${most}" high="${most * 0.8}" value="${Math.min(today, most)}" aria-label="${key.name}"></meter> ${usage.of(whole.format(today), whole.format(most))}`}</td></tr>`
  })
  return consolePage(request, {
    title: usage.title,
    main: html`<h1>${usage.title}</h1><p class="lead">${config.redisUrl === undefined ? usage.lead : usage.inRedis}</p>
${
  rows.length === 0
    ? html`<p class="card">${usage.none}</p>`
    : html`<div class="card"><table><thead><tr><th scope="col">${usage.key}</th><th scope="col">${usage.plan}</th><th scope="col">${usage.today}</th></tr></thead><tbody>${rows}</tbody></table></div>`
}`,
  })
}

function limitOf({ plan, per_day }: keys.Key): number {
  const figures = PLANS[plan]
  return figures === 'custom' ? Number(per_day) : figures.perDay
}
