import type { Access } from '../../../../access.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import { readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { wholeNumberOf } from '../../../../http/int64.ts'
import { isKeyName, MAX_KEY_NAME, makeKey, renewKey } from '../../../../keys/make.ts'
import type { NewKey } from '../../../../keys/store.ts'
import * as keys from '../../../../keys/store.ts'
import * as organizations from '../../../../organizations/store.ts'
import { type Limits, PLANS, type Plan } from '../../../../plans.ts'
import { authorityOf } from '../../../../staff/accounts.ts'
import { accessUpTo, mayManageKey } from '../../../../staff/roles.ts'
import { formatDate, formatDateTime } from '../../formats.ts'
import { type Problem, problemSummary, radioField, selectField, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { organizationField } from '../choices.ts'
import { confirmPage, consolePage, pageOf, shownOnce } from '../frame.ts'
import { PREFIX, pathId, type Routes, type Visit } from '../visit.ts'

export const KEYS = `${PREFIX}/keys`
const USAGE = `${PREFIX}/usage`

const HOUR_MS = 3_600_000
/** The times for which the old secret still works after a rotation, by the value in the form. */
const OVERLAPS = new Map([
  ['7d', 168 * HOUR_MS],
  ['24h', 24 * HOUR_MS],
  ['1h', HOUR_MS],
  ['0', 0],
])

/** The pages of API keys: a list, their usage, and a page to rotate or revoke a key. */
export function keyPages({ get, post }: Routes): void {
  get('/keys', listPage)
  get('/usage', usagePage)
  get('/keys/:id', async (visit) => keyPage(visit, await keyOf(visit)))

  post('/keys/:id/rotate', async (visit) => {
    const { context, write, language, words } = visit
    const { id, name } = await ownKey(visit)
    const overlapMs = OVERLAPS.get(visit.form.get('overlap') ?? '') ?? 24 * HOUR_MS
    const now = visit.clock()
    const secret = await renewKey(write, context.config.environment, { id, now, overlapMs })
    if (secret === undefined) return gone(visit)
    return shownOnce(visit, {
      title: words.keys.rotatedTitle(name),
      lead: words.keys.rotatedLead(formatDateTime(language, now + overlapMs)),
      label: words.keys.key,
      secret,
      back: { path: KEYS, text: words.keys.toList },
    })
  })

  get('/keys/:id/revoke', async (visit) => revokePage(visit, await ownKey(visit)))

  post('/keys/:id/revoke', async (visit) => {
    const { id } = await ownKey(visit)
    const isRevoked = await visit.write(changes.revokeKey, id, visit.clock())
    return isRevoked ? visit.reply.redirect(`${KEYS}?done=keyRevoked`, 303) : gone(visit)
  })
}

async function listPage(visit: Visit): Promise<string> {
  const { keys: words } = visit.words
  const { rows, pager } = await pageOf(visit, KEYS, (part) => keys.list(visit.db, part))
  const main = html`<div class="head"><h1>${words.title}</h1>
<a class="button" href="${KEYS}/new">${words.make}</a></div>
<p class="lead">${words.lead}</p>
${rows.length > 0 ? html`<ul class="rows">${rows.map((key) => row(key, visit))}</ul>` : html`<p class="card">${words.none}</p>`}${pager}`
  return consolePage(visit, { title: words.title, main })
}

function row(key: keys.Key, { language, words }: Visit): Html {
  const { id, name, access, created_at, organization } = key
  const facts = [
    words.keys.number(id),
    organization ?? words.people.everywhere,
    formatDate(language, created_at),
  ]
  return html`<li><div class="about"><a href="${KEYS}/${id}">${name}</a>
<small>${facts.join(' · ')}</small></div>
<div class="state">${stateOf(key, words)} <small>${words.keys.accesses[access]} · ${planOf(key, words)}</small></div></li>`
}

function stateOf({ revoked_at }: keys.Key, { keys: words }: Texts['console']): Html {
  return revoked_at === null
    ? html`<span class="tag available">${words.valid}</span>`
    : html`<span class="tag">${words.revoked}</span>`
}

function planOf({ plan, per_minute, per_day }: keys.Key, { keys: words }: Texts['console']): string {
  const figures = per_minute === null || per_day === null ? undefined : words.figures(per_minute, per_day)
  return figures === undefined ? (words.plans[plan] ?? plan) : `${words.plans[plan]} (${figures})`
}

const gone = ({ reply }: Visit) => reply.redirect(`${KEYS}?done=keyGone`, 303)

/** @throws {ApiError} route_not_found, also for a key of another organization */
async function keyOf(visit: Visit): Promise<keys.Key> {
  const key = await keys.find(visit.db, pathId(visit))
  const { organizationId } = visit.caller
  if (!key || (organizationId !== undefined && key.organization_id !== organizationId))
    throw new ApiError('route_not_found')
  return key
}

/** Returns the key if the caller may change it. @throws {ApiError} route_not_found, insufficient_access */
async function ownKey(visit: Visit): Promise<keys.Key> {
  const key = await keyOf(visit)
  if (!mayDecide(visit, key)) throw new ApiError('insufficient_access')
  return key
}

function mayDecide({ caller }: Visit, { access, organization_id }: keys.Key): boolean {
  return mayManageKey(authorityOf(caller), { access, organizationId: organization_id ?? undefined })
}

function keyPage(visit: Visit, key: keys.Key): string {
  const { language, words } = visit
  const { keys: own, people } = words
  const { id, name, access, organization, created_at, revoked_at } = key
  return consolePage(visit, {
    title: name,
    main: html`<div class="narrow"><div class="head"><h1>${name}</h1>${stateOf(key, words)}</div>
<dl class="facts card"><dt>${own.numberLabel}</dt><dd>${id}</dd>
<dt>${own.access}</dt><dd>${own.accesses[access]}: ${own.accessHints[access]}</dd>
<dt>${own.plan}</dt><dd>${planOf(key, words)}</dd>
<dt>${people.organization}</dt><dd>${organization ?? people.everywhere}</dd>
<dt>${own.made}</dt><dd>${formatDateTime(language, created_at)}</dd>
${revoked_at !== null && html`<dt>${own.revokedAt}</dt><dd>${formatDateTime(language, revoked_at)}</dd>`}</dl>
${revoked_at === null && (mayDecide(visit, key) ? decisions(visit, key) : html`<p>${own.above}</p>`)}
<p><a href="${KEYS}">${own.toList}</a></p></div>`,
  })
}

function decisions({ words: { keys: own } }: Visit, { id }: keys.Key): Html {
  return html`<section class="card" aria-labelledby="rotate"><h2 id="rotate">${own.rotate}</h2><p>${own.rotateHint}</p>
<form method="post" action="${KEYS}/${id}/rotate">
${selectField({
  ...{ name: 'overlap', label: own.overlap, value: '24h' },
  choices: [...OVERLAPS.keys()].map((name) => [name, own.overlaps[name] ?? name]),
})}
<button class="plain">${own.rotateButton}</button></form></section>
<p class="end"><a class="danger" href="${KEYS}/${id}/revoke">${own.revoke}</a></p>`
}

function revokePage(visit: Visit, { id, name }: keys.Key): string {
  const { keys: own } = visit.words
  return confirmPage(visit, {
    title: own.revokeTitle(name),
    text: html`<p>${own.revokeLead}</p>`,
    yes: own.revoke,
    back: `${KEYS}/${id}`,
  })
}

/** How much of its daily limit each key has used. */
async function usagePage(visit: Visit): Promise<string> {
  const { db, language, words } = visit
  const { limiter } = visit.context
  const { usage } = words
  const { rows: active, pager } = await pageOf(visit, USAGE, (part) =>
    keys.list(db, { ...part, isActive: true }),
  )
  const numbers = new Intl.NumberFormat(language)
  const rows = active.map((key): Html => {
    const today = limiter.usedToday?.(`key:${key.id}`)
    const limit = limitOf(key)
    return html`<tr><th scope="row">${key.name}</th><td>${words.keys.plans[key.plan] ?? key.plan}</td>
<td>${today !== undefined && html`<meter min="0" max="${limit}" high="${limit * 0.8}" value="${Math.min(today, limit)}" aria-label="${key.name}"></meter> ${usage.of(numbers.format(today), numbers.format(limit))}`}</td></tr>`
  })
  return consolePage(visit, {
    title: usage.title,
    main: html`<h1>${usage.title}</h1><p class="lead">${limiter.usedToday ? usage.lead : usage.inRedis}</p>
${
  rows.length === 0
    ? html`<p class="card">${usage.none}</p>`
    : html`<div class="card"><table><thead><tr><th scope="col">${usage.key}</th><th scope="col">${usage.plan}</th><th scope="col">${usage.today}</th></tr></thead><tbody>${rows}</tbody></table></div>`
}${pager}`,
  })
}

function limitOf({ plan, per_day }: keys.Key): number {
  const figures = PLANS[plan]
  return figures === 'custom' ? Number(per_day) : figures.perDay
}

const MAX_REQUESTS = 9_999_999_999

const FIELDS = ['name', 'access', 'plan', 'perMinute', 'perDay', 'organizationId'] as const
type KeyInput = Record<(typeof FIELDS)[number], string>

const NEW: KeyInput = {
  ...{ name: '', access: 'read', plan: 'free', perMinute: '', perDay: '', organizationId: '' },
}

/** The page that creates a key and shows it once. */
export function newKeyPages({ get, post }: Routes): void {
  get('/keys/new', (visit) => page(visit, NEW))

  post('/keys/new', async (visit) => {
    const { context, form, words } = visit
    const typed = Object.fromEntries(FIELDS.map((name) => [name, readField(form, name)])) as KeyInput
    const { key, problems } = await read(visit, typed)
    if (!key) {
      visit.reply.code(400)
      return page(visit, typed, problems)
    }
    if (!mayManageKey(authorityOf(visit.caller), key)) throw new ApiError('insufficient_access')
    const { id, secret } = await makeKey(visit.write, context.config.environment, key, visit.clock())
    return shownOnce(visit, {
      title: words.keys.madeTitle(key.name),
      lead: words.keys.madeLead(id),
      label: words.keys.key,
      secret,
      back: { path: KEYS, text: words.keys.toList },
    })
  })
}

/** Reads and validates the form with the same rules as the command. */
async function read(visit: Visit, typed: KeyInput): Promise<{ key?: NewKey; problems: Problem[] }> {
  const { problems: words } = visit.words.keys
  const { role, organizationId: own } = authorityOf(visit.caller)
  const problems: Problem[] = []
  const addProblem = (field: keyof KeyInput, message: string): void => void problems.push({ field, message })
  const { name, access, plan } = typed
  if (!isKeyName(name)) addProblem('name', words.name)
  if (!accessUpTo(role).includes(access as Access)) addProblem('access', words.access)
  if (!plansFor(role).includes(plan as Plan)) addProblem('plan', words.plan)
  const chosen = typed.organizationId === '' ? undefined : (wholeNumberOf(typed.organizationId) ?? 0)
  const organizationId = own ?? chosen
  const exists = organizationId === undefined || (await organizations.find(visit.db, organizationId))
  if (!exists) addProblem('organizationId', words.organization)
  if (access === 'admin' && organizationId !== undefined) addProblem('access', words.admin)
  const limits = plan === 'enterprise' ? limitsIn(typed, addProblem, words.count) : undefined
  if (problems.length > 0) return { problems }
  return { problems, key: { name, access: access as Access, plan: plan as Plan, organizationId, limits } }
}

function limitsIn(
  { perMinute, perDay }: KeyInput,
  addProblem: (field: 'perMinute' | 'perDay', message: string) => void,
  message: string,
): Limits {
  const count = (field: 'perMinute' | 'perDay', text: string): number => {
    const value = wholeNumberOf(text) ?? 0
    if (value < 1 || value > MAX_REQUESTS) addProblem(field, message)
    return value
  }
  return { perMinute: count('perMinute', perMinute), perDay: count('perDay', perDay) }
}

/** Only an admin can give the plan with custom limits. */
function plansFor(role: string): Plan[] {
  const all = Object.keys(PLANS) as Plan[]
  return role === 'admin' ? all : all.filter((plan) => PLANS[plan] !== 'custom')
}

async function page(visit: Visit, typed: KeyInput, problems: readonly Problem[] = []): Promise<string> {
  const { words } = visit
  const { keys, signIn } = words
  const { role, organizationId } = authorityOf(visit.caller)
  const offered = accessUpTo(role).filter((one) => one !== 'admin' || organizationId === undefined)
  const plans = plansFor(role)
  const own = { value: typed.organizationId, problems }
  const limitField = (name: 'perMinute' | 'perDay', label: string) =>
    textField({ name, label, value: typed[name], problems, inputMode: 'numeric', hint: keys.enterpriseOnly })
  return consolePage(visit, {
    title: keys.makeTitle,
    main: html`<div class="narrow"><h1>${keys.makeTitle}</h1><p class="lead">${keys.makeLead}</p>
<form class="card" method="post" action="${KEYS}/new" novalidate>${problemSummary(signIn.wrong, problems)}
${textField({
  ...{ name: 'name', label: keys.name, hint: keys.nameHint, value: typed.name, required: true, problems },
  ...{ autocomplete: 'off', maxLength: MAX_KEY_NAME },
})}
${radioField({
  ...{ name: 'access', label: keys.access, value: typed.access, problems },
  choices: offered.map((one) => [one, `${keys.accesses[one]}: ${keys.accessHints[one]}`]),
})}
${selectField({
  ...{ name: 'plan', label: keys.plan, hint: keys.planHint, value: typed.plan, problems },
  choices: plans.map((plan) => [plan, planWords(plan, visit)]),
})}
${plans.includes('enterprise') && [limitField('perMinute', keys.perMinute), limitField('perDay', keys.perDay)]}
${await organizationField(visit, { ...own, hint: keys.organizationHint })}
<div class="row"><button>${keys.makeButton}</button><a class="quiet" href="${KEYS}">${words.animal.cancel}</a></div></form></div>`,
  })
}

function planWords(plan: Plan, { words: { keys } }: Visit): string {
  const figures: Limits | 'custom' = PLANS[plan]
  const limits = figures === 'custom' ? keys.ownFigures : keys.figures(figures.perMinute, figures.perDay)
  return `${keys.plans[plan]}: ${limits}`
}
