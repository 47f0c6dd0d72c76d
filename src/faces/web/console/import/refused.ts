import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import type { Caller } from '../../../../http/caller.ts'
import { type Html, html } from '../../../../http/html.ts'
import { csvLine, shieldFormulas } from '../../../../transfer/columns.ts'
import { readRows } from '../../../../transfer/raw-rows.ts'
import type { Refusal } from '../../../../transfer/report.ts'
import type { Texts } from '../../texts/texts.ts'
import { wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { reasonsIn } from './refusal-words.ts'
import { encodingOf, readRefused, refusedPathOf, type UploadedFile } from './uploads.ts'

// The lines that an import refuses: shown by reason, and as a file in which a person corrects them.

const PATH = `${PREFIX}/import/refused.csv`

const MAX_REASONS = 50
/** The page names up to this many animals per reason. */
const MAX_NAMED = 20

/** The skipped lines, grouped by reason. The most frequent reason comes first. */
export function refusedSection(
  request: FastifyRequest,
  refused: readonly Refusal[],
  count: number,
): Html | false {
  const { language, words } = wordsFor(request)
  const { import: own } = words
  if (count === 0) return false
  const reasoned = refused.flatMap((line) => reasonsIn(line, words).map((reason) => ({ reason, line })))
  const groups = Map.groupBy(reasoned, ({ reason }) => reason)
  const sorted = [...groups].toSorted(([, one], [, other]) => other.length - one.length)
  const items = sorted.slice(0, MAX_REASONS).map(([reason, lines]) => {
    const named = lines.slice(0, MAX_NAMED).map(({ line }) => lineItem(line, own))
    const more = lines.length - named.length
    return html`<details class="group reason"${sorted.length <= 3 && html` open`}><summary>${reason} <b>${lines.length.toLocaleString(language)}</b></summary>
<ul>${named}</ul>${more > 0 && html`<p>${own.more(more)}</p>`}</details>`
  })
  const more = Math.max(count - refused.length, 0)
  return html`<section class="card" id="refused"><h2>${own.refused}</h2><p>${own.refusedLead}</p>
<p><a class="button plain" href="${PATH}" download>${own.download}</a></p>${items}${more > 0 && html`<p>${own.more(more)}</p>`}</section>`
}

const lineItem = ({ line, name, id }: Refusal, own: Texts['console']['import']): Html =>
  html`<li>${name ?? id} <small>${own.line} ${line}</small></li>`

/**
 * Stores the refused lines of an import, with their cells as in the file and with the reason. The file is in
 * the folder of uploads, and the next import replaces it.
 */
export async function storeRefused(
  context: Pick<Context, 'photos'>,
  caller: Caller,
  { bytes, chosen }: UploadedFile,
  refused: readonly Refusal[],
  words: Texts['console'],
): Promise<void> {
  const { line, name, why } = words.import
  const reasons = new Map(refused.map((one) => [one.line, reasonsIn(one, words).join(' ')]))
  const file = { bytes: () => Readable.from([bytes]) }
  const table = await readRows(file, new Set(reasons.keys()), encodingOf(chosen)).catch(() => undefined)
  const rows = table
    ? [
        [...table.headings, why],
        ...table.rows.map(({ number, cells }) => [
          ...padTo(table.headings.length, cells),
          reasons.get(number) ?? '',
        ]),
      ]
    : [
        [line, name, why],
        ...refused.map((one) => [
          String(one.line),
          shieldFormulas(one.name ?? ''),
          reasons.get(one.line) ?? '',
        ]),
      ]
  const separator = table?.separator ?? ','
  const text = rows.map((cells) => csvLine(cells, separator))
  // Spreadsheet programs need the byte order mark to read accents.
  await writeFile(await refusedPathOf(context, caller), `\uFEFF${text.join('')}`, { mode: 0o600 })
}

const padTo = (length: number, cells: string[]): string[] =>
  Array.from({ length: Math.max(length, cells.length) }, (_, index) => cells[index] ?? '')

/** The download of the refused lines of the person's last preview or import. */
export function refusedDownload(app: App, context: Context): void {
  app.get('/import/refused.csv', async (request, reply: FastifyReply) => {
    const bytes = await readRefused(context, request.caller)
    if (!bytes) throw new ApiError('route_not_found')
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="skipped.csv"')
      .header('cache-control', 'no-store')
      .send(bytes)
  })
}
