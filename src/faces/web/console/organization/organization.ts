import { changes } from '../../../../db/change.ts'
import { ApiError, isRefusal } from '../../../../errors.ts'
import { requireOwnOrganization } from '../../../../http/caller.ts'
import { publicOrigin } from '../../../../http/face.ts'
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
import { type Problem, problemSummary } from '../../forms.ts'
import { shelterPath } from '../../gallery/animals.ts'
import { copiedFrom } from '../../gallery/page-parts.ts'
import { navLink } from '../../page.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import {
  changedFields,
  controlOf,
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
  widen,
} from '../fields.ts'
import { consolePage, copyField } from '../frame.ts'
import { changePhotos, photosSection } from '../photos/photos.ts'
import { type Lookup, newOnce, ONCE, PREFIX, type Routes, submitOnce, type Visit } from '../visit.ts'

const PATH = `${PREFIX}/organizations`
const MAX_LISTED = 100

/** The pages of organizations: a list, a form for a new one, and the details and photos of each. */
export function organizationPages(routes: Routes): void {
  const { get, post } = routes
  const path = '/organizations/:id'
  get('/organizations', async (visit) => {
    const { organizationId } = visit.caller
    if (organizationId !== undefined) return visit.reply.redirect(`${PATH}/${organizationId}`, 303)
    return listPage(visit)
  })
  get('/organizations/new', (visit) => newPage(visit, {}))
  post('/organizations/new', add)
  get(path, detailsPage)
  post(path, save)
  changePhotos(routes, {
    path,
    async owner(visit) {
      const { id, photos } = await ownOrganization(visit)
      return { owner: { kind: 'organization', id }, photos }
    },
    page: (visit, photoProblems) => detailsPage(visit, { photoProblems }),
  })
}

/** @throws {ApiError} organization_not_found, other_organization */
export async function ownOrganization(visit: Lookup): Promise<organizations.StoredOrganization> {
  const { db, caller, params } = visit
  const id = parseInt64(params.id)
  if (id === undefined) throw new ApiError('organization_not_found')
  requireOwnOrganization(caller, id)
  return organizations.get(db, id)
}

async function listPage(visit: Visit): Promise<string> {
  const { organization: own } = visit.words
  const found = await list(visit.db, { limit: MAX_LISTED, within: 1 })
  const items = found.slice(0, MAX_LISTED).map(
    ({
      id,
      name,
      code,
      address,
    }) => html`<li><span></span><div class="about"><a href="${PATH}/${id}">${name}</a>
<small>${[code, address?.city, address?.region].filter(Boolean).join(' · ')}</small></div></li>`,
  )
  return consolePage(visit, {
    title: own.title,
    main: html`<div class="head"><h1>${own.title}</h1>
${visit.may('addOrganizations') && html`<a class="button" href="${PATH}/new">${own.add}</a>`}</div>
${items.length > 0 ? html`<ul class="animals plain">${items}</ul>` : noneYet(visit, own.none)}`,
  })
}

