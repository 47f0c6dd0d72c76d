import type { FastifyRequest } from 'fastify'
import { type Html, html, type Part } from '../../../../http/html.ts'
import type { InsidePet } from '../../../../pets/inside.ts'
import { pickedOf } from '../../../../pets/row.ts'
import { daysSince } from '../../dates.ts'
import type { Texts } from '../../texts/texts.ts'
import { wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { statusTag } from './status-buttons.ts'

/** What a row shows of an animal. */
export const ROW_PICKED = pickedOf(
  'id,name,categoryId,status,externalId,organizationId,breed,age,sex,photos,publishedAt',
)

export interface RowsOptions {
  request: FastifyRequest
  now: number
  /** Names of categories and organizations, by their ids. */
  categories: ReadonlyMap<string, string>
  organizations?: ReadonlyMap<string, string> | undefined
  /** Only how long each waits: what a list is of says the rest. */
  isBrief?: boolean
}

/** Animals, one below the other, each with why it is in the gallery or not. */
export function rows(pets: readonly InsidePet[], options: RowsOptions): Html {
  return html`<ul class="animals">${pets.map((pet) => row(pet, options))}</ul>`
}

function row(pet: InsidePet, options: RowsOptions): Html {
  const { words } = wordsFor(options.request)
  const status = pet.status ?? 'unlisted'
  return html`<li>${thumbnail(pet, words)}<div class="about"><a href="${PREFIX}/animals/${pet.id}">${pet.name}</a>
<small>${facts(pet, options)}</small></div>
<div class="state">${!options.isBrief && statusTag(status, words)} <small>${!options.isBrief && words.animals.why[status]} ${waiting(pet, options, words)}</small></div>
${pet.status === undefined && callerMay(options.request.caller, 'changeAnimals') && publish(pet, options, words)}</li>`
}

const SIDE = 64

function thumbnail({ photos }: InsidePet, words: Texts['console']): Html {
  const [first] = photos ?? []
  if (!first) return html`<span class="thumb none"><small>${words.animals.noPhoto}</small></span>`
  return html`<img class="thumb" src="${first.sizes.small}" alt="" width="${SIDE}" height="${SIDE}" loading="lazy">`
}

function facts(pet: InsidePet, { request, categories, organizations }: RowsOptions): Part {
  const { common } = wordsFor(request)
  const { categoryId, breed, age, sex, externalId, organizationId } = pet
  const all = [
    breed?.primary ?? categories.get(String(categoryId)),
    age && common.age[age],
    sex && sex !== 'unknown' && common.sex[sex],
    externalId,
    organizationId !== undefined && organizations?.get(String(organizationId)),
  ]
  return all.filter(Boolean).join(' · ')
}

function waiting({ status, publishedAt }: InsidePet, { now }: RowsOptions, words: Texts['console']): Part {
  const waits = status === 'available' || status === 'pending'
  return waits && publishedAt !== undefined && words.animals.days(daysSince(publishedAt, now))
}

/** Leads back to the list as it was. */
function publish({ id, name }: InsidePet, { request }: RowsOptions, words: Texts['console']): Html {
  return html`<form method="post" action="${PREFIX}/animals/${id}/status"><input type="hidden" name="to" value="${request.url}">
<button class="plain" name="status" value="available" aria-label="${words.animals.publishName(name)}">${words.animals.publish}</button></form>`
}
