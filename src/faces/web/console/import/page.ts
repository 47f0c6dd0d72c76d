import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { isCurrency } from '../../../../http/iso-codes.ts'
import { readUpload, type Upload } from '../../../../http/upload-body.ts'
import { AMERICAN } from '../../../../transfer/animal.ts'
import { MAPPINGS } from '../../../../transfer/mappings.ts'
import { checkField, selectField, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { type Choices, readChoices } from '../forms/choices.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { type Ran, runImport } from './run.ts'
import { type Chosen, keepUpload, takeUpload } from './uploads.ts'

const MOST_BYTES = 10_000_000
const PATH = `${PREFIX}/import`

/** Brings in the animals of a file: first it shows what would be done, then it does it. */
export function importPages(app: App, context: Context): void {
  app.get('/import', (request) => formPage(context, request))

  app.post('/import', { config: { readBody: readUpload(MOST_BYTES) } }, async (request, reply) => {
    const { file, fields } = request.body as Upload
    const { caller } = request
    const { words } = wordsFor(request)
    if (!file || file.bytes.length === 0) {
      reply.code(400)
      return formPage(context, request, words.import.noFile)
    }
    const chosen = chosenIn(fields, file.name)
    const ran = await runImport(context, caller, { bytes: file.bytes, chosen }, true)
    const ticket = await keepUpload(context, caller, file.bytes, chosen)
    return previewPage(request, ran, ticket)
  })

  app.post('/import/confirm', async (request, reply) => {
    const ticket = (request.body as FormBody).get('ticket') ?? ''
    const upload = await takeUpload(context, request.caller, ticket)
    if (upload) return resultPage(request, await runImport(context, request.caller, upload, false))
    reply.code(409)
    return formPage(context, request, wordsFor(request).words.import.gone)
  })
}

function chosenIn(fields: FormBody, name: string): Chosen {
  const text = (field: string): string => fields.get(field)?.trim() ?? ''
  const currency = text('currency').toUpperCase()
  return {
    ...{ name, category: text('category'), organization: text('organization') },
    from: Object.hasOwn(MAPPINGS, text('from')) ? text('from') : '',
    currency: isCurrency(currency) ? currency : AMERICAN.currency,
    ...{ dayFirst: text('dayFirst'), pounds: text('pounds'), update: text('update') },
  }
}

/** As people know them. */
const PROGRAMS: Record<string, string> = {
  petfinder: 'Petfinder',
  rescuegroups: 'RescueGroups.org',
  'shelter-manager': 'Animal Shelter Manager (ASM)',
  shelterluv: 'Shelterluv',
}

async function formPage(context: Context, request: FastifyRequest, problem?: string): Promise<string> {
  const { words } = wordsFor(request)
  const { import: own } = words
  const choices = await readChoices(context, request.caller)
  return consolePage(request, {
    title: own.title,
    main: html`<h1>${own.title}</h1><p class="lead">${own.lead}</p>
${problem && html`<p class="summary problem" role="alert">${problem}</p>`}
<form class="card" method="post" action="${PATH}" enctype="multipart/form-data">
<div class="field"><label for="file">${own.file}</label><p class="hint" id="hint-file">${own.fileHint}</p>
<input id="file" type="file" name="file" accept=".csv,.json,.ndjson,.jsonl" aria-describedby="hint-file"></div>
<div class="fields">${fieldsOf(choices, words)}</div>
<div class="row"><button>${own.preview}</button></div></form>`,
  })
}

function fieldsOf({ categories, organizations }: Choices, words: Texts['console']): Part {
  const { import: own, animal } = words
  const programs = Object.keys(MAPPINGS).map((name) => [name, PROGRAMS[name] ?? name] as const)
  const codes = Array.isArray(organizations)
    ? organizations.map(([, name]) => [/\(([^()]*)\)$/.exec(name)?.[1] ?? '', name] as const)
    : []
  const none = animal.fields.none
  return [
    selectField({ name: 'from', label: own.from, choices: [['', own.ownForm], ...programs] }),
    selectField({
      ...{ name: 'category', label: own.category, hint: own.categoryHint },
      choices: [['', none], ...categories.map(([, name]) => [name, name] as const)],
    }),
    codes.length > 0 &&
      selectField({ name: 'organization', label: own.organization, choices: [['', none], ...codes] }),
    textField({ name: 'currency', label: own.currency, value: AMERICAN.currency }),
    checkField({ name: 'update', label: own.update }),
    checkField({ name: 'dayFirst', label: own.dayFirst }),
    checkField({ name: 'pounds', label: own.pounds }),
  ]
}

function previewPage(request: FastifyRequest, ran: Ran, ticket: string): string {
  const { import: own } = wordsFor(request).words
  const { added, updated } = ran.done
  const isAnything = ran.failed === undefined && added + updated > 0
  return consolePage(request, {
    title: own.previewTitle,
    main: html`<h1>${own.previewTitle}</h1><p class="lead">${own.previewLead}</p>${figures(ran, own)}
<form class="row" method="post" action="${PATH}/confirm"><input type="hidden" name="ticket" value="${ticket}">
${isAnything && html`<button>${own.confirm(added + updated)}</button>`}
<a class="button plain" href="${PATH}">${own.another}</a></form>${details(ran, own)}`,
  })
}

function resultPage(request: FastifyRequest, ran: Ran): string {
  const { import: own } = wordsFor(request).words
  return consolePage(request, {
    title: own.resultTitle,
    main: html`<h1>${own.resultTitle}</h1>${figures(ran, own)}
<p class="row"><a class="button" href="${PREFIX}/animals">${own.toList}</a> <a href="${PATH}">${own.another}</a></p>${details(ran, own)}`,
  })
}

function figures({ done, failed }: Ran, own: Texts['console']['import']): Html {
  const items = (['added', 'updated', 'unchanged', 'refused'] as const).map(
    (name) => html`<li><b>${done[name]}</b> ${own.figures[name]}</li>`,
  )
  return html`${failed !== undefined && html`<p class="summary problem" role="alert">${failed}</p>`}
<ul class="numbers">${items}</ul>`
}

function details({ done, refused }: Ran, own: Texts['console']['import']): Html {
  const left = Object.entries(done.leftOut).toSorted(([, one], [, other]) => other - one)
  return html`${
    refused.length > 0 &&
    html`<section class="card"><h2>${own.refused}</h2><table><thead><tr><th scope="col">${own.line}</th><th scope="col">${own.why}</th></tr></thead>
<tbody>${refused.map(({ line, reason }) => html`<tr><td>${line}</td><td>${reason}</td></tr>`)}</tbody></table>
${done.refused > refused.length && html`<p>${own.more(done.refused - refused.length)}</p>`}</section>`
  }${
    left.length > 0 &&
    html`<section class="card"><h2>${own.leftOut}</h2><ul>${left.slice(0, 40).map(([name, count]) => html`<li>${name}: ${count}</li>`)}</ul></section>`
  }`
}
