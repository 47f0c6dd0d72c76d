import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { html, type Part } from '../../../../http/html.ts'
import { isCurrency } from '../../../../http/iso-codes.ts'
import { readUpload, type Upload } from '../../../../http/upload-body.ts'
import { AMERICAN } from '../../../../transfer/animal.ts'
import { MAPPINGS } from '../../../../transfer/mappings.ts'
import { checkField, selectField } from '../../forms.ts'
import { readKinds, readOrganizations } from '../choices.ts'
import { codeField } from '../fields.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { type Columns, chooseFirst, findColumns, hasNames, readColumns, SOURCE } from './columns.ts'
import { columnsForm } from './columns-form.ts'
import { previewPage } from './preview.ts'
import { NOTHING, runImport } from './run.ts'
import { answerRunning } from './running.ts'
import { type Chosen, keepUpload, readUploaded, takeUpload, ticketOf, type Uploaded } from './uploads.ts'

const MAX_BYTES = 10_000_000
const PATH = `${PREFIX}/import`

/** Brings in the animals of a file: first it shows what would be done, then it does it. */
export function importPages(app: App, context: Context): void {
  app.get('/import', (request) => formPage(context, request))

  app.post('/import', { config: { readBody: readUpload(MAX_BYTES) } }, async (request, reply) => {
    const { file, fields } = request.body as Upload
    const { caller } = request
    const { words } = wordsFor(request)
    if (!file || file.bytes.length === 0) {
      reply.code(400)
      return formPage(context, request, words.import.noFile)
    }
    const uploaded = { bytes: file.bytes, chosen: chosenIn(fields, file.name) }
    await keepUpload(context, caller, file.bytes)
    const columns = await findColumns(uploaded)
    const chosen = columns ? chooseFirst(columns, uploaded.chosen) : uploaded.chosen
    return preview(context, request, { ...uploaded, chosen }, columns)
  })

  app.post('/import/columns', async (request, reply) => {
    const ticket = ticketIn(request)
    const upload = await readUploaded(context, request.caller, ticket)
    return upload ? choose(context, request, reply, upload) : gone(context, request, reply)
  })

  app.post('/import/confirm', async (request, reply) => {
    const { caller } = request
    const ticket = ticketIn(request)
    const seen = await readUploaded(context, caller, ticket)
    // What was chosen since then, nobody has seen what it does.
    if (seen && (await isOther(request, seen))) return choose(context, request, reply, seen)
    const upload = await takeUpload(context, caller, ticket)
    if (!upload) return gone(context, request, reply)
    return answerRunning(context, request, reply, upload)
  })
}

const ticketIn = ({ body }: FastifyRequest): string => (body as FormBody).get('ticket') ?? ''

function gone(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  reply.code(409)
  return formPage(context, request, wordsFor(request).words.import.gone)
}

/** Whether the form says something else of the columns than what was shown. */
async function isOther(request: FastifyRequest, { bytes, chosen }: Uploaded): Promise<boolean> {
  const form = request.body as FormBody
  const columns = form.has(SOURCE) ? await findColumns({ bytes, chosen }) : undefined
  if (!columns) return false
  const { chosen: read } = readColumns(form, columns, chosen, wordsFor(request).words)
  return read.columns !== chosen.columns || read.id !== chosen.id || read.source !== chosen.source
}

/** Shows the file anew, with its columns as the form has them. */
async function choose(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  upload: Uploaded,
): Promise<string> {
  const columns = await findColumns(upload)
  if (!columns) return preview(context, request, upload, undefined)
  const { words } = wordsFor(request)
  const { chosen, problems } = readColumns(request.body as FormBody, columns, upload.chosen, words)
  if (problems.length === 0) return preview(context, request, { ...upload, chosen }, columns)
  reply.code(400)
  const ticket = ticketOf(context, request.caller, upload)
  return previewPage(request, { ticket, form: columnsForm({ columns, chosen, ticket, problems }, words) })
}

async function preview(
  context: Context,
  request: FastifyRequest,
  upload: Uploaded,
  columns: Columns | undefined,
): Promise<string> {
  const { caller } = request
  const { words } = wordsFor(request)
  const { chosen } = upload
  const ticket = ticketOf(context, caller, upload)
  const form = columns && columnsForm({ columns, chosen, ticket, problems: [] }, words)
  const hasName = !columns || hasNames(columns, chosen)
  const failed = { reason: words.import.columns.problems.noName }
  const ran = hasName
    ? await runImport(context, caller, upload, { dryRun: true })
    : { done: NOTHING, refused: [], examples: [], failed }
  const kinds = await readKinds(context, request)
  const categories = new Map(kinds.map(({ id, words: kind }) => [String(id), kind]))
  return previewPage(request, { ran, ticket, form, categories })
}

function chosenIn(fields: FormBody, name: string): Chosen {
  const text = (field: string): string => fields.get(field)?.trim() ?? ''
  const currency = text('currency').toUpperCase()
  return {
    ...{ name, category: text('category'), organization: text('organization') },
    from: Object.hasOwn(MAPPINGS, text('from')) ? text('from') : '',
    currency: isCurrency(currency) ? currency : AMERICAN.currency,
    ...{ dayFirst: text('dayFirst'), pounds: text('pounds'), update: text('update') },
    ...{ columns: '', id: '', source: '' },
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
  const texts = wordsFor(request)
  const { import: own } = texts.words
  const kinds = await readKinds(context, request)
  const organizations = await readOrganizations(context, request.caller)
  return consolePage(request, {
    title: own.title,
    main: html`<h1>${own.title}</h1><p class="lead">${own.lead}</p>
${problem && html`<p class="summary problem" role="alert">${problem}</p>`}
<form class="card" method="post" action="${PATH}" enctype="multipart/form-data">
<div class="field"><label for="file">${own.file}</label><p class="hint" id="hint-file">${own.fileHint}</p>
<input id="file" type="file" name="file" accept=".csv,.json,.ndjson,.jsonl" aria-describedby="hint-file"></div>
<div class="fields">${fieldsOf({ kinds, organizations }, texts)}</div>
<div class="row"><button>${own.preview}</button></div></form>`,
  })
}

interface Offered {
  kinds: Awaited<ReturnType<typeof readKinds>>
  organizations: Awaited<ReturnType<typeof readOrganizations>>
}

function fieldsOf({ kinds, organizations }: Offered, { language, words }: ReturnType<typeof wordsFor>): Part {
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
      // The import knows a category by the name that the store has.
      choices: [['', none], ...kinds.map(({ name, words }) => [name, words] as const)],
    }),
    codes.length > 0 &&
      selectField({ name: 'organization', label: own.organization, choices: [['', none], ...codes] }),
    codeField('currency', language, { name: 'currency', label: own.currency, value: AMERICAN.currency }),
    checkField({ name: 'update', label: own.update }),
    checkField({ name: 'dayFirst', label: own.dayFirst }),
    checkField({ name: 'pounds', label: own.pounds }),
  ]
}
