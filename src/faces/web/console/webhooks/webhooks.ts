import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import * as organizations from '../../../../organizations/store.ts'
import { listDeliveries } from '../../../../webhooks/deliveries.ts'
import { scopeOf } from '../../../../webhooks/rules.ts'
import type { Delivery, Recovery } from '../../../../webhooks/schema.ts'
import * as webhooks from '../../../../webhooks/store.ts'
import { get, type StoredWebhook } from '../../../../webhooks/store.ts'
import { formatDate, formatDateTime } from '../../formats.ts'
import { type Problem, problemSummary, textField } from '../../forms.ts'
import { pathId, wholeNumberOf } from '../address.ts'
import { confirmPage, consolePage, pageOf, pagerOf, shownOnce, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/

/** The list of webhooks, and a page for each webhook with its deliveries. */
export function webhookPages(app: App, context: Context): void {
  const { write, clock } = context
  app.get('/webhooks', (request) => listPage(context, request))
  app.get('/webhooks/:id', async (request) => webhookPage(context, request))

  app.post('/webhooks/:id/enabled', async (request, reply) => {
    const { id } = await ownWebhook(context, request)
    const enabled = (request.body as FormBody).get('enabled') === 'yes'
    await write(changes.updateWebhook, id, { enabled }, scopeOf(request.caller))
    return reply.redirect(`${WEBHOOKS}/${id}?done=${enabled ? 'webhookOn' : 'webhookOff'}`, 303)
  })

  app.post('/webhooks/:id/secret', async (request) => {
    const { id } = await ownWebhook(context, request)
    const { secret } = await write(changes.rotateWebhookSecret, id, scopeOf(request.caller), clock())
    const { webhooks: own } = wordsFor(request).words
    return secretPage(request, { id, secret, title: own.newSecretTitle, lead: own.newSecretLead })
  })

  app.get('/webhooks/:id/remove', async (request) => removePage(request, await ownWebhook(context, request)))
  app.post('/webhooks/:id/remove', async (request, reply) => {
    const { id } = await ownWebhook(context, request)
    await write(changes.deleteWebhook, id, scopeOf(request.caller))
    return reply.redirect(`${WEBHOOKS}?done=webhookRemoved`, 303)
  })

  app.post('/webhooks/:id/recover', (request, reply) => recover(context, request, reply))
  changeDeliveries(app, context)
}

async function listPage({ db }: Context, request: FastifyRequest): Promise<string> {
  const { webhooks: own } = wordsFor(request).words
  const { rows, pager } = await pageOf(request, WEBHOOKS, (part) =>
    webhooks.list(db, { ...part, ...scopeOf(request.caller) }),
  )
  const codes = await codesOf(db, rows)
  const isManager = managesWebhooks(request)
  const main = html`<div class="head"><h1>${own.title}</h1>
${isManager && html`<a class="button" href="${WEBHOOKS}/new">${own.add}</a>`}</div>
<p class="lead">${isManager ? own.lead : own.adminsOnly}</p>
${rows.length > 0 && html`<ul class="rows">${rows.map((row) => listItem(row, codes, request))}</ul>`}
${rows.length === 0 && html`<p class="card">${own.none}</p>`}${pager}`
  return consolePage(request, { title: own.title, main })
}

/** The codes of the organizations of webhooks, by id. */
async function codesOf(
  db: Context['db'],
  rows: readonly webhooks.StoredWebhook[],
): Promise<Map<number, string>> {
  const ids = new Set(rows.flatMap(({ organizationId }) => organizationId ?? []))
  return new Map((await organizations.findMany(db, [...ids])).map(({ id, code }) => [id, code]))
}

function listItem(
  webhook: webhooks.StoredWebhook,
  codes: Map<number, string>,
  request: FastifyRequest,
): Html {
  const { id, url, description } = webhook
  const owner = ownerOf(webhook, codes, request)
  return html`<li><div class="about"><a href="${WEBHOOKS}/${id}">${url}</a>
<small>${[description, owner, typesOf(webhook, request)].filter(Boolean).join(' · ')}</small></div>
<div class="state">${stateOf(webhook, request)}</div></li>`
}

const ownerOf = (
  { organizationId }: webhooks.StoredWebhook,
  codes: Map<number, string>,
  request: FastifyRequest,
): string | undefined =>
  organizationId === undefined ? wordsFor(request).words.people.everywhere : codes.get(organizationId)

function typesOf({ types }: webhooks.StoredWebhook, request: FastifyRequest): string {
  const { webhooks: own, events } = wordsFor(request).words
  return types.length === 0 ? own.allTypes : types.map((type) => events.types[type]).join(', ')
}

/** The status of a webhook, with the reason. */
function stateOf(webhook: webhooks.StoredWebhook, request: FastifyRequest): Html {
  const { language, words } = wordsFor(request)
  const { webhooks: own } = words
  const { enabled, disabledReason, failingSince } = webhook
  if (disabledReason !== undefined)
    return html`<span class="tag unlisted">${own.switchedOff}</span> <small>${own.reasons[disabledReason]}</small>`
  if (!enabled) return html`<span class="tag">${own.off}</span>`
  if (failingSince === undefined) return html`<span class="tag available">${own.on}</span>`
  return html`<span class="tag unlisted">${own.failing}</span>
<small>${own.failingSince(formatDateTime(language, failingSince))}</small>`
}

async function webhookPage(
  context: Context,
  request: FastifyRequest,
  since?: { value: string; problems: readonly Problem[] },
): Promise<string> {
  const webhook = await ownWebhook(context, request)
  const { language, words } = wordsFor(request)
  const { webhooks: own, people } = words
  const { id, url, description, enabled, createdAt } = webhook
  const { host } = new URL(url)
  const recovered = wholeNumberOf((request.query as { recovered?: unknown }).recovered)
  const codes = await codesOf(context.db, [webhook])
  return consolePage(request, {
    title: host,
    main: html`<div class="head"><h1>${host}</h1>
<a class="button plain" href="${WEBHOOKS}/${id}/change">${own.change}</a></div>
${recovered !== undefined && html`<p class="notice" role="status">${own.recovered(recovered)}</p>`}
<dl class="facts card"><dt>${own.state}</dt><dd class="state">${stateOf(webhook, request)}</dd>
<dt>${own.url}</dt><dd>${url}</dd>
${description !== undefined && html`<dt>${own.description}</dt><dd class="said">${description}</dd>`}
<dt>${own.types}</dt><dd>${typesOf(webhook, request)}</dd>
<dt>${people.organization}</dt><dd>${ownerOf(webhook, codes, request)}</dd>
<dt>${own.created}</dt><dd>${formatDate(language, Date.parse(createdAt))}</dd></dl>
${enabled ? actions(request, id, since ?? { value: '', problems: [] }) : switchForm(request, webhook)}
${await deliveriesSection(context, request, webhook)}
${enabled && switchForm(request, webhook)}
<section class="card" aria-labelledby="secret"><h2 id="secret">${own.newSecret}</h2><p>${own.newSecretHint}</p>
<form method="post" action="${WEBHOOKS}/${id}/secret"><button class="plain">${own.newSecretButton}</button></form></section>
<p class="end"><a class="danger" href="${WEBHOOKS}/${id}/remove">${own.remove}</a></p>
<p><a href="${WEBHOOKS}">${own.toList}</a></p>`,
  })
}

/** The forms that send a test, or send missed events. */
function actions(
  request: FastifyRequest,
  id: number,
  { value, problems }: { value: string; problems: readonly Problem[] },
): Html {
  const { webhooks: own, signIn } = wordsFor(request).words
  return html`<div class="two"><section class="card" aria-labelledby="test"><h2 id="test">${own.test}</h2>
<p>${own.testHint}</p>
<form method="post" action="${WEBHOOKS}/${id}/test"><button class="plain">${own.test}</button></form></section>
<section class="card" aria-labelledby="recover"><h2 id="recover">${own.recover}</h2>
<form method="post" action="${WEBHOOKS}/${id}/recover" novalidate>${problemSummary(signIn.wrong, problems)}
${textField({
  ...{ name: 'since', label: own.since, hint: own.recoverHint, type: 'date', required: true },
  ...{ value, problems },
})}
<button class="plain">${own.recoverButton}</button></form></section></div>`
}

function switchForm(request: FastifyRequest, { id, enabled }: webhooks.StoredWebhook): Html {
  const { webhooks: own } = wordsFor(request).words
  const [value, label] = enabled ? ['no', own.switchOff] : ['yes', own.switchOn]
  return html`<section class="card" aria-labelledby="switch"><h2 id="switch">${label}</h2><p>${own.offHint}</p>
<form method="post" action="${WEBHOOKS}/${id}/enabled"><input type="hidden" name="enabled" value="${value}">
<button class="plain">${label}</button></form></section>`
}

async function recover(context: Context, request: FastifyRequest, reply: FastifyReply) {
  const { id } = await ownWebhook(context, request)
  const value = readField(request.body as FormBody, 'since')
  const since = ISO_DATE.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(since)) {
    reply.code(400)
    const message = wordsFor(request).words.webhooks.wrongSince
    return webhookPage(context, request, { value, problems: [{ field: 'since', message }] })
  }
  let count = 0
  let after: number | undefined
  do {
    const range = { since, after }
    const recovery: Recovery = await context.write(changes.recoverDeliveries, id, range, context.clock())
    count += recovery.deliveries
    after = recovery.continueAfter === undefined ? undefined : Number(recovery.continueAfter)
  } while (after !== undefined)
  return reply.redirect(`${WEBHOOKS}/${id}?recovered=${count}`, 303)
}

