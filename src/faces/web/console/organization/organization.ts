import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { requireOwnOrganization } from '../../../../http/caller.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { parseInt64 } from '../../../../http/int64.ts'
import { Type } from '../../../../http/type.ts'
import { createBodyParser } from '../../../../http/validate-body.ts'
import { list } from '../../../../organizations/list.ts'
import { patchWithCoordinates, withCoordinates } from '../../../../organizations/places.ts'
import { Code, NewOrganization, OrganizationPatch } from '../../../../organizations/schema.ts'
import * as organizations from '../../../../organizations/store.ts'
import type { Problem } from '../../forms.ts'
import { changedFields, marksOf, patchOf, readValues, typedIn, type Values, valuesOf } from '../fields.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { newOnce, ONCE, runOnce } from '../once.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { changePhotos, photosSection } from '../photos/photos.ts'
import { FIELDS, GROUPS, NEW_FIELDS, NEW_GROUPS, organizationForm, organizationProblems } from './form.ts'
import { organizationHead } from './tabs.ts'

const PATH = `${PREFIX}/organizations`
const MAX_LISTED = 100

/** The pages of organizations: a list, a form for a new one, and the details and photos of each. */
export function organizationPages(app: App, context: Context): void {
  const path = '/organizations/:id'
  app.get('/organizations', async (request, reply) => {
    const { organizationId } = request.caller
    if (organizationId !== undefined) return reply.redirect(`${PATH}/${organizationId}`, 303)
    return listPage(context, request)
  })
  app.get('/organizations/new', (request) => newPage(request, {}))
  app.post('/organizations/new', (request, reply) => add(context, request, reply))
  app.get(path, (request) => detailsPage(context, request))
  app.post(path, (request, reply) => save(context, request, reply))
  changePhotos(app, context, {
    path,
    async owner(request) {
      const { id, photos } = await ownOrganization(context, request)
      return { owner: { kind: 'organization', id }, photos }
    },
    page: (request, photoProblems) => detailsPage(context, request, { photoProblems }),
  })
}

/** @throws {ApiError} organization_not_found, other_organization */
export async function ownOrganization(
  { db }: Pick<Context, 'db'>,
  { params, caller }: FastifyRequest,
): Promise<organizations.StoredOrganization> {
  const id = parseInt64((params as { id: string }).id)
  if (id === undefined) throw new ApiError('organization_not_found')
  requireOwnOrganization(caller, id)
  return organizations.get(db, id)
}

async function listPage({ db }: Context, request: FastifyRequest): Promise<string> {
  const { organization: own } = wordsFor(request).words
  const found = await list(db, { limit: MAX_LISTED, within: 1 })
  const items = found.slice(0, MAX_LISTED).map(
    ({
      id,
      name,
      code,
      address,
    }) => html`<li><span></span><div class="about"><a href="${PATH}/${id}">${name}</a>
<small>${[code, address?.city, address?.region].filter(Boolean).join(' · ')}</small></div></li>`,
  )
  return consolePage(request, {
    title: own.title,
    main: html`<div class="head"><h1>${own.title}</h1>
${callerMay(request.caller, 'addOrganizations') && html`<a class="button" href="${PATH}/new">${own.add}</a>`}</div>
${items.length > 0 ? html`<ul class="animals plain">${items}</ul>` : noneYet(request, own.none)}`,
  })
}

/** Explains that a page needs an organization. Also says how to add an organization, or who can add one. */
export function noneYet(request: FastifyRequest, text: string): Html {
  const { organization } = wordsFor(request).words
  const way = callerMay(request.caller, 'addOrganizations')
    ? html`<a href="${PATH}/new">${organization.addFirst}</a>`
    : organization.adminAdds
  return html`<p class="card">${text} ${way}</p>`
}

const { name, ...others } = NewOrganization.properties

/**
 * Parses a new organization and requires a code. The API generates a missing code, but people see the code,
 * and it never changes. The members are in the order of the form, so the problems are in the same order.
 */
const readNew = createBodyParser(Type.Object({ name, ...others, code: Code }))

async function add(context: Context, request: FastifyRequest, reply: FastifyReply) {
  const form = request.body as FormBody
  const values = readValues(form, NEW_FIELDS)
  try {
    const sent = readNew(patchOf(values, changedFields(values, {}), NEW_FIELDS))
    const organization = await withCoordinates(sent)
    const { id } = await runOnce(request, form, (key) =>
      context.writeOnce(key, changes.insertOrganization, organization, context.clock()),
    )
    return reply.redirect(`${PATH}/${id}?done=organizationAdded`, 303)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    reply.code(error.status)
    return newPage(request, values, organizationProblems(error, wordsFor(request).words))
  }
}

function newPage(request: FastifyRequest, values: Values, problems: readonly Problem[] = []): string {
  const { language, words } = wordsFor(request)
  const { organization: own, animal } = words
  const form = organizationForm(`${PATH}/new`, {
    ...{ language, groups: NEW_GROUPS, values, problems },
    hidden: html`<input type="hidden" name="${ONCE}" value="${newOnce()}">`,
    actions: html`<button>${own.addButton}</button>
<a class="quiet" href="${PATH}">${animal.cancel}</a>`,
  })
  const main = html`<h1>${own.add}</h1><p class="lead">${own.addLead}</p>
${form}`
  return consolePage(request, { title: own.add, main })
}

/** The content of the page after the service has refused a form. */
interface Refusal {
  values?: Values
  problems?: readonly Problem[]
  photoProblems?: readonly string[]
}

async function detailsPage(
  context: Context,
  request: FastifyRequest,
  { values, problems = [], photoProblems }: Refusal = {},
): Promise<string> {
  const { language, words } = wordsFor(request)
  const stored = await ownOrganization(context, request)
  const { id, name, photos } = stored
  const now = valuesOf(stored, FIELDS)
  const path = `${PATH}/${id}`
  const form = organizationForm(path, {
    ...{ language, groups: GROUPS, values: values ?? now, problems },
    hidden: html`<input type="hidden" name="marks" value="${marksOf(now, FIELDS)}">`,
    actions: html`<button>${words.animal.save}</button>`,
  })
  const main = html`${organizationHead(request, stored, 'details')}
${form}
${photosSection(context.config, request, { path, name, photos, mayChange: true }, photoProblems)}`
  return consolePage(request, { title: name, main, scripts: ['photos.js'] })
}

export const readPatch = createBodyParser(OrganizationPatch)

/** Saves only the edited fields. */
async function save(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const stored = await ownOrganization(context, request)
  const { id } = stored
  const form = request.body as FormBody
  const values = readValues(form, FIELDS)
  const typed = typedIn(values, form.get('marks') ?? '', FIELDS)
  const now = valuesOf(stored, FIELDS)
  try {
    const sent = readPatch(patchOf(values, changedFields(typed, now), FIELDS))
    const patch = await patchWithCoordinates(context.db, id, sent)
    await context.write(changes.updateOrganization, id, patch, context.clock())
    return reply.redirect(`${PATH}/${id}?done=saved`, 303)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    reply.code(error.status)
    const problems = organizationProblems(error, wordsFor(request).words)
    return detailsPage(context, request, { values: { ...now, ...typed }, problems })
  }
}
