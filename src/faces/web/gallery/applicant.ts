import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { type EmailState, findEmailState } from '../../../applications/outbox.ts'
import { type ApplicantView, findByLink } from '../../../applications/store.ts'
import type { Context } from '../../../context.ts'
import { changes } from '../../../db/change.ts'
import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { publicOrigin } from '../../../http/face.ts'
import { type Html, html } from '../../../http/html.ts'
import { type Language, languageOf } from '../../../http/language.ts'
import { formatDate, mailTextAddress } from '../formats.ts'
import { textsOf } from '../texts/texts.ts'
import { applyHead, refuseCrossSite } from './apply-form.ts'
import { galleryPage } from './frame.ts'
import { unitWords } from './phrases.ts'

type TokenRequest = { Params: { token: string }; Querystring: { done?: unknown } }

/**
 * Adds the page on which applicants follow and withdraw their application. They open it by a private link.
 */
export function applicantPages(
  app: App,
  context: Context,
  config: NonNullable<RouteShorthandOptions['config']>,
): void {
  const { db, write, clock } = context
  app.get<TokenRequest>('/applications/:token', async (request) => {
    const { token } = request.params
    const found = await findByLink(db, token)
    if (!found) throw new ApiError('application_not_found')
    return followPage(context, request, found, await findEmailState(context, found.id))
  })

  app.post<TokenRequest>(
    '/applications/:token/withdraw',
    { config },
    async (request, reply: FastifyReply) => {
      const refused = refuseCrossSite(context, request, reply)
      if (refused) return refused
      const { token } = request.params
      try {
        await write(changes.withdrawByLink, token, clock())
      } catch (error) {
        // Staff have decided in the meantime, so the page shows their decision.
        if (!(error instanceof ApiError) || error.code !== 'application_closed') throw error
      }
      return reply.redirect(`/applications/${token}`, 303)
    },
  )
}

function followPage(
  { config }: Context,
  request: FastifyRequest,
  found: ApplicantView,
  emails: EmailState,
): string {
  const language = languageOf(request.headers)
  const { apply } = textsOf(language)
  const { petName, reply } = found
  const title = petName === undefined ? apply.yoursGone : apply.yours(petName)
  const state = found.status === 'approved' && !found.mayWithdraw ? 'adopted' : found.status
  const isSent = (request.query as TokenRequest['Querystring']).done === 'sent'
  return galleryPage({
    ...{ language, path: '', head: applyHead(), title: `${title} · adoptable`, scripts: ['gallery.js'] },
    main: html`<div class="apply">
${isSent && html`<p class="notice" role="status">${apply.sent}</p>`}
<h1>${title}</h1>
<section class="state ${state}" aria-labelledby="state"><h2 id="state"><span class="visually-hidden">${apply.status}: </span>${apply.statuses[state]}</h2>
<p>${apply.reasons[found.reason ?? ''] ?? apply.statusTexts[state]}</p></section>
${
  reply &&
  html`<section class="answer" aria-labelledby="reply"><h2 id="reply">${apply.reply}</h2>
<p class="said">${reply}</p></section>`
}
${facts(found, language)}
${found.mayWithdraw && keepPart(config, request, { title, emails })}
${(state === 'declined' || state === 'withdrawn') && html`<p><a class="button" href="/animals">${textsOf(language).common.toGallery}</a></p>`}
${found.mayWithdraw && withdrawal(request.params as TokenRequest['Params'], language)}
<p class="hint">${apply.erased(unitWords(language, 'day', config.adopterDataDays))}</p></div>`,
  })
}

/** Asks to keep the private link, and offers ways to do so. */
function keepPart(
  config: Context['config'],
  request: FastifyRequest,
  { title, emails }: { title: string; emails: EmailState },
): Html {
  const { apply } = textsOf(languageOf(request.headers))
  const { token } = request.params as TokenRequest['Params']
  const link = `${publicOrigin(config, request)}/applications/${token}`
  return html`<div class="keep"><p>${apply.keep[emails]}</p>
<p class="row"><button type="button" class="plain" data-copies="${link}" data-copied="${apply.copied}" hidden>${apply.copyLink}</button>
<a class="button plain" href="${mailTextAddress(title, link)}">${apply.mailLink}</a> <span role="status"></span></p></div>`
}

function facts(application: ApplicantView, language: Language): Html {
  const { petId, petName, status, receivedAt, decidedAt } = application
  const { apply } = textsOf(language)
  const day = (label: string, time: string | undefined): Html | undefined =>
    time === undefined
      ? undefined
      : html`<dt>${label}</dt><dd><time datetime="${time}">${formatDate(language, Date.parse(time))}</time></dd>`
  return html`<dl class="facts">${petName !== undefined && html`<dt>${apply.animal}</dt><dd><a href="/animals/${petId}">${petName}</a></dd>`}
${day(apply.receivedAt, receivedAt)}${day(status === 'withdrawn' ? apply.withdrawnAt : apply.decidedAt, decidedAt)}</dl>`
}

/** The form is collapsed, so applicants do not withdraw by accident. */
function withdrawal({ token }: TokenRequest['Params'], language: Language): Html {
  const { apply } = textsOf(language)
  return html`<details class="withdraw"><summary>${apply.withdraw}</summary>
<p>${apply.withdrawText}</p>
<form method="post" action="/applications/${token}/withdraw"><button class="danger">${apply.withdrawYes}</button></form></details>`
}