interface NewSecret {
  id: number
  secret: string
  title: string
  lead: string
}

/** The page that shows the secret of a webhook once. */
export function secretPage(request: FastifyRequest, { id, secret, title, lead }: NewSecret): string {
  const { webhooks: own } = wordsFor(request).words
  const back = { path: `${WEBHOOKS}/${id}`, text: own.toWebhook }
  return shownOnce(request, { title, lead, label: own.secret, secret, back })
}

function removePage(request: FastifyRequest, { id, url }: webhooks.StoredWebhook): string {
  const { webhooks: own } = wordsFor(request).words
  return confirmPage(request, {
    title: own.removeTitle(new URL(url).host),
    text: html`<p>${own.removeLead}</p>`,
    yes: own.remove,
    back: `${WEBHOOKS}/${id}`,
  })
}

const DELIVERIES_PER_PAGE = 20

/** The requests that send a test, or send a delivery again. */
function changeDeliveries(app: App, context: Context): void {
  const { write, clock } = context
  app.post('/webhooks/:id/test', async (request, reply) => {
    const { id } = await ownWebhook(context, request)
    await write(changes.insertTest, id, clock())
    return reply.redirect(`${WEBHOOKS}/${id}?done=testSent`, 303)
  })

  app.post('/webhooks/:id/deliveries/:deliveryId', async (request, reply) => {
    const { id } = await ownWebhook(context, request)
    const deliveryId = wholeNumberOf((request.params as { deliveryId: string }).deliveryId)
    if (deliveryId === undefined) throw new ApiError('delivery_not_found')
    await write(changes.retryDelivery, id, deliveryId, clock())
    return reply.redirect(`${WEBHOOKS}/${id}?done=sentAgain`, 303)
  })
}

