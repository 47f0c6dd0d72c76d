import { Readable } from 'node:stream'
import { type Html, html } from '../../../../http/html.ts'
import { makeCursor, readCursor } from '../../../../http/paging.ts'
import { finderOf } from '../../../../pets/search/filters.ts'
import type { Position } from '../../../../pets/search/matching.ts'
import { listForStaff, type StaffPet, type StaffPetQuery } from '../../../../pets/staff-list.ts'
import { photosBaseForPages } from '../../../../photos/storage/stored-photo.ts'
import { csvLine, shieldFormulas } from '../../../../transfer/columns.ts'
import { type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { type Choices, onlyChoice, organizationSelect, readChoices } from '../choices.ts'
import { consolePage, pagerOf } from '../frame.ts'
import { csvReply, idsIn, PREFIX, type Routes, type Visit } from '../visit.ts'
import { daysInCare } from './days.ts'
import { addressOf, filterForm, filtersIn, LIST_PATH, queryOf } from './filters.ts'
import { schemaOf } from './form.ts'
import { publishedWarnings } from './gaps.ts'
import { ROW_MEMBERS, SELECTED_FORM, table } from './rows.ts'

const PAGE_SIZE = 25

export function listAnimals({ get }: Routes): void {
  get('/animals', (visit) => listPage(visit, visit.query))
}

/** @param query the filters and the cursor @param result what became of the selected animals */
export async function listPage(
  visit: Visit,
  query: Record<string, unknown>,
  result?: SelectedResult,
): Promise<string> {
  const { clock, caller, words } = visit
  const { config, cursorSecret } = visit.context
  const { animals, list } = words
  const filters = filtersIn(query)
  const choices = await readChoices(visit)
  const scope = JSON.stringify(['console animals', caller.view, filters])
  const cursor = typeof query.cursor === 'string' ? query.cursor : undefined
  const after = cursor === undefined ? undefined : readCursor<Position>(cursorSecret, scope, cursor)
  const { found, next } = await listForStaff(finderOf(visit.context), {
    query: queryOf(filters, visit),
    limit: PAGE_SIZE,
    after,
    selection: ROW_MEMBERS,
    renderOptions: { view: caller.view, photosBase: photosBaseForPages(config) },
  })
  const address = addressOf(filters, { ...(cursor !== undefined && { cursor }) })
  const selected = new Set(result?.selected)
  const options = { visit, now: clock(), filters, address, selected, ...namesOf(choices) }
  const nextPage = next && addressOf(filters, { cursor: makeCursor(cursorSecret, scope, next) })
  const main = html`<div class="head"><h1>${animals.title}</h1>
${visit.may('changeAnimals') && html`<a class="button" href="${PREFIX}/animals/new">${animals.add}</a>`}</div>
${selectedReport(visit, result)}${await publishedWarnings(visit, result?.published)}
${filterForm(filters, choices, words)}
${
  found.length > 0
    ? html`<h2 class="visually-hidden">${animals.found}</h2>${table(found, options)}${selectedForm(visit, address, choices, result)}`
    : html`<p class="card">${animals.none}</p>`
}
${pagerOf(list, after !== undefined && addressOf(filters), nextPage)}
${found.length > 0 && csvLink(addressOf(filters, {}, `${LIST_PATH}.csv`), list.download)}`
  return consolePage(visit, { title: animals.title, main })
}

const csvLink = (address: string, words: string): Html =>
  html`<p><a href="${address}" download>${words}</a></p>`

export function namesOf({ categories, organizations }: Choices) {
  return {
    categories: new Map(categories),
    organizations: Array.isArray(organizations) ? new Map(organizations) : undefined,
  }
}

/** An animal that an action could not change. */
export interface FailedAnimal {
  id: number
  name: string
  reason: string
}

/** The result of an action on the selected animals. */
export interface SelectedResult {
  /** The ids that stay selected. */
  selected: readonly number[]
  values: Record<string, string>
  problems: readonly Problem[]
  done: number
  /** The ids of animals that are now in the gallery. */
  published: number[]
  failed: readonly FailedAnimal[]
}

const MAX_TAG_LENGTH = 40
export const HOLD = 'staff.holdReason'

/** The form for the selected animals, under the table. */
function selectedForm(
  { may, words }: Visit,
  address: string,
  { organizations }: Choices,
  { values = {}, problems = [] }: Partial<SelectedResult> = {},
): Html | undefined {
  if (!may('changeAnimals')) return undefined
  const { list, animal, animals } = words
  const actions = Object.entries(list.actions).filter(([action]) => action !== 'assign' || organizations)
  const field = (name: string, label = '') => ({ name, label, value: values[name], problems })
  const organization = {
    ...field('organizationId', animals.organization),
    value: values.organizationId ?? onlyChoice(organizations),
  }
  return html`<form class="card with-selected" id="${SELECTED_FORM}" method="post" action="${LIST_PATH}/selected">
<h2>${list.selected}</h2><input type="hidden" name="to" value="${address}">
<label class="choice" hidden><input type="checkbox" data-checks="id"> ${list.selectAll}</label>
<div class="row">${selectField({ ...field('action', list.action), choices: [['', list.choose], ...actions] })}
<div class="for-tag">${textField({ ...field('tag', list.tag), maxLength: MAX_TAG_LENGTH })}</div>
<div class="for-hold">${textField({ ...field(HOLD, animal.fields.labels[HOLD]), maxLength: schemaOf(HOLD).maxLength })}</div>
${organizations && html`<div class="for-assign">${organizationSelect(organizations, organization, list.noOrganization)}</div>`}
<button>${list.apply}</button></div></form>`
}

/** Says how many animals were changed, and which animals could not be changed. */
function selectedReport({ words }: Visit, result: SelectedResult | undefined): Html | undefined {
  if (!result) return undefined
  const { list } = words
  const { done, failed, problems } = result
  const items = failed.map(
    ({ id, name, reason }) => html`<li><a href="${LIST_PATH}/${id}">${name}</a>: ${reason}</li>`,
  )
  return html`${problemSummary(words.animal.wrong, problems)}${done > 0 && html`<p class="notice" role="status">${list.done(done)}</p>`}${
    failed.length > 0 &&
    html`<div class="summary" role="alert"><h2>${list.failed(failed.length)}</h2><p>${list.stillSelected}</p><ul>${items}</ul></div>`
  }`
}

const CSV_PAGE_SIZE = 100
const MAX_IDS = 100

/** The list of animals as a file: all that match the filters, or those with the ids in the address. */
export function animalsCsv({ get }: Routes): void {
  get('/animals.csv', async (visit) =>
    csvReply(visit, 'animals.csv').send(Readable.from(await linesOf(visit))),
  )
}

type Names = ReturnType<typeof namesOf>

async function linesOf(visit: Visit): Promise<AsyncGenerator<string>> {
  const names = namesOf(await readChoices(visit))
  const named = visit.query
  const ids = idsIn(named.id)
  const query: StaffPetQuery = {
    ...queryOf(filtersIn(named), visit),
    ...(ids.length > 0 && { ids: ids.slice(0, MAX_IDS), sort: '-id' }),
  }
  const columns = columnsOf(visit.texts, names, visit.clock())
  const renderOptions = { view: visit.caller.view, photosBase: '' }
  async function* lines(): AsyncGenerator<string> {
    // Spreadsheet programs need the byte order mark to read accents.
    yield `\uFEFF${lineOf(columns.map(([heading]) => heading))}`
    for (let after: Position | undefined; ; ) {
      const page = { query, limit: CSV_PAGE_SIZE, after, selection: ROW_MEMBERS, renderOptions }
      const { found, next } = await listForStaff(finderOf(visit.context), page)
      yield found.map((pet) => lineOf(columns.map(([, textOf]) => textOf(pet)))).join('')
      if (!next) return
      after = next
    }
  }
  return lines()
}

const lineOf = (cells: (string | number | undefined)[]): string =>
  csvLine(cells.map((cell = '') => shieldFormulas(String(cell))))

type CsvColumn = [heading: string, textOf: (pet: StaffPet) => string | number | undefined]

function columnsOf(
  { common, console: words }: Texts,
  { categories, organizations }: Names,
  now: number,
): CsvColumn[] {
  const { list, animals, animal } = words
  const { labels } = animal.fields
  const statusOf = ({ status, staff }: StaffPet): string | undefined =>
    staff?.outcomeKind ? animal.outcome.kinds[staff.outcomeKind] : animals.statuses[status ?? 'unlisted']
  const columns: CsvColumn[] = [
    ['id', ({ id }) => id],
    [list.columns.name ?? '', ({ name }) => name],
    [list.columns.number ?? '', ({ externalId }) => externalId],
    [animals.category, ({ categoryId }) => categories.get(String(categoryId))],
    [labels['breed.primary'] ?? '', ({ breed }) => breed?.primary],
    [labels.age ?? '', ({ age }) => age && common.age[age]],
    [labels.sex ?? '', ({ sex }) => sex && common.sex[sex]],
    [list.columns.kennel ?? '', ({ staff }) => staff?.kennel],
    [labels['staff.intakeDate'] ?? '', ({ staff }) => staff?.intakeDate],
    [list.columns.intake ?? '', (pet) => daysOf(pet, now)],
    [list.columns.status ?? '', statusOf],
  ]
  if (organizations)
    columns.push([animals.organization, ({ organizationId }) => organizations.get(String(organizationId))])
  return columns
}

function daysOf(pet: StaffPet, now: number): number | undefined {
  const care = daysInCare(pet, now)
  return care && !care.isPlanned ? care.days : undefined
}
