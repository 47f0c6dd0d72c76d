import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import { readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { wholeNumberOf } from '../../../../http/int64.ts'
import * as organizations from '../../../../organizations/store.ts'
import { listDeliveries } from '../../../../webhooks/deliveries.ts'
import { scopeOf } from '../../../../webhooks/rules.ts'
import type { Delivery, Recovery } from '../../../../webhooks/schema.ts'
import * as webhooks from '../../../../webhooks/store.ts'
import { get, type StoredWebhook } from '../../../../webhooks/store.ts'
import { formatDate, formatDateTime } from '../../formats.ts'
import { type Problem, problemSummary, textField } from '../../forms.ts'
import { confirmPage, consolePage, pageOf, pagerOf, shownOnce } from '../frame.ts'
import { PREFIX, pathId, type Routes, type Visit } from '../visit.ts'

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/

/** The list of webhooks, and a page for each webhook with its deliveries. */
export function webhookPages(routes: Routes): void {
  const { get, post } = routes
  get('/webhooks', listPage)
  get('/webhooks/:id', webhookPage)

  post('/webhooks/:id/enabled', async (visit) => {
    const { id } = await ownWebhook(visit)
    const enabled = visit.form.get('enabled') === 'yes'
    await visit.write(changes.updateWebhook, id, { enabled }, scopeOf(visit.caller))
    return visit.reply.redirect(`${WEBHOOKS}/${id}?done=${enabled ? 'webhookOn' : 'webhookOff'}`, 303)
  })

  post('/webhooks/:id/secret', async (visit) => {
    const { id } = await ownWebhook(visit)
    const { secret } = await visit.write(
      changes.rotateWebhookSecret,
      id,
      scopeOf(visit.caller),
      visit.clock(),
    )
    const { webhooks: own } = visit.words
    return secretPage(visit, { id, secret, title: own.newSecretTitle, lead: own.newSecretLead })
  })

  get('/webhooks/:id/remove', async (visit) => removePage(visit, await ownWebhook(visit)))
  post('/webhooks/:id/remove', async (visit) => {
    const { id } = await ownWebhook(visit)
    await visit.write(changes.deleteWebhook, id, scopeOf(visit.caller))
    return visit.reply.redirect(`${WEBHOOKS}?done=webhookRemoved`, 303)
  })

  post('/webhooks/:id/recover', recover)
  changeDeliveries(routes)
}

async function listPage(visit: Visit): Promise<string> {
  const { db } = visit
  const { webhooks: own } = visit.words
  const { rows, pager } = await pageOf(visit, WEBHOOKS, (part) =>
    webhooks.list(db, { ...part, ...scopeOf(visit.caller) }),
  )
  const codes = await codesOf(db, rows)
  const isManager = managesWebhooks(visit)
  const main = html`<div class="head"><h1>${own.title}</h1>
${isManager && html`<a class="button" href="${WEBHOOKS}/new">${own.add}</a>`}</div>
<p class="lead">${isManager ? own.lead : own.adminsOnly}</p>
${rows.length > 0 && html`<ul class="rows">${rows.map((row) => listItem(row, codes, visit))}</ul>`}
${rows.length === 0 && html`<p class="card">${own.none}</p>`}${pager}`
  return consolePage(visit, { title: own.title, main })
}

/** The codes of the organizations of webhooks, by id. */
async function codesOf(
  db: Context['db'],
  rows: readonly webhooks.StoredWebhook[],
): Promise<Map<number, string>> {
  const ids = new Set(rows.flatMap(({ organizationId }) => organizationId ?? []))
  return new Map((await organizations.findMany(db, [...ids])).map(({ id, code }) => [id, code]))
}

function listItem(webhook: webhooks.StoredWebhook, codes: Map<number, string>, visit: Visit): Html {
  const { id, url, description } = webhook
  const owner = ownerOf(webhook, codes, visit)
  return html`<li><div class="about"><a href="${WEBHOOKS}/${id}">${url}</a>
<small>${[description, owner, typesOf(webhook, visit)].filter(Boolean).join(' · ')}</small></div>
<div class="state">${stateOf(webhook, visit)}</div></li>`
}

const ownerOf = (
  { organizationId }: webhooks.StoredWebhook,
  codes: Map<number, string>,
  { words }: Visit,
): string | undefined => (organizationId === undefined ? words.people.everywhere : codes.get(organizationId))

function typesOf({ types }: webhooks.StoredWebhook, { words: { webhooks: own, events } }: Visit): string {
  return types.length === 0 ? own.allTypes : types.map((type) => events.types[type]).join(', ')
}

/** The status of a webhook, with the reason. */
function stateOf(webhook: webhooks.StoredWebhook, { language, words }: Visit): Html {
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
  visit: Visit,
  since?: { value: string; problems: readonly Problem[] },
): Promise<string> {
  const { language, words } = visit
  const webhook = await ownWebhook(visit)
  const { webhooks: own, people } = words
  const { id, url, description, enabled, createdAt } = webhook
  const { host } = new URL(url)
  const recovered = wholeNumberOf(visit.query.recovered)
  const codes = await codesOf(visit.db, [webhook])
  return consolePage(visit, {
    title: host,
    main: html`<div class="head"><h1>${host}</h1>
<a class="button plain" href="${WEBHOOKS}/${id}/change">${own.change}</a></div>
${recovered !== undefined && html`<p class="notice" role="status">${own.recovered(recovered)}</p>`}
<dl class="facts card"><dt>${own.state}</dt><dd class="state">${stateOf(webhook, visit)}</dd>
<dt>${own.url}</dt><dd>${url}</dd>
${description !== undefined && html`<dt>${own.description}</dt><dd class="said">${description}</dd>`}
<dt>${own.types}</dt><dd>${typesOf(webhook, visit)}</dd>
<dt>${people.organization}</dt><dd>${ownerOf(webhook, codes, visit)}</dd>
<dt>${own.created}</dt><dd>${formatDate(language, Date.parse(createdAt))}</dd></dl>
${enabled ? actions(visit, id, since ?? { value: '', problems: [] }) : switchForm(visit, webhook)}
${await deliveriesSection(visit, webhook)}
${enabled && switchForm(visit, webhook)}
<section class="card" aria-labelledby="secret"><h2 id="secret">${own.newSecret}</h2><p>${own.newSecretHint}</p>
<form method="post" action="${WEBHOOKS}/${id}/secret"><button class="plain">${own.newSecretButton}</button></form></section>
<p class="end"><a class="danger" href="${WEBHOOKS}/${id}/remove">${own.remove}</a></p>
<p><a href="${WEBHOOKS}">${own.toList}</a></p>`,
  })
}

/** The forms that send a test, or send missed events. */
function actions(
  { words }: Visit,
  id: number,
  { value, problems }: { value: string; problems: readonly Problem[] },
): Html {
  const { webhooks: own, signIn } = words
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

function switchForm({ words: { webhooks: own } }: Visit, { id, enabled }: webhooks.StoredWebhook): Html {
  const [value, label] = enabled ? ['no', own.switchOff] : ['yes', own.switchOn]
  return html`<section class="card" aria-labelledby="switch"><h2 id="switch">${label}</h2><p>${own.offHint}</p>
<form method="post" action="${WEBHOOKS}/${id}/enabled"><input type="hidden" name="enabled" value="${value}">
<button class="plain">${label}</button></form></section>`
}

async function recover(visit: Visit) {
  const { reply } = visit
  const { id } = await ownWebhook(visit)
  const value = readField(visit.form, 'since')
  const since = ISO_DATE.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(since)) {
    reply.code(400)
    const message = visit.words.webhooks.wrongSince
    return webhookPage(visit, { value, problems: [{ field: 'since', message }] })
  }
  let count = 0
  let after: number | undefined
  do {
    const range = { since, after }
    const recovery: Recovery = await visit.write(changes.recoverDeliveries, id, range, visit.clock())
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
export function secretPage(visit: Visit, { id, secret, title, lead }: NewSecret): string {
  const { webhooks: own } = visit.words
  const back = { path: `${WEBHOOKS}/${id}`, text: own.toWebhook }
  return shownOnce(visit, { title, lead, label: own.secret, secret, back })
}

function removePage(visit: Visit, { id, url }: webhooks.StoredWebhook): string {
  const { webhooks: own } = visit.words
  return confirmPage(visit, {
    title: own.removeTitle(new URL(url).host),
    text: html`<p>${own.removeLead}</p>`,
    yes: own.remove,
    back: `${WEBHOOKS}/${id}`,
  })
}

const DELIVERIES_PER_PAGE = 20

/** The requests that send a test, or send a delivery again. */
function changeDeliveries({ post }: Routes): void {
  post('/webhooks/:id/test', async (visit) => {
    const { id } = await ownWebhook(visit)
    await visit.write(changes.insertTest, id, visit.clock())
    return visit.reply.redirect(`${WEBHOOKS}/${id}?done=testSent`, 303)
  })

  post('/webhooks/:id/deliveries/:deliveryId', async (visit) => {
    const { id } = await ownWebhook(visit)
    const deliveryId = wholeNumberOf(visit.params.deliveryId)
    if (deliveryId === undefined) throw new ApiError('delivery_not_found')
    await visit.write(changes.retryDelivery, id, deliveryId, visit.clock())
    return visit.reply.redirect(`${WEBHOOKS}/${id}?done=sentAgain`, 303)
  })
}

/** A page of deliveries of a webhook, latest first. */
async function deliveriesSection(visit: Visit, webhook: StoredWebhook): Promise<Html> {
  const { webhooks: own, list } = visit.words
  const before = wholeNumberOf(visit.query.before)
  // Reads one more row, to know whether a next page exists.
  const found = await listDeliveries(visit.db, webhook.id, {
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
    ? html`<ul class="rows">${rows.map((row) => deliveryItem(row, webhook, visit))}</ul>`
    : html`<p class="card">${own.noDeliveries}</p>`
}${(first || next) && pagerOf(list, first, next)}`
}

const TAGS = { pending: '', delivered: 'available', failed: 'unlisted' }

function deliveryItem(delivery: Delivery, { id: webhookId, enabled }: StoredWebhook, visit: Visit): Html {
  const { language, words } = visit
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
export function ownWebhook(visit: Visit): Promise<StoredWebhook> {
  return get(visit.db, pathId(visit), scopeOf(visit.caller))
}

/** Whether the caller manages webhooks. A manager without an organization cannot. */
export const managesWebhooks = ({ caller }: Visit): boolean =>
  caller.access === 'admin' || caller.organizationId !== undefined