/** Explains that a page needs an organization. Also says how to add an organization, or who can add one. */
export function noneYet({ may, words: { organization } }: Visit, text: string): Html {
  const way = may('addOrganizations')
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

async function add(visit: Visit) {
  const { reply, form } = visit
  const values = readValues(form, NEW_FIELDS)
  try {
    const sent = readNew(patchOf(values, changedFields(values, {}), NEW_FIELDS))
    const organization = await withCoordinates(sent)
    const { id } = await submitOnce(visit, form, (key) =>
      visit.context.writeOnce(key, changes.insertOrganization, organization, visit.clock()),
    )
    return reply.redirect(`${PATH}/${id}?done=organizationAdded`, 303)
  } catch (error) {
    if (!isRefusal(error)) throw error
    reply.code(error.status)
    return newPage(visit, values, organizationProblems(error, visit.words))
  }
}

function newPage(visit: Visit, values: Values, problems: readonly Problem[] = []): string {
  const { language, words } = visit
  const { organization: own, animal } = words
  const form = organizationForm(`${PATH}/new`, {
    ...{ language, groups: NEW_GROUPS, values, problems },
    hidden: html`<input type="hidden" name="${ONCE}" value="${newOnce()}">`,
    actions: html`<button>${own.addButton}</button>
<a class="quiet" href="${PATH}">${animal.cancel}</a>`,
  })
  const main = html`<h1>${own.add}</h1><p class="lead">${own.addLead}</p>
${form}`
  return consolePage(visit, { title: own.add, main })
}

/** The content of the page after the service has refused a form. */
interface Refusal {
  values?: Values
  problems?: readonly Problem[]
  photoProblems?: readonly string[]
}

async function detailsPage(
  visit: Visit,
  { values, problems = [], photoProblems }: Refusal = {},
): Promise<string> {
  const { language, words } = visit
  const stored = await ownOrganization(visit)
  const { id, name, photos } = stored
  if (stored.source !== undefined) return copyPage(visit, stored)
  const now = valuesOf(stored, FIELDS)
  const path = `${PATH}/${id}`
  const form = organizationForm(path, {
    ...{ language, groups: GROUPS, values: values ?? now, problems },
    hidden: html`<input type="hidden" name="marks" value="${marksOf(now, FIELDS)}">`,
    actions: html`<button>${words.animal.save}</button>`,
  })
  const main = html`${organizationHead(visit, stored, 'details')}
${form}
${photosSection(visit, { path, name, photos, mayChange: true }, photoProblems)}`
  return consolePage(visit, { title: name, main, scripts: ['photos.js'] })
}

/** The page of a copy of an organization of another installation, which is changed only there. */
function copyPage(visit: Visit, stored: organizations.StoredOrganization): string {
  const { texts, words } = visit
  const main = html`${organizationHead(visit, stored, 'details')}
<p class="notice">${words.errors.followed_organization}</p>${copiedFrom({ texts }, stored)}`
  return consolePage(visit, { title: stored.name, main })
}

export const readPatch = createBodyParser(OrganizationPatch)

/** Saves only the edited fields. */
async function save(visit: Visit): Promise<unknown> {
  const { reply, form } = visit
  const stored = await ownOrganization(visit)
  const { id } = stored
  const values = readValues(form, FIELDS)
  const typed = typedIn(values, form.get('marks') ?? '', FIELDS)
  const now = valuesOf(stored, FIELDS)
  try {
    const sent = readPatch(patchOf(values, changedFields(typed, now), FIELDS))
    const patch = await patchWithCoordinates(visit.db, id, sent)
    await visit.write(changes.updateOrganization, id, patch, visit.clock())
    return reply.redirect(`${PATH}/${id}?done=saved`, 303)
  } catch (error) {
    if (!isRefusal(error)) throw error
    reply.code(error.status)
    const problems = organizationProblems(error, visit.words)
    return detailsPage(visit, { values: { ...now, ...typed }, problems })
  }
}

/** The pages of an organization: the end of the path of each. */
const TABS = { details: '', questions: '/questions', website: '/website' } as const

type Tab = keyof typeof TABS

export const tabPath = (id: number, tab: Tab): string => `${PREFIX}/organizations/${id}${TABS[tab]}`

/** The heading of an organization, with links to its pages and to the page that the public sees. */
export function organizationHead(
  { words }: Visit,
  { id, name, code, source }: Pick<StoredOrganization, 'id' | 'name' | 'code' | 'source'>,
  current: Tab,
): Html {
  const { tabs } = words.organization
  const all = Object.keys(TABS) as Tab[]
  const shown = source === undefined ? all : all.filter((tab) => tab !== 'questions')
  const links = shown.map(
    (tab) => html`<li>${navLink(tabPath(id, tab), tabs[tab], tabPath(id, current))}</li>`,
  )
  return html`<h1>${name} <small>${code}</small></h1>
<nav aria-label="${name}"><ul class="kinds tabs">${links}<li><a href="${shelterPath(code)}">${tabs.public}</a></li></ul></nav>`
}

/** The page with the line that shows the animals of an organization on its own website. */
export function websitePage({ get }: Routes): void {
  get('/organizations/:id/website', async (visit) => {
    const { words } = visit
    const { website } = words.organization
    const organization = await ownOrganization(visit)
    const origin = publicOrigin(visit.context.config, visit.request)
    const frame = `${origin}/embed?organization=${organization.code}`
    const script = `<script src="${origin}/embed.js" data-organization="${organization.code}" async></script>`
    const iframe = `<iframe src="${frame}" title="${website.frameTitle}" width="100%" height="800"></iframe>`
    const main = html`${organizationHead(visit, organization, 'website')}
<p class="lead">${website.lead}</p>
<div class="card">${copyField(words, { id: 'script', label: website.script, text: script, rows: 4 })}
<p>${website.hint}</p></div>
<div class="card">${copyField(words, { id: 'iframe', label: website.iframe, text: iframe, rows: 4 })}
<p>${website.iframeHint}</p></div>
<p><a href="${frame}">${website.preview}</a></p>`
    return consolePage(visit, { title: `${words.organization.tabs.website} – ${organization.name}`, main })
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

function input(field: FormField, { values, problems, language }: FormParts): Html {
  const { labels, hints, notices } = textsOf(language).console.organization
  const { name, kind } = field
  const shown = { name, label: labels[name] ?? name, value: values[name], problems, hint: hints[name] }
  return widen(field, controlOf(kind, shown, { rows: 5, choices: notices }))
}

const hintOf = (hint: string | undefined): Part => hint && html`<p class="hint">${hint}</p>`
