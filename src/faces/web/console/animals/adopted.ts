import type { AdoptedBy } from '../../../../applications/adoption.ts'
import { listOpen } from '../../../../applications/search.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError, isRefusal } from '../../../../errors.ts'
import { actorOf } from '../../../../http/caller.ts'
import { readField } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { cleanEmail } from '../../../../http/text.ts'
import { createBodyParser } from '../../../../http/validate.ts'
import { NewOrder } from '../../../../orders/schema.ts'
import { viewerOf } from '../../../../orders/store.ts'
import { type Problem, problemSummary, radioField, textField } from '../../forms.ts'
import { applicantName } from '../applications/applicant.ts'
import { field, NON_FIELD, problemsOf } from '../fields.ts'
import { consolePage } from '../frame.ts'
import { PREFIX, type Routes, type Visit } from '../visit.ts'
import { changeAnimal, type OwnAnimal, ownAnimal } from './own-animal.ts'

/** The values of the choices other than an application. */
const [SOMEONE_ELSE, NOT_SAID] = ['else', 'none']
const FIELDS = ['name', 'email', 'phone'] as const

type FormTexts = Partial<Record<'who' | (typeof FIELDS)[number], string>>

/** The page that asks who has adopted an animal. */
export function adoptedPages({ get, post }: Routes): void {
  const path = '/animals/:id/adopted'
  get(path, async (visit) => adoptedPage(visit, await ownAnimal(visit)))
  post(path, record)
}

const readOrder = createBodyParser(NewOrder)

async function record(visit: Visit) {
  const { reply, form } = visit
  const stored = await ownAnimal(visit)
  const typed: FormTexts = { who: form.get('who') ?? '' }
  for (const name of FIELDS) typed[name] = readField(form, name)
  try {
    await markAdopted(visit, stored, typed)
    return reply.redirect(`${PREFIX}/animals/${stored.id}?done=sold`, 303)
  } catch (error) {
    if (!isRefusal(error)) throw error
    reply.code(error.status)
    return adoptedPage(visit, stored, { typed, problems: problemsIn(error, visit) })
  }
}

async function markAdopted(
  visit: Visit,
  stored: OwnAnimal,
  { who = '', name = '', email = '', phone = '' }: FormTexts,
): Promise<void> {
  const { caller } = visit
  const { id, pet } = stored
  // The form was sent twice.
  if (pet.status === 'sold') return
  if (who === NOT_SAID) return changeAnimal(visit, stored, { status: 'sold' })
  const by = { ...viewerOf(caller), ...actorOf(caller) }
  await visit.write(
    changes.completeAdoption,
    id,
    adopterIn(id, { who, name, email, phone }),
    by,
    visit.clock(),
  )
}

/** @throws {ApiError} validation_failed */
function adopterIn(petId: number, { who, name, email, phone }: Required<FormTexts>): AdoptedBy {
  if (/^\d{1,15}$/.test(who)) return { applicationId: Number(who) }
  if (who !== SOMEONE_ELSE) {
    const details = [{ pointer: '/who', code: 'missing', message: 'Choose who adopts.' } as const]
    throw new ApiError('validation_failed', { details: [...details] })
  }
  const adopter = { name, email: cleanEmail(email), ...(phone && { phone }) }
  const sent = Object.fromEntries(Object.entries(adopter).filter(([, value]) => value !== ''))
  return { adopter: readOrder({ petId, adopter: sent }).adopter }
}

const ADOPTER = [field('adopter.name'), field('adopter.email', 'email'), field('adopter.phone')]

function problemsIn(error: ApiError, { texts, words }: Visit): Problem[] {
  const { applications, animal } = words
  const message = applications.problems[error.code]
  if (error.code !== 'validation_failed' && message) return [{ field: NON_FIELD, message }]
  if (error.details?.some(({ pointer }) => pointer === '/who'))
    return [{ field: 'who', message: animal.adopted.choose }]
  const labels = Object.fromEntries(
    FIELDS.map((name) => [`adopter.${name}`, texts.apply.fields[name] ?? name]),
  )
  const found = problemsOf(error, words, { fields: ADOPTER, labels })
  return found.map(({ field, message }) => ({ field: field.replace('adopter.', ''), message }))
}

async function adoptedPage(
  visit: Visit,
  { id, pet }: OwnAnimal,
  { typed = {}, problems = [] }: { typed?: FormTexts; problems?: readonly Problem[] } = {},
): Promise<string> {
  const { texts, words } = visit
  const { adopted } = words.animal
  const { apply } = texts
  const open = await listOpen(visit.db, id, viewerOf(visit.caller))
  const approved = open.find(({ status }) => status === 'approved')
  const choices = [
    ...open.map(
      (one) =>
        [
          String(one.id),
          `${applicantName(one, visit)} (${words.applications.statuses[one.status]})`,
        ] as const,
    ),
    [SOMEONE_ELSE, adopted.someoneElse] as const,
    [NOT_SAID, adopted.notSaid] as const,
  ]
  const value = typed.who ?? (approved ? String(approved.id) : undefined)
  const title = adopted.title(pet.name)
  const main = html`<div class="narrow"><h1>${title}</h1>
${problemSummary(words.animal.wrong, problems)}
<form method="post" id="field-${NON_FIELD}" novalidate>
${radioField({ name: 'who', label: adopted.who, choices, value, problems })}
<fieldset class="card"><legend>${adopted.ifSomeoneElse}</legend>
${FIELDS.map((name) =>
  textField({
    ...{ name, value: typed[name] ?? '', problems, autocomplete: 'off' },
    label: name === 'phone' ? apply.optional(apply.fields.phone ?? '') : (adopted.fields[name] ?? name),
    type: name === 'email' ? 'email' : name === 'phone' ? 'tel' : 'text',
  }),
)}</fieldset>
<p class="notice">${adopted.consequences(pet.name, open.length)} ${open.length > 0 && visit.context.mail !== undefined && adopted.emailed}</p>
<div class="row"><button>${adopted.yes}</button>
<a class="button plain" href="${PREFIX}/animals/${pet.id}">${adopted.no}</a></div></form></div>`
  return consolePage(visit, { title, main })
}
