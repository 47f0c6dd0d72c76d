import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { type Followed, findByLink } from '../../../applications/store.ts'
import type { Context } from '../../../context.ts'
import { changes } from '../../../db/change.ts'
import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { type Html, html } from '../../../http/html.ts'
import { type Language, languageOf } from '../../../http/language.ts'
import { dayIn } from '../dates.ts'
import { textsOf } from '../texts/texts.ts'
import { applyHead, refuseForeign } from './apply-form.ts'
import { galleryPage } from './frame.ts'

type ByToken = { Params: { token: string }; Querystring: { done?: unknown } }

/** What an applicant sees, by a link that nobody else has, and how they take their application back. */
export function applicantPages(
  app: App,
  context: Context,
  config: NonNullable<RouteShorthandOptions['config']>,
): void {
  const { db, write, clock } = context
  app.get<ByToken>('/applications/:token', async (request) => {
    const { token } = request.params
    const found = await findByLink(db, token)
    if (!found) throw new ApiError('application_not_found')
    return followPage(context, request, found)
  })

  app.post<ByToken>('/applications/:token/withdraw', { config }, async (request, reply: FastifyReply) => {
    const refused = refuseForeign(context, request, reply)
    if (refused) return refused
    const { token } = request.params
    try {
      await write(changes.withdrawByLink, token, clock())
    } catch (error) {
      // Staff were faster: the page says what they decided.
      if (!(error instanceof ApiError) || error.code !== 'application_closed') throw error
    }
    return reply.redirect(`/applications/${token}`, 303)
  })
}

function followPage({ config }: Context, request: FastifyRequest, found: Followed): string {
  const language = languageOf(request.headers)
  const { apply } = textsOf(language)
  const { petName, reply } = found
  const title = petName === undefined ? apply.yoursGone : apply.yours(petName)
  const state = found.status === 'approved' && !found.mayWithdraw ? 'adopted' : found.status
  const isSent = (request.query as ByToken['Querystring']).done === 'sent'
  return galleryPage({
    ...{ language, path: '', head: applyHead(), title: `${title} · adoptable` },
    main: html`<div class="apply">
${isSent && html`<p class="notice" role="status">${apply.sent}</p>`}
<h1>${title}</h1>
<section class="state ${state}" aria-labelledby="state"><h2 id="state"><span class="visually-hidden">${apply.status}: </span>${apply.statuses[state]}</h2>
<p>${apply.reasons[found.reason ?? ''] ?? apply.told[state]}</p></section>
${
  reply &&
  html`<section class="answer" aria-labelledby="reply"><h2 id="reply">${apply.reply}</h2>
<p class="said">${reply}</p></section>`
}
${facts(found, language)}
${found.mayWithdraw && html`<p class="keep">${apply.keep}</p>`}
${(state === 'declined' || state === 'withdrawn') && html`<p><a class="button" href="/animals">${textsOf(language).common.toGallery}</a></p>`}
${found.mayWithdraw && withdrawal(request.params as ByToken['Params'], language)}
<p class="hint">${apply.erased(config.adopterDataDays)}</p></div>`,
  })
}

function facts({ petId, petName, receivedAt, decidedAt }: Followed, language: Language): Html {
  const { apply } = textsOf(language)
  const day = (label: string, time: string | undefined): Html | undefined =>
    time === undefined
      ? undefined
      : html`<dt>${label}</dt><dd><time datetime="${time}">${dayIn(language, Date.parse(time))}</time></dd>`
  return html`<dl class="facts">${petName !== undefined && html`<dt>${apply.animal}</dt><dd><a href="/animals/${petId}">${petName}</a></dd>`}
${day(apply.receivedAt, receivedAt)}${day(apply.decidedAt, decidedAt)}</dl>`
}

/** Behind a fold: one click more than what somebody hits by chance. */
function withdrawal({ token }: ByToken['Params'], language: Language): Html {
  const { apply } = textsOf(language)
  return html`<details class="withdraw"><summary>${apply.withdraw}</summary>
<p>${apply.withdrawText}</p>
<form method="post" action="/applications/${token}/withdraw"><button class="danger">${apply.withdrawYes}</button></form></details>`
}
