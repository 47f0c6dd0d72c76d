import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import * as requested from '../../../../pets/requested.ts'
import { checkField, type Problem } from '../../forms.ts'
import { readChoices } from '../choices.ts'
import { newOnce, ONCE, runOnce } from '../forms/once.ts'
import { readValues, type Values } from '../forms/values.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { FORM_FIELDS } from './fields.ts'
import { animalForm } from './form.ts'
import { petProblems } from './problems.ts'
import { newPetOf } from './values.ts'

const PATH = '/animals/new'

/** What the next animal of somebody who adds several has in common with the one before. */
const KEPT = ['categoryId', 'organizationId'] as const

/** Adds an animal, and then another. */
export function addAnimal(app: App, context: Context): void {
  app.get(PATH, (request) => {
    const query = request.query as Record<string, unknown>
    const values = Object.fromEntries(KEPT.map((name) => [name, textOf(query[name])]))
    return page(context, request, { values, status: textOf(query.status), problems: [] })
  })

  app.post(PATH, async (request, reply) => {
    const form = request.body as FormBody
    const values = readValues(form, FORM_FIELDS)
    const status = form.get('status') === 'available' ? 'available' : ''
    try {
      const body = { ...newPetOf(values), ...(status && { status }) }
      const pet = await requested.readNew(context, body)
      const { id } = await runOnce(request, form, (key) =>
        requested.add(context, { caller: request.caller, key }, pet),
      )
      return reply.redirect(form.get('next') === 'another' ? another(values, status) : added(id), 303)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      const { words } = wordsFor(request)
      reply.code(error.status)
      return page(context, request, { values, status, problems: petProblems(error, words) })
    }
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 20) : '')

const added = (id: number): string => `${PREFIX}/animals/${id}?done=added`

function another(values: Values, status: string): string {
  const kept = KEPT.flatMap((name) => (values[name] ? [[name, values[name]] as [string, string]] : []))
  return `${PREFIX}${PATH}?${new URLSearchParams([['done', 'addedAnother'], ['status', status], ...kept])}`
}

interface Shown {
  values: Values
  status: string
  problems: Problem[]
}

async function page(
  context: Context,
  request: FastifyRequest,
  { values, status, problems }: Shown,
): Promise<string> {
  const { language, words } = wordsFor(request)
  const { animal } = words
  const form = animalForm(`${PREFIX}${PATH}`, {
    ...{ language, values, problems, choices: await readChoices(context, request) },
    hidden: { [ONCE]: newOnce() },
    isNew: true,
    after: html`${checkBox(status, animal.publishNow, animal.publishNowHint)}
<div class="actions"><button name="next" value="photos">${animal.saveAdd}</button>
<button class="plain" name="next" value="another">${animal.saveAnother}</button>
<a class="quiet" href="${PREFIX}/animals">${animal.cancel}</a></div>`,
  })
  return consolePage(request, {
    title: animal.addTitle,
    main: html`<h1>${animal.addTitle}</h1><p class="lead">${animal.addHint}</p>${form}`,
  })
}

function checkBox(status: string, label: string, hint: string) {
  return checkField({ name: 'status', label, hint, value: status, checked: 'available' })
}
