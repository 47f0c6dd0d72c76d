import { ORDER_TRANSITIONS } from '../../../../applications/order-changes.ts'
import { listOpen } from '../../../../applications/search.ts'
import { seesInternalData } from '../../../../http/caller.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import type { Order } from '../../../../orders/schema.ts'
import { list, viewerOf } from '../../../../orders/store.ts'
import { OutcomeKind, type PetStatus } from '../../../../pets/fields.ts'
import { MOVES } from '../../../../pets/move.ts'
import { parseFields, toPetView } from '../../../../pets/row.ts'
import { isListed } from '../../../../pets/rules.ts'
import type { Pet } from '../../../../pets/schema.ts'
import { findByMicrochip, foldMicrochip } from '../../../../pets/staff-list.ts'
import * as pets from '../../../../pets/store.ts'
import { formatDate, mailLink } from '../../formats.ts'
import { longTextField, type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import { copiedFrom } from '../../gallery/page-parts.ts'
import { agree } from '../../gallery/phrases.ts'
import type { Texts } from '../../texts/texts.ts'
import { applicantName, stateLine } from '../applications/applicant.ts'
import { readFormChoices } from '../choices.ts'
import { marksOf, NON_FIELD, type Values, valuesOf } from '../fields.ts'
import { consolePage } from '../frame.ts'
import { photosSection } from '../photos/photos.ts'
import { newOnce, ONCE, PREFIX, type Visit } from '../visit.ts'
import { careSentence } from './days.ts'
import { animalForm, FORM_FIELDS, OUTCOME_FIELDS, schemaOf } from './form.ts'
import { gapWarnings } from './gaps.ts'
import { historySection } from './history.ts'
import { notesSection } from './notes.ts'
import { bondedLine, type OwnAnimal } from './own-animal.ts'

const MAX_ORDERS = 20

/** The content of the page after the service has refused a form. */
interface Refusal {
  /** The texts of the form. By default, the texts of the stored animal. */
  values?: Values
  problems?: readonly Problem[]
  conflict?: Html
  photoProblems?: readonly string[]
  outcome?: { values: Values; problems: readonly Problem[] }
  note?: { values: Values; problems: readonly Problem[] }
}

/** The page of an animal: photos, details, adoptions and history. */
export async function animalPage(visit: Visit, stored: OwnAnimal, refusal: Refusal = {}): Promise<string> {
  const { clock, words } = visit
  const { pet } = stored
  const { sections } = words.animal
  if (stored.row.source !== null) return copyPage(visit, stored)
  const mayChange = visit.may('changeAnimals')
  const path = `${PREFIX}/animals/${pet.id}`
  const photographed = { path, name: pet.name, photos: stored.photos, mayChange }
  const photos = photosSection(visit, photographed, refusal.photoProblems)
  const details = html`<section class="card" aria-labelledby="details"><h2 id="details">${sections.details}</h2>
${await detailsForm(visit, stored, refusal)}</section>`
  const about = html`${careOf(visit, stored)}${await bondedLine(visit, stored)}`
  const main = html`${head(visit, stored, refusal, about)}${await chipWarning(visit, stored)}${await gapWarnings(visit, stored)}
${await openApplications(visit, pet.id)}
${await ordersSection(visit, pet.id)}
${refusal.values ? [details, photos] : [photos, details]}
${notesSection(visit, pet, clock(), refusal.note)}
${outcomeSection(visit, pet, clock(), refusal.outcome)}
${await historySection(visit, stored)}
${mayChange && html`<p class="end"><a class="danger" href="${path}/delete">${words.animal.remove}</a></p>`}`
  return consolePage(visit, { title: pet.name, main, scripts: ['photos.js'] })
}

/** The page of a copy of an animal of another installation, which is changed only there. */
async function copyPage(visit: Visit, stored: OwnAnimal): Promise<string> {
  const { texts, words } = visit
  const { pet, row } = stored
  const main = html`<div class="head"><div><h1>${pet.name}</h1>
<p>${statusTag(pet, visit)} ${isListed(pet) && html`<a href="/animals/${pet.id}">${words.animal.inGallery}</a>`}</p>
<p class="notice">${words.errors.followed_animal}</p>${copiedFrom({ texts }, row)}</div></div>
<section class="card" aria-labelledby="details"><h2 id="details">${words.animal.sections.details}</h2>
${await detailsForm(visit, stored, {})}</section>`
  return consolePage(visit, { title: pet.name, main })
}

const CARE_MEMBERS = parseFields('status,staff,createdAt,publishedAt')

function careOf(visit: Visit, { row }: pets.StoredPet): Part {
  const view = toPetView(row, { view: visit.caller.view, photosBase: '' }, CARE_MEMBERS)
  const care = careSentence(visit, view.toObject(), visit.clock())
  return care && html`<p>${care}</p>`
}

function head(visit: Visit, { pet }: pets.StoredPet, { values, problems = [] }: Refusal, about: Html): Html {
  const { words } = visit
  const general = values ? undefined : problems.find(({ field }) => field === NON_FIELD)
  return html`<div class="head"><div><h1>${pet.name}</h1>
<p>${statusTag(pet, visit)} ${whyOf(pet, words)}
${isListed(pet) && html`<a href="/animals/${pet.id}">${words.animal.inGallery}</a>`}</p>
${pet.staff?.holdReason && html`<p>${holdTag(pet, visit)} ${pet.staff.holdReason}</p>`}
${fosterLine(pet, words)}${about}
${paperLinks(visit, pet.id)}</div>
${visit.may('changeAnimals') && statusButtons(pet, words)}</div>
${general && html`<p class="summary problem" role="alert">${general.message}</p>`}`
}

function fosterLine({ staff = {} }: Pick<Pet, 'staff'>, { animal }: Texts['console']): Html | undefined {
  const { fosterName, fosterEmail, fosterPhone } = staff
  if ((fosterName ?? fosterEmail ?? fosterPhone) === undefined) return undefined
  return html`<p><span class="tag">${animal.inFoster}</span> ${fosterName} ${fosterEmail && mailLink(fosterEmail)} ${fosterPhone}</p>`
}

function paperLinks({ texts }: Visit, id: number | undefined): Html {
  const { links } = texts.papers
  return html`<p class="unprinted"><a href="${PREFIX}/animals/${id}/poster">${links.poster}</a> · <a href="${PREFIX}/animals/${id}/kennel-card">${links.kennelCard}</a></p>`
}

/** Finds animals with the same microchip that the caller may see. */
export async function findSameChip({ db, caller }: Visit, pet: Pick<Pet, 'staff' | 'id'>): Promise<Pet[]> {
  const chip = foldMicrochip(pet)
  if (chip === undefined) return []
  const found = await findByMicrochip(db, [chip], caller.organizationId)
  const others = await pets.findMany(
    db,
    (found.get(chip) ?? []).filter((id) => id !== pet.id),
  )
  return others.filter(({ organizationId }) => seesInternalData(caller.view, organizationId))
}

/** Warns that the animal was probably added twice. */
async function chipWarning(visit: Visit, { pet }: OwnAnimal): Promise<Html | false> {
  const [other] = await findSameChip(visit, pet)
  const { sameChip } = visit.words.animal
  return (
    other !== undefined &&
    html`<p class="summary problem" role="status">${sameChip} <a href="${PREFIX}/animals/${other.id}">${other.name}</a></p>`
  )
}

/** The status or the outcome of an animal. In some languages, the word agrees with the animal's sex. */
export function statusTag(pet: Pick<Pet, 'status' | 'sex' | 'staff'>, { texts }: Visit): Html {
  const status = pet.status ?? 'unlisted'
  const { outcomeKind } = pet.staff ?? {}
  const { animal, animals } = texts.console
  const label = (outcomeKind ? animal.outcome.kinds[outcomeKind] : animals.statuses[status]) ?? status
  return html`<span class="tag ${outcomeKind ? 'left' : status}">${agree(texts, label, pet)}</span>`
}

/** Marks an animal that is on hold. */
export function holdTag(pet: Pick<Pet, 'sex' | 'staff'>, { common, words }: Visit): Html | undefined {
  if (pet.staff?.holdReason === undefined) return undefined
  return html`<span class="tag unlisted">${agree({ common }, words.animal.onHold, pet)}</span>`
}

/** Why an animal is in the gallery or not. */
export function whyOf(
  { status, staff }: Pick<Pet, 'status' | 'staff'>,
  { animal, animals }: Texts['console'],
): string {
  if (staff?.outcomeKind) return animal.outcome.why
  if (staff?.holdReason && status === undefined) return animal.onHoldWhy
  return animals.why[status ?? 'unlisted'] ?? ''
}

function statusButtons({ id, status }: Pick<Pet, 'id' | 'status'>, words: Texts['console']): Html {
  const next: readonly PetStatus[] = status ? MOVES[status] : ['available']
  const buttons = next.map((to) =>
    to === 'sold'
      ? html`<a class="button plain" href="${PREFIX}/animals/${id}/adopted">${words.animal.moves[to]}</a>`
      : html`<button name="status" value="${to}"${status && html` class="plain"`}>${
          status ? words.animal.moves[to] : words.animal.publish
        }</button>`,
  )
  return html`<form class="row" method="post" action="${PREFIX}/animals/${id}/status">${buttons}</form>`
}

async function detailsForm(
  visit: Visit,
  stored: pets.StoredPet,
  { values, problems = [], conflict }: Refusal,
): Promise<Html> {
  const { language, words } = visit
  const now = valuesOf(stored.pet, FORM_FIELDS)
  const { etag } = validatorHeaders(stored, visit.caller.view)
  const mayChange = visit.may('changeAnimals') && stored.row.source === null
  return animalForm(`${PREFIX}/animals/${stored.pet.id}`, {
    ...{ language, values: values ?? now, problems: values ? problems : [] },
    choices: await readFormChoices(visit, values ?? now),
    hidden: { [ONCE]: newOnce(), etag, marks: marksOf(now, FORM_FIELDS) },
    isReadOnly: !mayChange,
    before: conflict,
    after: mayChange && html`<div class="actions"><button>${words.animal.save}</button></div>`,
  })
}

/** The open applications for an animal, for callers who may see applicants. */
async function openApplications(visit: Visit, petId: number): Promise<Html | undefined> {
  const { db, clock, caller } = visit
  if (!visit.may('seeAdopters')) return undefined
  const open = await listOpen(db, petId, viewerOf(caller))
  if (open.length === 0) return undefined
  const { applications } = visit.words
  const path = `${PREFIX}/applications`
  return html`<section class="card" id="applications" aria-labelledby="of-applications"><div class="head"><h2 id="of-applications">${applications.open}</h2>
${open.length > 1 && html`<a class="button plain" href="${path}?petId=${petId}">${applications.compare(open.length)}</a>`}</div>
<ul class="history">${open.map(
    (one) =>
      html`<li><p><a href="${path}/${one.id}">${applicantName(one, visit)}</a> ${stateLine(one, visit, clock())}</p></li>`,
  )}</ul></section>`
}

/** The orders for the animal, for callers who may see adopters. */
async function ordersSection(visit: Visit, petId: number): Promise<Html | undefined> {
  const { db, caller } = visit
  if (!visit.may('seeAdopters')) return undefined
  const orders = await list(db, { petId, limit: MAX_ORDERS }, viewerOf(caller))
  if (orders.length === 0) return undefined
  const { sections } = visit.words.animal
  return html`<section class="card" id="orders" aria-labelledby="of-orders"><h2 id="of-orders">${sections.orders}</h2>
<ul class="history">${orders.map((order) => orderItem(order, petId, visit))}</ul></section>`
}

function orderItem({ id, status, adopter, placedAt }: Order, petId: number, visit: Visit): Html {
  const { may, language, words } = visit
  const { orders } = words.animal
  const buttons = orderButtons(status, words)
  return html`<li><p><strong>${adopter?.name ?? orders.erased}</strong> <span class="tag">${orders.statuses[status]}</span>
<time datetime="${placedAt}">${formatDate(language, Date.parse(placedAt))}</time></p>
${adopter && html`<p>${mailLink(adopter.email)} ${adopter.phone}</p>`}
${adopter?.message && html`<p class="said">${adopter.message}</p>`}
${
  buttons.length > 0 &&
  may('decideOrders') &&
  html`<form class="row" method="post" action="${PREFIX}/animals/${petId}/orders/${id}">${buttons}</form>`
}</li>`
}

/** A button for each possible decision on an order. */
export function orderButtons(status: Order['status'], { animal }: Texts['console']): Html[] {
  return ORDER_TRANSITIONS[status].map(
    (to) =>
      html`<button name="status" value="${to}"${to === 'cancelled' && html` class="plain"`}>${animal.orders.decisions[to]}</button>`,
  )
}

export const [KIND, DATE, NOTE] = ['staff.outcomeKind', 'staff.outcomeDate', 'staff.outcomeNote'] as const

/** How an animal left, and the form for it. */
function outcomeSection(
  { may, language, common, words }: Visit,
  pet: Pet,
  now: number,
  refused?: { values: Values; problems: readonly Problem[] },
): Html | undefined {
  const { outcome, fields } = words.animal
  const { outcomeKind, outcomeDate, outcomeNote } = pet.staff ?? {}
  const isAdopted = pet.status === 'sold'
  const isOver = isAdopted || outcomeKind !== undefined
  if (!isOver && !may('changeAnimals')) return undefined
  const label = (outcomeKind ? outcome.kinds[outcomeKind] : words.animals.statuses.sold) ?? ''
  const said = isOver
    ? html`<p><strong>${agree({ common }, label, pet)}</strong> ${outcomeDate && html`<time datetime="${outcomeDate}">${formatDate(language, Date.parse(outcomeDate))}</time>`}</p>
${outcomeNote && html`<p class="said">${outcomeNote}</p>`}`
    : undefined
  const today = new Date(now).toISOString().slice(0, 10)
  const stored = valuesOf(pet, OUTCOME_FIELDS)
  const values = refused?.values ?? { ...stored, [DATE]: stored[DATE] || (isAdopted ? '' : today) }
  const problems = refused?.problems ?? []
  const shared = (name: string) => ({
    ...{ name, label: fields.labels[name] ?? name, value: values[name], problems },
    maxLength: schemaOf(name).maxLength,
  })
  const kinds = OutcomeKind.enum.map((kind) => [kind, outcome.kinds[kind] ?? kind] as const)
  const form = html`<form method="post" action="${PREFIX}/animals/${pet.id}/outcome" novalidate>
<p class="hint">${isAdopted ? outcome.adoptedHint : outcome.hint}</p>${problemSummary(words.animal.wrong, problems)}
<div class="fields">${!isAdopted && selectField({ ...shared(KIND), choices: [['', fields.choose], ...kinds] })}
${textField({ ...shared(DATE), type: 'date' })}
<div class="wide">${longTextField({ ...shared(NOTE), rows: 2 })}</div></div>
<div class="row"><button class="plain">${isOver ? words.animal.save : outcome.record}</button>
${outcomeKind && html`<button class="plain" name="remove" value="yes">${outcome.remove}</button>`}</div></form>`
  return html`<section class="card" id="outcome"><details class="group"${(isOver || refused) && html` open`}>
<summary><h2>${outcome.title}</h2></summary>${said}${may('changeAnimals') && form}</details></section>`
}
