import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { renewKey } from '../../../../keys/make.ts'
import * as keys from '../../../../keys/store.ts'
import { authorityOf } from '../../../../staff/accounts.ts'
import { mayManageKey } from '../../../../staff/roles.ts'
import { timeIn } from '../../dates.ts'
import { selectField } from '../../forms.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { pathId } from '../path-id.ts'
import { shownOnce } from '../shown-once.ts'
import { KEYS, planOf, stateOf } from './list.ts'

type ById = { Params: { id: string } }

const HOUR_MS = 3_600_000
/** How long the secret before still works, by the name that the form has of it. */
const OVERLAPS = new Map([
  ['7d', 168 * HOUR_MS],
  ['24h', 24 * HOUR_MS],
  ['1h', HOUR_MS],
  ['0', 0],
])

/** Shows a key, gives it another secret, and revokes it. */
export function keyPages(app: App, context: Context): void {
  const { write, clock, config } = context
  app.get<ById>('/keys/:id', async (request: FastifyRequest) => page(request, await keyOf(context, request)))

  app.post<ById>('/keys/:id/rotate', async (request: FastifyRequest, reply) => {
    const { id, name } = await ownKey(context, request)
    const overlapMs = OVERLAPS.get((request.body as FormBody).get('overlap') ?? '') ?? 24 * HOUR_MS
    const now = clock()
    const secret = await renewKey(write, config.environment, { id, now, overlapMs })
    if (secret === undefined) return gone(reply)
    const { language, words } = wordsFor(request)
    return shownOnce(request, {
      title: words.keys.rotatedTitle(name),
      lead: words.keys.rotatedLead(timeIn(language, now + overlapMs)),
      label: words.keys.key,
      secret,
      back: { path: KEYS, text: words.keys.toList },
    })
  })

  app.get<ById>('/keys/:id/revoke', async (request: FastifyRequest) =>
    revokePage(request, await ownKey(context, request)),
  )

  app.post<ById>('/keys/:id/revoke', async (request: FastifyRequest, reply) => {
    const { id } = await ownKey(context, request)
    const isRevoked = await write(changes.revokeKey, id, clock())
    return isRevoked ? reply.redirect(`${KEYS}?done=keyRevoked`, 303) : gone(reply)
  })
}

const gone = (reply: FastifyReply) => reply.redirect(`${KEYS}?done=keyGone`, 303)

/** @throws {ApiError} route_not_found, also for one of another organization */
async function keyOf({ db }: Context, request: FastifyRequest): Promise<keys.Key> {
  const key = await keys.find(db, pathId(request))
  const { organizationId } = request.caller
  if (!key || (organizationId !== undefined && key.organization_id !== organizationId))
    throw new ApiError('route_not_found')
  return key
}

/** The key, for somebody who decides about it. @throws {ApiError} insufficient_access */
async function ownKey(context: Context, request: FastifyRequest): Promise<keys.Key> {
  const key = await keyOf(context, request)
  if (!mayDecide(request, key)) throw new ApiError('insufficient_access')
  return key
}

function mayDecide({ caller }: FastifyRequest, { access, organization_id }: keys.Key): boolean {
  return mayManageKey(authorityOf(caller), { access, organizationId: organization_id ?? undefined })
}

function page(request: FastifyRequest, key: keys.Key): string {
  const { language, words } = wordsFor(request)
  const { keys: own, people } = words
  const { id, name, access, organization, created_at, revoked_at } = key
  return consolePage(request, {
    title: name,
    main: html`<div class="narrow"><div class="head"><h1>${name}</h1>${stateOf(key, words)}</div>
<dl class="facts card"><dt>${own.numberLabel}</dt><dd>${id}</dd>
<dt>${own.access}</dt><dd>${own.accesses[access]}: ${own.accessHints[access]}</dd>
<dt>${own.plan}</dt><dd>${planOf(key, words)}</dd>
<dt>${people.organization}</dt><dd>${organization ?? people.everywhere}</dd>
<dt>${own.made}</dt><dd>${timeIn(language, created_at)}</dd>
${revoked_at !== null && html`<dt>${own.revokedAt}</dt><dd>${timeIn(language, revoked_at)}</dd>`}</dl>
${revoked_at === null && (mayDecide(request, key) ? decisions(request, key) : html`<p>${own.above}</p>`)}
<p><a href="${KEYS}">${own.toList}</a></p></div>`,
  })
}

function decisions(request: FastifyRequest, { id }: keys.Key): Html {
  const { keys: own } = wordsFor(request).words
  return html`<section class="card" aria-labelledby="rotate"><h2 id="rotate">${own.rotate}</h2><p>${own.rotateHint}</p>
<form method="post" action="${KEYS}/${id}/rotate">
${selectField({
  ...{ name: 'overlap', label: own.overlap, value: '24h' },
  choices: [...OVERLAPS.keys()].map((name) => [name, own.overlaps[name] ?? name]),
})}
<button class="plain">${own.rotateButton}</button></form></section>
<p class="end"><a class="danger" href="${KEYS}/${id}/revoke">${own.revoke}</a></p>`
}

function revokePage(request: FastifyRequest, { id, name }: keys.Key): string {
  const { keys: own, animal } = wordsFor(request).words
  const title = own.revokeTitle(name)
  return consolePage(request, {
    title,
    main: html`<div class="narrow"><h1>${title}</h1><p>${own.revokeLead}</p>
<form method="post" action="${KEYS}/${id}/revoke" class="row"><button class="danger">${own.revoke}</button>
<a class="button plain" href="${KEYS}/${id}">${animal.removeNo}</a></form></div>`,
  })
}
