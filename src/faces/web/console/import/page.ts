import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../../../errors.ts'
import { type FormBody, readUpload, type Upload } from '../../../../http/form-body.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { isCurrency } from '../../../../http/iso-codes.ts'
import { partyOf } from '../../../../limits/shares.ts'
import { isClientGone } from '../../../../photos/files.ts'
import { US_LOCALE } from '../../../../transfer/animal.ts'
import { MAPPINGS } from '../../../../transfer/mappings/all.ts'
import { EMPTY_SUMMARY } from '../../../../transfer/report.ts'
import { checkField, selectField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { onlyChoice, readKinds, readOrganizations } from '../choices.ts'
import { currencyField } from '../fields.ts'
import { consolePage } from '../frame.ts'
import { PREFIX, type Routes, type Visit } from '../visit.ts'
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
  readYesOrNo,
  storeUpload,
  takeUpload,
  ticketOf,
  type UploadedFile,
} from './uploads.ts'

const MAX_BYTES = 10_000_000
const PATH = `${PREFIX}/import`

/** The pages that import a file: upload, preview, columns and confirmation. */
export function importPages(routes: Routes): void {
  const { context, get, post } = routes
  get('/import', formPage)
  refusedDownload(routes)

  const readBody = readUpload(MAX_BYTES, {
    acquire: (request) => context.shares.importUploads.take(partyOf(request)),
  })
  post('/import', upload, { readBody, share: 'imports' })
  post('/import/columns', changeColumns, { share: 'imports' })
  post('/import/confirm', confirm)
}

async function upload(visit: Visit): Promise<string> {
  const { context, caller, words } = visit
  const { file, fields } = visit.request.body as Upload
  if (!file || file.bytes.length === 0) {
    visit.reply.code(400)
    return formPage(visit, words.import.noFile)
  }
  const uploaded = { bytes: file.bytes, chosen: chosenIn(fields, file.name) }
  await storeUpload(context, caller, file.bytes)
  const columns = await findColumns(uploaded)
  const chosen = columns ? guessSettings(columns, uploaded.chosen) : uploaded.chosen
  return preview(visit, { ...uploaded, chosen }, columns)
}

async function changeColumns(visit: Visit): Promise<string> {
  const uploaded = await readUploaded(visit.context, visit.caller, ticketIn(visit))
  return uploaded ? choose(visit, uploaded) : gone(visit)
}

async function confirm(visit: Visit): Promise<unknown> {
  const { context, caller, form } = visit
  const ticket = ticketIn(visit)
  using share = new DisposableStack()
  share.use(context.shares.imports.take(partyOf(visit.request)))
  const previewed = await readUploaded(context, caller, ticket)
  // The columns were changed after the preview, so the answer is a new preview.
  if (previewed && (await hasNewColumns(visit, previewed))) return choose(visit, previewed)
  const taken = await takeUpload(context, caller, ticket)
  return taken ? answerRunning(visit, withStatuses(taken, form), share.move()) : gone(visit)
}

const ticketIn = ({ form }: Visit): string => form.get('ticket') ?? ''

function gone(visit: Visit): Promise<string> {
  visit.reply.code(409)
  return formPage(visit, visit.words.import.gone)
}

/** Whether the columns in the form differ from those in the preview. */
async function hasNewColumns({ form, words }: Visit, { bytes, chosen }: UploadedFile): Promise<boolean> {
  const columns = form.has(SOURCE) ? await findColumns({ bytes, chosen }) : undefined
  if (!columns) return false
  const { chosen: read } = readColumns(form, columns, chosen, words)
  const choicesOf = ({ columns, id, source }: ImportSettings) => [columns, id, source]
  return !isDeepStrictEqual(choicesOf(read), choicesOf(chosen))
}

/** Previews the file with the columns from the form. */
async function choose(visit: Visit, uploaded: UploadedFile): Promise<string> {
  const { form, words } = visit
  const upload = withAnswers(withStatuses(uploaded, form), form)
  const columns = await findColumns(upload)
  if (!columns) return preview(visit, upload, undefined)
  // The columns can be guessed only now, because the encoding was not clear before.
  if (!upload.chosen.columns)
    return preview(visit, { ...upload, chosen: guessSettings(columns, upload.chosen) }, columns)
  const { chosen, problems } = readColumns(form, columns, upload.chosen, words)
  if (problems.length === 0) return preview(visit, { ...upload, chosen }, columns)
  visit.reply.code(400)
  const ticket = ticketOf(visit.context, visit.caller, upload)
  return previewPage(visit, { ticket, form: columnsForm({ columns, chosen, ticket, problems }, words) })
}

async function preview(
  visit: Visit,
  upload: UploadedFile,
  columns: FileColumns | undefined,
): Promise<string> {
  const { context, caller, words } = visit
  const { chosen } = upload
  const ticket = ticketOf(context, caller, upload)
  const form = columns && columnsForm({ columns, chosen, ticket, problems: [] }, words)
  const hasName = !columns || hasNames(columns, chosen)
  const failed = { reason: words.import.columns.problems.noName }
  const run = hasName
    ? await runImport(context, caller, upload, { dryRun: true, words, onStep: () => requireClient(visit) })
    : { done: EMPTY_SUMMARY, refused: [], examples: [], failed }
  const kinds = await readKinds(visit)
  const categories = new Map(kinds.map(({ id, words: kind }) => [String(id), kind]))
  return previewPage(visit, { run, ticket, form, categories })
}

/** Stops the work if the client has disconnected. @throws {ApiError} request_timeout */
function requireClient({ request }: Visit): void {
  if (isClientGone(request.raw)) throw new ApiError('request_timeout')
}

function chosenIn(fields: FormBody, name: string): ImportSettings {
  const text = (field: string): string => fields.get(field)?.trim() ?? ''
  const currency = text('currency').toUpperCase()
  return {
    ...{ name, category: text('category'), organization: text('organization') },
    from: Object.hasOwn(MAPPINGS, text('from')) ? text('from') : '',
    currency: isCurrency(currency) ? currency : US_LOCALE.currency,
    dayFirst: readYesOrNo(text('dayFirst')),
    ...{ pounds: text('pounds') === 'yes', keep: text('keep') === 'yes', source: '', statuses: [] },
  }
}

/** The names of the programs, as shown to people. */
const PROGRAMS: Record<string, string> = {
  petfinder: 'Petfinder',
  rescuegroups: 'RescueGroups.org',
  'shelter-manager': 'Animal Shelter Manager (ASM)',
  shelterluv: 'Shelterluv',
}

async function formPage(visit: Visit, problem?: string): Promise<string> {
  const { words } = visit
  const { import: own } = words
  const kinds = await readKinds(visit)
  const organizations = await readOrganizations(visit)
  return consolePage(visit, {
    title: own.title,
    main: html`<h1>${own.title}</h1><p class="lead">${own.lead}</p>
${problem && html`<p class="summary problem" role="alert">${problem}</p>`}
<form class="card" method="post" action="${PATH}" enctype="multipart/form-data">
<div class="field"><label for="file">${own.file}</label><p class="hint" id="hint-file">${own.fileHint}</p>
<input id="file" type="file" name="file" accept=".csv,.json,.ndjson,.jsonl" aria-describedby="hint-file"></div>
<div class="fields">${fieldsOf({ kinds, organizations }, words)}</div>
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

function fieldsOf({ kinds, organizations }: ImportChoices, { import: own, animal }: Texts['console']): Part {
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
