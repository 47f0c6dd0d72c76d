import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { requireOwn } from '../../../../http/caller.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { int64 } from '../../../../http/int64.ts'
import { bodyReader } from '../../../../http/judge-body.ts'
import { relocated } from '../../../../organizations/locate.ts'
import { OrganizationPatch } from '../../../../organizations/schema.ts'
import { list } from '../../../../organizations/search.ts'
import * as organizations from '../../../../organizations/store.ts'
import { type Problem, problemSummary } from '../../forms.ts'
import { NON_FIELD, problemsOf } from '../forms/problems.ts'
import {
  changedFields,
  marksOf,
  patchOf,
  readValues,
  touchedFields,
  type Values,
  valuesOf,
} from '../forms/values.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { changePhotos } from '../photos/routes.ts'
import { photosSection } from '../photos/section.ts'
import { FIELDS, formOf, GROUPS } from './fields.ts'
import { fieldsIn } from './form.ts'
import { noneYet } from './none-yet.ts'

const PATH = `${PREFIX}/organizations`
const MOST_LISTED = 100

/** The details and photos of organizations: of one's own, or of all. */
export function organizationPages(app: App, context: Context): void {
  app.get('/organizations', async (request, reply) => {
    const { organizationId } = request.caller
    if (organizationId !== undefined) return reply.redirect(`${PATH}/${organizationId}`, 303)
    return listPage(context, request)
  })
  app.get('/organizations/:id', async (request) => page(context, request))
  app.post('/organizations/:id', (request, reply) => save(context, request, reply))
  changePhotos(app, context, {
    path: '/organizations/:id',
    async owner(request) {
      const { id, photos } = await ownOrganization(context, request)
      return { owner: { kind: 'organization', id }, photos }
    },
    page: (request, photoProblems) => page(context, request, { photoProblems }),
  })
}

/** @throws {ApiError} organization_not_found, other_organization */
async function ownOrganization(
  { db }: Pick<Context, 'db'>,
  { params, caller }: FastifyRequest,
): Promise<organizations.Stored> {
  const id = int64((params as { id: string }).id)
  if (id === undefined) throw new ApiError('organization_not_found')
  requireOwn(caller, id)
  return organizations.get(db, id)
}

async function listPage({ db }: Context, request: FastifyRequest): Promise<string> {
  const { organization: own } = wordsFor(request).words
  const found = await list(db, { limit: MOST_LISTED, within: 1 })
  const items = found.slice(0, MOST_LISTED).map(
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

interface Shown {
  values?: Values
  problems?: readonly Problem[]
  photoProblems?: readonly string[]
}

async function page(context: Context, request: FastifyRequest, shown: Shown = {}): Promise<string> {
  const { language, words } = wordsFor(request)
  const { organization: own, animal } = words
  const { id, name, code, photos, ...stored } = await ownOrganization(context, request)
  const now = valuesOf({ name, ...stored }, FIELDS)
  const path = `${PATH}/${id}`
  const problems = shown.problems ?? []
  const fields = fieldsIn(GROUPS, { values: shown.values ?? now, problems, words: own, language })
  const main = html`<h1>${name} <small>${code}</small></h1>
<form class="animal" id="field-${NON_FIELD}" method="post" action="${path}" novalidate data-guard>
${problemSummary(animal.wrong, problems)}<input type="hidden" name="marks" value="${marksOf(now, FIELDS)}">
${fields}<div class="actions"><button>${animal.save}</button></div></form>
${photosSection(context.config, request, { path, name, photos, mayChange: true }, shown.photoProblems)}`
  return consolePage(request, { title: name, main, scripts: ['photos.js'] })
}

const readPatch = bodyReader(OrganizationPatch)

async function save(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const stored = await ownOrganization(context, request)
  const id = stored.id
  const form = request.body as FormBody
  const values = readValues(form, FIELDS)
  const touched = touchedFields(values, form.get('marks') ?? '', FIELDS)
  const now = valuesOf(stored, FIELDS)
  try {
    const sent = readPatch(patchOf(values, changedFields(values, touched, now), FIELDS))
    const patch = await relocated(context.db, id, sent)
    await context.write(changes.updateOrganization, id, patch, context.clock())
    return reply.redirect(`${PATH}/${id}?done=saved`, 303)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    reply.code(error.status)
    const { words } = wordsFor(request)
    const typed = Object.fromEntries([...touched].map((name) => [name, values[name] ?? '']))
    const shown = { values: { ...now, ...typed }, problems: problemsOf(error, words, formOf(words)) }
    return page(context, request, shown)
  }
}
