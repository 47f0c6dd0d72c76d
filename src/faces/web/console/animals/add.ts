import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import * as requested from '../../../../pets/requested.ts'
import { checkField, type Problem } from '../../forms.ts'
import { onlyChoice, readFormChoices, readOrganizations } from '../choices.ts'
import { readValues, type Values } from '../fields.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { newOnce, ONCE, runOnce } from '../once.ts'
import { PREFIX } from '../pages.ts'
import { animalForm, FORM_FIELDS, newPetOf, petProblems } from './form.ts'
import { findSameChip, lacksOrganization } from './page.ts'
import { withTypedAge } from './typed-age.ts'

const PATH = '/animals/new'

/** The fields that "Save and add another" keeps. */
const REPEATED = ['categoryId', 'organizationId'] as const

/** The page that adds an animal. */
export function addAnimal(app: App, context: Context): void {
  app.get(PATH, async (request) => {
    const query = request.query as Record<string, unknown>
    const values = Object.fromEntries(REPEATED.map((name) => [name, textOf(query[name])]))
    values.organizationId ||= onlyChoice(await readOrganizations(context, request.caller))
    return page(context, request, values, textOf(query.status))
  })

  app.post(PATH, async (request, reply) => {
    const form = request.body as FormBody
    const values = readValues(form, FORM_FIELDS)
    const status = form.get('status') === 'available' ? 'available' : ''
    try {
      const sent = withTypedAge(newPetOf(values), context.clock())
      const pet = await requested.readNew(context, { ...sent, ...(status && { status }) })
      const { id } = await runOnce(request, form, (key) =>
        requested.add(context, { caller: request.caller, key }, pet),
      )
      const added = `${PREFIX}/animals/${id}?done=added`
      // The page of the animal warns if another animal has the same microchip.
      const isAnother =
        form.get('next') === 'another' && (await findSameChip(context, request, { ...pet, id })).length === 0
      const notice = lacksOrganization(pet) ? 'addedUnassigned' : 'addedAnother'
      return reply.redirect(isAnother ? another(values, status, notice) : added, 303)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      reply.code(error.status)
      const problems = petProblems(error, wordsFor(request).words, { values })
      return page(context, request, values, status, problems)
    }
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 20) : '')

function another(values: Values, status: string, done: string): string {
  const query = new URLSearchParams({ done, status })
  for (const name of REPEATED) if (values[name]) query.set(name, values[name])
  return `${PREFIX}${PATH}?${query}`
}

async function page(
  context: Context,
  request: FastifyRequest,
  values: Values,
  status: string,
  problems: readonly Problem[] = [],
): Promise<string> {
  const { language, words } = wordsFor(request)
  const { animal } = words
  const { publishNow: label, publishNowHint: hint } = animal
  const form = animalForm(`${PREFIX}${PATH}`, {
    ...{ language, values, problems, choices: await readFormChoices(context, request, values) },
    hidden: { [ONCE]: newOnce() },
    isNew: true,
    after: html`${checkField({ name: 'status', label, hint, value: status, checked: 'available' })}
<div class="actions"><button name="next" value="photos">${animal.saveAdd}</button>
<button class="plain" name="next" value="another">${animal.saveAnother}</button>
<a class="quiet" href="${PREFIX}/animals">${animal.cancel}</a></div>`,
  })
  return consolePage(request, {
    title: animal.addTitle,
    main: html`<h1>${animal.addTitle}</h1><p class="lead">${animal.addHint}</p>${form}`,
  })
}
