import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError, isRefusal } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { requireOwnOrganization } from '../../../../http/caller.ts'
import { publicOrigin } from '../../../../http/face.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { parseInt64 } from '../../../../http/int64.ts'
import type { Language } from '../../../../http/language.ts'
import { Type } from '../../../../http/type.ts'
import { createBodyParser } from '../../../../http/validate.ts'
import { list } from '../../../../organizations/list.ts'
import { patchWithCoordinates, withCoordinates } from '../../../../organizations/places.ts'
import { Code, NewOrganization, OrganizationPatch, PATCHABLE } from '../../../../organizations/schema.ts'
import type { StoredOrganization } from '../../../../organizations/store.ts'
import * as organizations from '../../../../organizations/store.ts'
import { longTextField, type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import { shelterPath } from '../../gallery/animals.ts'
import { copiedFrom } from '../../gallery/page-parts.ts'
import { navLink } from '../../page.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import {
  changedFields,
  type FormField,
  field,
  long,
  marksOf,
  NON_FIELD,
  patchOf,
  problemsOf,
  readValues,
  schemaIn,
  typedIn,
  type Values,
  valuesOf,
  wide,
} from '../fields.ts'
import { consolePage, copyField, wordsFor } from '../frame.ts'
import { newOnce, ONCE, submitOnce } from '../once.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { changePhotos, photosSection } from '../photos/photos.ts'

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
    const { id } = await submitOnce(request, form, (key) =>
      context.writeOnce(key, changes.insertOrganization, organization, context.clock()),
    )
    return reply.redirect(`${PATH}/${id}?done=organizationAdded`, 303)
  } catch (error) {
    if (!isRefusal(error)) throw error
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
  if (stored.source !== undefined) return copyPage(request, stored)
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

/** The page of a copy of an organization of another installation, which is changed only there. */
function copyPage(request: FastifyRequest, stored: organizations.StoredOrganization): string {
  const { words, texts } = wordsFor(request)
  const main = html`${organizationHead(request, stored, 'details')}
<p class="notice">${words.errors.followed_organization}</p>${copiedFrom({ texts }, stored)}`
  return consolePage(request, { title: stored.name, main })
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
    if (!isRefusal(error)) throw error
    reply.code(error.status)
    const problems = organizationProblems(error, wordsFor(request).words)
    return detailsPage(context, request, { values: { ...now, ...typed }, problems })
  }
}

/** The pages of an organization: the end of the path of each. */
const TABS = { details: '', questions: '/questions', website: '/website' } as const

type Tab = keyof typeof TABS

export const tabPath = (id: number, tab: Tab): string => `${PREFIX}/organizations/${id}${TABS[tab]}`

/** The heading of an organization, with links to its pages and to the page that the public sees. */
export function organizationHead(
  request: FastifyRequest,
  { id, name, code, source }: Pick<StoredOrganization, 'id' | 'name' | 'code' | 'source'>,
  current: Tab,
): Html {
  const { tabs } = wordsFor(request).words.organization
  const all = Object.keys(TABS) as Tab[]
  const shown = source === undefined ? all : all.filter((tab) => tab !== 'questions')
  const links = shown.map(
    (tab) => html`<li>${navLink(tabPath(id, tab), tabs[tab], tabPath(id, current))}</li>`,
  )
  return html`<h1>${name} <small>${code}</small></h1>
<nav aria-label="${name}"><ul class="kinds tabs">${links}<li><a href="${shelterPath(code)}">${tabs.public}</a></li></ul></nav>`
}

/** The page with the line that shows the animals of an organization on its own website. */
export function websitePage(app: App, context: Context): void {
  app.get('/organizations/:id/website', async (request) => {
    const { words } = wordsFor(request)
    const { website } = words.organization
    const organization = await ownOrganization(context, request)
    const origin = publicOrigin(context.config, request)
    const frame = `${origin}/embed?organization=${organization.code}`
    const script = `<script src="${origin}/embed.js" data-organization="${organization.code}" async></script>`
    const iframe = `<iframe src="${frame}" title="${website.frameTitle}" width="100%" height="800"></iframe>`
    const main = html`${organizationHead(request, organization, 'website')}
<p class="lead">${website.lead}</p>
<div class="card">${copyField(words, { id: 'script', label: website.script, text: script, rows: 4 })}
<p>${website.hint}</p></div>
<div class="card">${copyField(words, { id: 'iframe', label: website.iframe, text: iframe, rows: 4 })}
<p>${website.iframeHint}</p></div>
<p><a href="${frame}">${website.preview}</a></p>`
    return consolePage(request, { title: `${words.organization.tabs.website} – ${organization.name}`, main })
  })
}

