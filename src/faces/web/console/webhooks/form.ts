import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import { EVENT_TYPES } from '../../../../events/schema.ts'
import { requireOwnOrganization } from '../../../../http/caller.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { wholeNumberOf } from '../../../../http/int64.ts'
import { createBodyParser } from '../../../../http/validate.ts'
import { requireOpenAddress, scopeOf } from '../../../../webhooks/rules.ts'
import { NewWebhook } from '../../../../webhooks/schema.ts'
import type { StoredWebhook } from '../../../../webhooks/store.ts'
import { longTextField, type Problem, problemSummary, textField } from '../../forms.ts'
import { organizationField } from '../choices.ts'
import { NON_FIELD, readWebAddress } from '../fields.ts'
import { consolePage } from '../frame.ts'
import type { Routes, Visit } from '../visit.ts'
import { managesWebhooks, ownWebhook, secretPage, WEBHOOKS } from './webhooks.ts'

const MAX_URL_LENGTH = 2_000
const MAX_DESCRIPTION_LENGTH = 200

/** The values of the form. */
interface WebhookInput {
  url: string
  description: string
  types: readonly string[]
  organizationId: string
}

const NEW: WebhookInput = { url: '', description: '', types: [], organizationId: '' }

/** The pages that add and change a webhook. */
export function webhookForms({ get, post }: Routes): void {
  get('/webhooks/new', (visit) => newPage(visit, NEW))
  post('/webhooks/new', (visit) => {
    const { context, caller, write, clock } = visit
    const typed = inputOf(visit.form)
    return orProblems(visit, {
      async save() {
        const webhook = read(context, typed)
        const organizationId = caller.organizationId ?? webhook.organizationId
        requireOwnOrganization(scopeOf(caller), organizationId)
        const sent = organizationId === undefined ? webhook : { ...webhook, organizationId }
        const { id, secret } = await write(changes.insertWebhook, sent, clock())
        const { webhooks: own } = visit.words
        return secretPage(visit, { id, secret, title: own.addedTitle, lead: own.addedLead })
      },
      again: (problems) => newPage(visit, typed, problems),
    })
  })

  get('/webhooks/:id/change', async (visit) => {
    const webhook = await ownWebhook(visit)
    const { url, description = '', types } = webhook
    return changePage(visit, webhook, { ...NEW, url, description, types })
  })
  post('/webhooks/:id/change', async (visit) => {
    const webhook = await ownWebhook(visit)
    const typed = { ...inputOf(visit.form), organizationId: '' }
    return orProblems(visit, {
      async save() {
        const patch = { description: null, ...read(visit.context, typed) }
        await visit.write(changes.updateWebhook, webhook.id, patch, scopeOf(visit.caller))
        return visit.reply.redirect(`${WEBHOOKS}/${webhook.id}?done=saved`, 303)
      },
      again: (problems) => changePage(visit, webhook, typed, problems),
    })
  })
}

function inputOf(form: FormBody): WebhookInput {
  return {
    url: readWebAddress(readField(form, 'url')),
    description: readField(form, 'description'),
    types: form.getAll('types'),
    organizationId: readField(form, 'organizationId'),
  }
}

const validate = createBodyParser(NewWebhook)

/** Reads the form with the rules of the API. @throws {ApiError} validation_failed */
function read(context: Context, { url, description, types, organizationId }: WebhookInput): NewWebhook {
  const webhook = validate({
    url,
    types,
    ...(description !== '' && { description }),
    ...(organizationId !== '' && { organizationId: wholeNumberOf(organizationId) ?? organizationId }),
  })
  requireOpenAddress(context, webhook.url)
  return webhook
}

interface Attempt<Result> {
  save(): Promise<Result>
  /** Shows the form again with its problems. */
  again(problems: Problem[]): string | Promise<string>
}

/** Saves the input, or shows the form again if the input is refused. */
async function orProblems<Result>(
  { reply, words }: Visit,
  { save, again }: Attempt<Result>,
): Promise<Result | string> {
  try {
    return await save()
  } catch (error) {
    if (!(error instanceof ApiError) || !['validation_failed', 'too_many_webhooks'].includes(error.code))
      throw error
    const { webhooks: own, errors, otherError } = words
    const fields = new Set((error.details ?? []).map(({ pointer = '' }) => pointer.split('/')[1] ?? ''))
    const problems = [...fields].map((field) => ({ field, message: own.problems[field] ?? otherError }))
    reply.code(error.status)
    return again(
      problems.length > 0 ? problems : [{ field: NON_FIELD, message: errors[error.code] ?? otherError }],
    )
  }
}

async function newPage(
  visit: Visit,
  typed: WebhookInput,
  problems: readonly Problem[] = [],
): Promise<string> {
  const { webhooks: own, animal } = visit.words
  const { organizationId: value } = typed
  return consolePage(visit, {
    title: own.add,
    main: html`<div class="narrow"><h1>${own.add}</h1>
<p class="lead">${managesWebhooks(visit) ? own.addLead : own.adminsOnly}</p>
<form class="card" id="field-${NON_FIELD}" method="post" action="${WEBHOOKS}/new" novalidate>${fields(visit, typed, problems)}
${await organizationField(visit, { value, problems, hint: own.organizationHint })}
<div class="row"><button>${own.addButton}</button><a class="quiet" href="${WEBHOOKS}">${animal.cancel}</a></div></form></div>`,
  })
}

function changePage(
  visit: Visit,
  { id }: StoredWebhook,
  typed: WebhookInput,
  problems: readonly Problem[] = [],
): string {
  const { webhooks: own, animal } = visit.words
  const path = `${WEBHOOKS}/${id}`
  return consolePage(visit, {
    title: own.changeTitle,
    main: html`<div class="narrow"><h1>${own.changeTitle}</h1>
<form class="card" id="field-${NON_FIELD}" method="post" action="${path}/change" novalidate>${fields(visit, typed, problems)}
<div class="row"><button>${animal.save}</button><a class="quiet" href="${path}">${animal.cancel}</a></div></form></div>`,
  })
}

function fields(visit: Visit, typed: WebhookInput, problems: readonly Problem[]): Html {
  const { webhooks: own, signIn } = visit.words
  return html`${problemSummary(signIn.wrong, problems)}
${textField({
  ...{ name: 'url', label: own.url, hint: own.urlHint, value: typed.url, required: true, problems },
  ...{ type: 'url', autocomplete: 'off', maxLength: MAX_URL_LENGTH },
})}
${longTextField({
  ...{ name: 'description', label: own.description, hint: own.descriptionHint, value: typed.description },
  ...{ rows: 2, maxLength: MAX_DESCRIPTION_LENGTH, problems },
})}
${typeChoices(visit, typed.types, problems)}`
}

function typeChoices({ words }: Visit, types: readonly string[], problems: readonly Problem[]): Html {
  const { webhooks: own, events } = words
  const problem = problems.find(({ field }) => field === 'types')
  const boxes = EVENT_TYPES.map(
    (type, index) =>
      html`<label class="choice"><input type="checkbox" name="types" value="${type}"${
        index === 0 && html` id="field-types"`
      }${types.includes(type) && html` checked`}> ${events.types[type]}</label>`,
  )
  return html`<fieldset class="field${problem && ' wrong'}"><legend>${own.types}</legend>
<p class="hint">${own.typesHint}</p>${problem && html`<p class="problem">${problem.message}</p>`}
${boxes}</fieldset>`
}
