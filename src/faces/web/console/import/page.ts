import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { type FormBody, readUpload, type Upload } from '../../../../http/form-body.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { isCurrency } from '../../../../http/iso-codes.ts'
import { partyOf } from '../../../../limits/shares.ts'
import { isClientGone } from '../../../../photos/files.ts'
import { US_LOCALE } from '../../../../transfer/animal.ts'
import { MAPPINGS } from '../../../../transfer/mappings/all.ts'
import { EMPTY_SUMMARY } from '../../../../transfer/report.ts'
import { checkField, selectField } from '../../forms.ts'
import { onlyChoice, readKinds, readOrganizations } from '../choices.ts'
import { currencyField } from '../fields.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import {
  columnsForm,
  type FileColumns,
  findColumns,
  guessSettings,
  hasNames,
  readColumns,
  SOURCE,
} from './columns.ts'
import { answerRunning, previewPage, withAnswers, withStatuses } from './preview.ts'
import { refusedDownload } from './refused.ts'
import { runImport } from './run.ts'
import {
  type ImportSettings,
  readUploaded,
  storeUpload,
  takeUpload,
  ticketOf,
  type UploadedFile,
} from './uploads.ts'

const MAX_BYTES = 10_000_000
const PATH = `${PREFIX}/import`

/** The pages that import a file: upload, preview, columns and confirmation. */
export function importPages(app: App, context: Context): void {
  app.get('/import', (request) => formPage(context, request))
  refusedDownload(app, context)

  const readBody = readUpload(MAX_BYTES, {
    acquire: (request) => context.shares.importUploads.take(partyOf(request)),
  })
  app.post('/import', { config: { readBody, share: 'imports' } }, async (request, reply) => {
    const { file, fields } = request.body as Upload
    const { caller } = request
    const { words } = wordsFor(request)
    if (!file || file.bytes.length === 0) {
      reply.code(400)
      return formPage(context, request, words.import.noFile)
    }
    const uploaded = { bytes: file.bytes, chosen: chosenIn(fields, file.name) }
    await storeUpload(context, caller, file.bytes)
    const columns = await findColumns(uploaded)
    const chosen = columns ? guessSettings(columns, uploaded.chosen) : uploaded.chosen
    return preview(context, request, { ...uploaded, chosen }, columns)
  })

  app.post('/import/columns', { config: { share: 'imports' } }, async (request, reply) => {
    const ticket = ticketIn(request)
    const upload = await readUploaded(context, request.caller, ticket)
    return upload ? choose(context, request, reply, upload) : gone(context, request, reply)
  })

  app.post('/import/confirm', async (request, reply) => {
    const { caller } = request
    const ticket = ticketIn(request)
    using share = new DisposableStack()
    share.use(context.shares.imports.take(partyOf(request)))
    const previewed = await readUploaded(context, caller, ticket)
    // The columns were changed after the preview, so the answer is a new preview.
    if (previewed && (await hasNewColumns(request, previewed)))
      return choose(context, request, reply, previewed)
    const upload = await takeUpload(context, caller, ticket)
    if (!upload) return gone(context, request, reply)
    const chosen = withStatuses(upload, request.body as FormBody)
    return answerRunning(context, request, reply, chosen, share.move())
  })
}

const ticketIn = ({ body }: FastifyRequest): string => (body as FormBody).get('ticket') ?? ''

function gone(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  reply.code(409)
  return formPage(context, request, wordsFor(request).words.import.gone)
}

/** Whether the columns in the form differ from those in the preview. */
async function hasNewColumns(request: FastifyRequest, { bytes, chosen }: UploadedFile): Promise<boolean> {
  const form = request.body as FormBody
  const columns = form.has(SOURCE) ? await findColumns({ bytes, chosen }) : undefined
  if (!columns) return false
  const { chosen: read } = readColumns(form, columns, chosen, wordsFor(request).words)
  return read.columns !== chosen.columns || read.id !== chosen.id || read.source !== chosen.source
}