type Groups = Record<string, readonly FormField[]>

const partsOf = (member: 'hours' | 'social'): string[] =>
  Object.keys(schemaIn(PATCHABLE, member).properties ?? {}).map((part) => `${member}.${part}`)

/** The fields of the form, by group. */
const GROUPS = {
  contact: [
    wide('name'),
    long('email', 'email'),
    field('phone'),
    long('website', 'web'),
    wide('applicationNotices', 'choice'),
  ],
  address: [
    wide('address.street'),
    ...['address.city', 'address.postcode', 'address.region'].map((name) => field(name)),
    field('address.country', 'country'),
    field('latitude', 'number'),
    field('longitude', 'number'),
  ],
  about: [wide('mission', 'text'), wide('adoptionPolicy', 'text'), wide('adoptionUrl', 'web')],
  hours: partsOf('hours').map((name) => field(name, 'hours')),
  social: partsOf('social').map((name) => field(name, 'account')),
} satisfies Groups

export const FIELDS: readonly FormField[] = Object.values(GROUPS).flat()

const [nameField, ...otherContact] = GROUPS.contact
/** The form of a new organization also asks for the code, which never changes. */
const NEW_GROUPS: Groups = {
  ...GROUPS,
  contact: [nameField, wide('code'), ...otherContact] as FormField[],
}
const NEW_FIELDS: readonly FormField[] = Object.values(NEW_GROUPS).flat()

/** The problems of a refused organization, each with the field of the form. */
function organizationProblems(error: ApiError, words: Texts['console']): Problem[] {
  const { labels, codeTaken, codeWrong } = words.organization
  if (error.code === 'organization_exists') return [{ field: 'code', message: codeTaken }]
  return problemsOf(error, words, {
    fields: NEW_FIELDS,
    labels,
    maxLengthOf: (name) => schemaIn(PATCHABLE, name).maxLength,
    messageOf: (name) => (name === 'code' ? codeWrong(labels.code ?? '') : undefined),
  })
}

interface FormParts {
  language: Language
  groups: Groups
  values: Values
  problems: readonly Problem[]
  /** A hidden input. */
  hidden: Html
  actions: Part
}

function organizationForm(path: string, parts: FormParts): Html {
  const { language, groups, problems, hidden, actions } = parts
  const { animal, organization } = textsOf(language).console
  const fieldsets = Object.entries(groups).map(
    ([group, fields]) => html`<fieldset class="card"><legend><h2>${organization.groups[group]}</h2></legend>
${hintOf(organization.groupHints[group])}<div class="fields">${fields.map((field) => input(field, parts))}</div></fieldset>`,
  )
  return html`<form class="animal" id="field-${NON_FIELD}" method="post" action="${path}" novalidate data-guard>
${problemSummary(animal.wrong, problems)}${hidden}
${fieldsets}<div class="actions">${actions}</div></form>`
}

function input({ name, kind, width }: FormField, { values, problems, language }: FormParts): Html {
  const { labels, hints, notices } = textsOf(language).console.organization
  const hint = hints[name]
  const shared = { name, label: labels[name] ?? name, value: values[name], problems, hint }
  const control =
    kind === 'text'
      ? longTextField({ ...shared, rows: 5 })
      : kind === 'choice'
        ? selectField({ ...shared, choices: notices })
        : textField({ ...shared, type: kind === 'email' ? 'email' : 'text' })
  return width ? html`<div class="${width}">${control}</div>` : control
}

const hintOf = (hint: string | undefined): Part => hint && html`<p class="hint">${hint}</p>`
