import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import type { StoredPet } from '../../../../pets/store.ts'
import type { Problem } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { readChoices } from '../choices.ts'
import { newOnce, ONCE } from '../forms/once.ts'
import { NON_FIELD } from '../forms/problems.ts'
import { marksOf, type Values, valuesOf } from '../forms/values.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { photosSection } from '../photos/section.ts'
import { FORM_FIELDS } from './fields.ts'
import { animalForm } from './form.ts'
import { historySection } from './history-section.ts'
import { ordersSection } from './orders.ts'
import { statusButtons, statusTag } from './status-buttons.ts'

/** What a page of an animal shows beside the animal itself. */
export interface Shown {
  /** What somebody typed; the animal as it is when absent. */
  values?: Values
  problems?: readonly Problem[]
  conflict?: Html
  photoProblems?: readonly string[]
}

/** Everything about one animal. */
export async function animalPage(
  context: Context,
  request: FastifyRequest,
  stored: StoredPet & { id: number },
  shown: Shown = {},
): Promise<string> {
  const { words } = wordsFor(request)
  const { pet } = stored
  const { sections } = words.animal
  const own = {
    ...{ path: `${PREFIX}/animals/${pet.id}`, name: pet.name, photos: stored.photos },
    mayChange: callerMay(request.caller, 'changeAnimals'),
  }
  const photos = photosSection(context.config, request, own, shown.photoProblems)
  const details = html`<section class="card" aria-labelledby="details"><h2 id="details">${sections.details}</h2>
${await detailsForm(context, request, stored, shown)}</section>`
  const main = html`${head(request, stored, words, shown)}
${await ordersSection(context, request, pet.id)}
${shown.values ? [details, photos] : [photos, details]}
${await historySection(context, request, stored)}
${
  own.mayChange &&
  html`<p class="end"><a class="danger" href="${PREFIX}/animals/${pet.id}/delete">${words.animal.remove}</a></p>`
}`
  return consolePage(request, { title: pet.name, main, scripts: ['photos.js'] })
}

function head(request: FastifyRequest, { pet }: StoredPet, words: Texts['console'], shown: Shown): Html {
  const status = pet.status ?? 'unlisted'
  const isInGallery = status === 'available' || status === 'pending'
  const general = shown.values ? undefined : (shown.problems ?? []).find(({ field }) => field === NON_FIELD)
  return html`<div class="head"><div><h1>${pet.name}</h1>
<p>${statusTag(status, words)} ${words.animals.why[status]}
${isInGallery && html`<a href="/animals/${pet.id}">${words.animal.inGallery}</a>`}</p></div>
${callerMay(request.caller, 'changeAnimals') && statusButtons(pet, words)}</div>
${general && html`<p class="summary problem" role="alert">${general.message}</p>`}`
}

async function detailsForm(
  context: Context,
  request: FastifyRequest,
  stored: StoredPet,
  { values, problems = [], conflict }: Shown,
): Promise<Html> {
  const { language, words } = wordsFor(request)
  const now = valuesOf(stored.pet, FORM_FIELDS)
  const { etag } = validatorHeaders(stored, request.caller.view)
  const mayChange = callerMay(request.caller, 'changeAnimals')
  const actions: Part = html`<div class="actions"><button>${words.animal.save}</button></div>`
  return animalForm(`${PREFIX}/animals/${stored.pet.id}`, {
    ...{ language, values: values ?? now, problems: values ? problems : [] },
    choices: await readChoices(context, request),
    hidden: { [ONCE]: newOnce(), etag, marks: marksOf(now, FORM_FIELDS) },
    isReadOnly: !mayChange,
    before: conflict,
    after: mayChange && actions,
  })
}