/** Previews the file with the columns from the form. */
async function choose(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  uploaded: UploadedFile,
): Promise<string> {
  const upload = withAnswers(withStatuses(uploaded, request.body as FormBody), request.body as FormBody)
  const columns = await findColumns(upload)
  if (!columns) return preview(context, request, upload, undefined)
  // The columns can be guessed only now, because the encoding was not clear before.
  if (upload.chosen.columns === '')
    return preview(context, request, { ...upload, chosen: guessSettings(columns, upload.chosen) }, columns)
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
  upload: UploadedFile,
  columns: FileColumns | undefined,
): Promise<string> {
  const { caller } = request
  const { words } = wordsFor(request)
  const { chosen } = upload
  const ticket = ticketOf(context, caller, upload)
  const form = columns && columnsForm({ columns, chosen, ticket, problems: [] }, words)
  const hasName = !columns || hasNames(columns, chosen)
  const failed = { reason: words.import.columns.problems.noName }
  const run = hasName
    ? await runImport(context, caller, upload, { dryRun: true, words, onStep: () => requireClient(request) })
    : { done: EMPTY_SUMMARY, refused: [], examples: [], failed }
  const kinds = await readKinds(context, request)
  const categories = new Map(kinds.map(({ id, words: kind }) => [String(id), kind]))
  return previewPage(request, { run, ticket, form, categories })
}

/** Stops the work if the client has disconnected. @throws {ApiError} request_timeout */
function requireClient({ raw }: FastifyRequest): void {
  if (isClientGone(raw)) throw new ApiError('request_timeout')
}

function chosenIn(fields: FormBody, name: string): ImportSettings {
  const text = (field: string): string => fields.get(field)?.trim() ?? ''
  const currency = text('currency').toUpperCase()
  return {
    ...{ name, category: text('category'), organization: text('organization') },
    from: Object.hasOwn(MAPPINGS, text('from')) ? text('from') : '',
    currency: isCurrency(currency) ? currency : US_LOCALE.currency,
    ...{
      dayFirst: ['yes', 'no'].includes(text('dayFirst')) ? text('dayFirst') : '',
      pounds: text('pounds'),
      keep: text('keep'),
    },
    ...{ columns: '', id: '', source: '', statuses: '', encoding: '' },
  }
}

/** The names of the programs, as shown to people. */
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

interface ImportChoices {
  kinds: Awaited<ReturnType<typeof readKinds>>
  organizations: Awaited<ReturnType<typeof readOrganizations>>
}

/** Gives a field a whole row of the form: always, or only on a phone. */
const wide = (field: Html): Html => html`<div class="wide">${field}</div>`
const long = (field: Html): Html => html`<div class="long">${field}</div>`

function fieldsOf({ kinds, organizations }: ImportChoices, { words }: ReturnType<typeof wordsFor>): Part {
  const { import: own, animal } = words
  const programs = Object.keys(MAPPINGS).map((name) => [name, PROGRAMS[name] ?? name] as const)
  const codes = Array.isArray(organizations)
    ? organizations.map(([, name]) => [/\(([^()]*)\)$/.exec(name)?.[1] ?? '', name] as const)
    : []
  const none = animal.fields.none
  return [
    wide(selectField({ name: 'from', label: own.from, choices: [['', own.ownForm], ...programs] })),
    long(
      selectField({
        ...{ name: 'category', label: own.category, hint: own.categoryHint },
        // The import finds a category by its stored name.
        choices: [['', none], ...kinds.map(({ name, words }) => [name, words] as const)],
      }),
    ),
    codes.length > 0 &&
      long(
        selectField({
          ...{ name: 'organization', label: own.organization, choices: [['', none], ...codes] },
          value: onlyChoice(codes),
        }),
      ),
    long(currencyField({ name: 'currency', label: own.currency, value: US_LOCALE.currency })),
    long(selectField({ name: 'dayFirst', label: own.dates.label, choices: own.dates.choices })),
    long(checkField({ name: 'pounds', label: own.pounds })),
    long(checkField({ name: 'keep', label: own.keep })),
  ]
}
