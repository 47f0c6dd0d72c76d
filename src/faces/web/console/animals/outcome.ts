import type { FastifyRequest } from 'fastify'
import { type Html, html } from '../../../../http/html.ts'
import { OutcomeKind } from '../../../../pets/fields.ts'
import type { Pet } from '../../../../pets/schema.ts'
import { formatDate } from '../../dates.ts'
import { longTextField, type Problem, problemSummary, selectField, textField } from '../../forms.ts'
import { agree } from '../../gallery/phrases.ts'
import { type Values, valuesOf } from '../fields.ts'
import { wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { OUTCOME_FIELDS, schemaOf } from './form.ts'

export const [KIND, DATE, NOTE] = ['staff.outcomeKind', 'staff.outcomeDate', 'staff.outcomeNote'] as const

/** How an animal left, and the form for it. */
export function outcomeSection(
  request: FastifyRequest,
  pet: Pet,
  now: number,
  refused?: { values: Values; problems: readonly Problem[] },
): Html | undefined {
  const { language, common, words } = wordsFor(request)
  const { outcome, fields } = words.animal
  const { outcomeKind, outcomeDate, outcomeNote } = pet.staff ?? {}
  const isAdopted = pet.status === 'sold'
  const isOver = isAdopted || outcomeKind !== undefined
  if (!isOver && !callerMay(request.caller, 'changeAnimals')) return undefined
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
<summary><h2>${outcome.title}</h2></summary>${said}${callerMay(request.caller, 'changeAnimals') && form}</details></section>`
}
