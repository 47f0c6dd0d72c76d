import type { Context } from '../../../../context.ts'
import { isRefusal } from '../../../../errors.ts'
import type { ReadBody } from '../../../../http/face.ts'
import { type FormBody, readForm } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import * as petRequests from '../../../../pets/requests.ts'
import { uploadReader } from '../../../../photos/upload.ts'
import { type PhotoForm, receivePhotoForm, removeReceivedFiles } from '../../../../photos/upload-form.ts'
import { checkField, type Problem } from '../../forms.ts'
import { onlyChoice, readFormChoices, readOrganizations } from '../choices.ts'
import { readValues, type Values } from '../fields.ts'
import { consolePage } from '../frame.ts'
import { addAll, newPhotosField, requireSender } from '../photos/photos.ts'
import { MAX_FORM_BYTES, newOnce, ONCE, PREFIX, type Routes, submitOnce, type Visit } from '../visit.ts'
import { animalForm, FORM_FIELDS, newPetOf, petProblems, withTypedAge } from './form.ts'
import { PUBLISHED, publishedWarnings } from './gaps.ts'
import { ownAnimal, withBondIds } from './own-animal.ts'
import { animalPage, findSameChip } from './page.ts'

const PATH = '/animals/new'

/** The fields that "Save and add another" keeps. */
const REPEATED = ['categoryId', 'organizationId'] as const

export function addAnimal({ context, get, post }: Routes): void {
  get(PATH, async (visit) => {
    const { query } = visit
    const values = Object.fromEntries(REPEATED.map((name) => [name, textOf(query[name])]))
    values.organizationId ||= onlyChoice(await readOrganizations(visit))
    return page(visit, values, textOf(query.status))
  })

  post(PATH, save, { readBody: readBody(context) })
}

/** Reads the form with its photos. A form without photos may also be sent like other forms. */
function readBody(context: Context): ReadBody {
  const withPhotos = uploadReader(context, async () => undefined, receivePhotoForm)
  const plain = readForm(MAX_FORM_BYTES)
  return (request, payload, done) => {
    const hasParts = request.headers['content-type']?.toLowerCase().startsWith('multipart/')
    return (hasParts ? withPhotos : plain)(request, payload, done)
  }
}

async function save(visit: Visit): Promise<unknown> {
  const { reply, words } = visit
  const sentBody = visit.request.body as FormBody | PhotoForm
  const body = sentBody instanceof URLSearchParams ? { fields: sentBody, photos: [] } : sentBody
  const { fields: form, photos } = body
  const values = await withBondIds(visit, readValues(form, FORM_FIELDS))
  const status = form.get('status') === 'available' ? 'available' : ''
  try {
    const sent = { ...withTypedAge(newPetOf(values), visit.clock()), ...(status && { status }) }
    const { id, pet, problems } = await add(visit, body, sent).finally(() => removeReceivedFiles(photos))
    if (problems.length > 0) {
      const stored = await ownAnimal({ ...visit, params: { id: String(id) } })
      reply.code(422)
      const photoProblems = [words.photos.partly, ...problems]
      return await animalPage(visit, stored, { photoProblems })
    }
    const added = `${PREFIX}/animals/${id}?done=${photos.length > 0 ? 'addedWithPhotos' : 'added'}`
    // The page of the animal warns if another animal has the same microchip.
    const isAnother =
      form.get('next') === 'another' && (await findSameChip(visit, { ...pet, id })).length === 0
    return reply.redirect(isAnother ? another(values, status, id) : added, 303)
  } catch (error) {
    if (!isRefusal(error)) throw error
    reply.code(error.status)
    const problems = petProblems(error, words, { values })
    return page(visit, values, status, problems, photos.length > 0)
  }
}

/** Adds the animal, then its photos. */
async function add(
  visit: Visit,
  { fields, photos }: PhotoForm,
  sent: Parameters<typeof petRequests.readNew>[1],
) {
  const { context, caller } = visit
  await requireSender(visit)
  const pet = await petRequests.readNew(context, sent)
  const { id } = await submitOnce(visit, fields, (key) => petRequests.add(context, { caller, key }, pet))
  return { id, pet, problems: await addAll(visit, photos, { kind: 'pet', id }) }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 20) : '')

function another(values: Values, status: string, id: number): string {
  const query = new URLSearchParams({ done: 'addedAnother', status, [PUBLISHED]: String(id) })
  for (const name of REPEATED) if (values[name]) query.set(name, values[name])
  return `${PREFIX}${PATH}?${query}`
}

async function page(
  visit: Visit,
  values: Values,
  status: string,
  problems: readonly Problem[] = [],
  hadPhotos = false,
): Promise<string> {
  const { language, words } = visit
  const { animal } = words
  const { publishNow: label, publishNowHint: hint } = animal
  const form = animalForm(`${PREFIX}${PATH}`, {
    ...{ language, values, problems, choices: await readFormChoices(visit, values) },
    hidden: { [ONCE]: newOnce() },
    isNew: true,
    after: html`${newPhotosField(words, hadPhotos)}
${checkField({ name: 'status', label, hint, value: status, checked: 'available' })}
<div class="actions"><button name="next" value="photos">${animal.saveAdd}</button>
<button class="plain" name="next" value="another">${animal.saveAnother}</button>
<a class="quiet" href="${PREFIX}/animals">${animal.cancel}</a></div>`,
  })
  return consolePage(visit, {
    title: animal.addTitle,
    main: html`${await publishedWarnings(visit)}<h1>${animal.addTitle}</h1><p class="lead">${animal.addHint}</p>${form}`,
  })
}