/** A page of deliveries of a webhook, latest first. */
async function deliveriesSection(
  { db }: Context,
  request: FastifyRequest,
  webhook: StoredWebhook,
): Promise<Html> {
  const { webhooks: own, list } = wordsFor(request).words
  const before = wholeNumberOf((request.query as { before?: unknown }).before)
  // Reads one more row, to know whether a next page exists.
  const found = await listDeliveries(db, webhook.id, {
    limit: DELIVERIES_PER_PAGE + 1,
    ...(before !== undefined && { before }),
  })
  const rows = found.slice(0, DELIVERIES_PER_PAGE)
  const path = `${WEBHOOKS}/${webhook.id}`
  const next = found.length > DELIVERIES_PER_PAGE && `${path}?before=${rows.at(-1)?.id}`
  const first = before !== undefined && path
  return html`<h2 id="deliveries">${own.deliveries}</h2>
${
  rows.length > 0
    ? html`<ul class="rows">${rows.map((row) => deliveryItem(row, webhook, request))}</ul>`
    : html`<p class="card">${own.noDeliveries}</p>`
}${(first || next) && pagerOf(list, first, next)}`
}

const TAGS = { pending: '', delivered: 'available', failed: 'unlisted' }

function deliveryItem(
  delivery: Delivery,
  { id: webhookId, enabled }: StoredWebhook,
  request: FastifyRequest,
): Html {
  const { language, words } = wordsFor(request)
  const { webhooks: own, events } = words
  const { id, type, status, attempts, dueAt, responseStatus, responseBody, createdAt } = delivery
  const time = (text: string): string => formatDateTime(language, Date.parse(text))
  const facts = [
    own.attempts(attempts),
    responseStatus !== undefined && own.responseStatus(responseStatus),
    enabled && dueAt !== undefined && own.next(time(dueAt)),
  ]
  return html`<li><div><b>${events.types[type as keyof typeof events.types]}</b>
<small>${time(createdAt)}</small>
${
  responseBody !== undefined &&
  responseBody !== '' &&
  html`<details><summary>${own.response}</summary><p class="said">${responseBody}</p></details>`
}</div>
<div class="row"><div class="state"><span class="tag ${TAGS[status]}">${own.statuses[status]}</span>
<small>${facts.filter(Boolean).join(' · ')}</small></div>
${
  enabled &&
  html`<form method="post" action="${WEBHOOKS}/${webhookId}/deliveries/${id}"><button class="plain">${own.retry}</button></form>`
}</div></li>`
}

// The webhooks that a caller manages.

export const WEBHOOKS = `${PREFIX}/webhooks`

/** @throws {ApiError} webhook_not_found, also for a webhook of another organization */
export function ownWebhook({ db }: Pick<Context, 'db'>, request: FastifyRequest): Promise<StoredWebhook> {
  return get(db, pathId(request), scopeOf(request.caller))
}

/** Whether the caller manages webhooks. A manager without an organization cannot. */
export const managesWebhooks = ({ caller }: FastifyRequest): boolean =>
  caller.access === 'admin' || caller.organizationId !== undefined
