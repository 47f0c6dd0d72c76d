import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { listForStaff, type StaffPet, type StaffPetQuery } from '../../../../pets/inside.ts'
import { finderOf } from '../../../../pets/search/filters.ts'
import type { Position } from '../../../../pets/search/matching.ts'
import { csvLine, shieldFormulas } from '../../../../transfer/columns.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import { wholeNumberOf } from '../address.ts'
import { readChoices } from '../choices.ts'
import { wordsFor } from '../frame.ts'
import { daysInCare } from './days.ts'
import { filtersIn, queryOf } from './filters.ts'
import { namesOf } from './list.ts'
import { ROW_MEMBERS } from './rows.ts'

const PAGE_SIZE = 100
const MAX_IDS = 100

/** The list of animals as a file: all that match the filters, or those with the ids in the address. */
export function animalsCsv(app: App, context: Context): void {
  app.get('/animals.csv', async (request, reply: FastifyReply) =>
    reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="animals.csv"')
      .header('cache-control', 'no-store')
      .send(Readable.from(await linesOf(context, request))),
  )
}

type Names = ReturnType<typeof namesOf>

async function linesOf(context: Context, request: FastifyRequest): Promise<AsyncGenerator<string>> {
  const { language } = wordsFor(request)
  const texts = textsOf(language)
  const names = namesOf(await readChoices(context, request))
  const named = request.query as Record<string, unknown>
  const ids = [named.id ?? []]
    .flat()
    .map(wholeNumberOf)
    .filter((id) => id !== undefined)
  const query: StaffPetQuery = {
    ...queryOf(filtersIn(named), request),
    ...(ids.length > 0 && { ids: ids.slice(0, MAX_IDS), sort: '-id' }),
  }
  const columns = columnsOf(texts, names, context.clock())
  const renderOptions = { view: request.caller.view, photosBase: '' }
  async function* lines(): AsyncGenerator<string> {
    // Spreadsheet programs need the byte order mark to read accents.
    yield `\uFEFF${lineOf(columns.map(([heading]) => heading))}`
    for (let after: Position | undefined; ; ) {
      const page = { query, limit: PAGE_SIZE, after, selection: ROW_MEMBERS, renderOptions }
      const { found, next } = await listForStaff(finderOf(context), page)
      yield found.map((pet) => lineOf(columns.map(([, textOf]) => textOf(pet)))).join('')
      if (!next) return
      after = next
    }
  }
  return lines()
}

const lineOf = (cells: (string | number | undefined)[]): string =>
  csvLine(cells.map((cell = '') => shieldFormulas(String(cell))))

type CsvColumn = [heading: string, textOf: (pet: StaffPet) => string | number | undefined]

function columnsOf(
  { common, console: words }: Texts,
  { categories, organizations }: Names,
  now: number,
): CsvColumn[] {
  const { list, animals, animal } = words
  const { labels } = animal.fields
  const statusOf = ({ status, staff }: StaffPet): string | undefined =>
    staff?.outcomeKind ? animal.outcome.kinds[staff.outcomeKind] : animals.statuses[status ?? 'unlisted']
  const columns: CsvColumn[] = [
    ['id', ({ id }) => id],
    [list.columns.name ?? '', ({ name }) => name],
    [list.columns.number ?? '', ({ externalId }) => externalId],
    [animals.category, ({ categoryId }) => categories.get(String(categoryId))],
    [labels['breed.primary'] ?? '', ({ breed }) => breed?.primary],
    [labels.age ?? '', ({ age }) => age && common.age[age]],
    [labels.sex ?? '', ({ sex }) => sex && common.sex[sex]],
    [list.columns.kennel ?? '', ({ staff }) => staff?.kennel],
    [labels['staff.intakeDate'] ?? '', ({ staff }) => staff?.intakeDate],
    [list.columns.intake ?? '', (pet) => daysOf(pet, now)],
    [list.columns.status ?? '', statusOf],
  ]
  if (organizations)
    columns.push([animals.organization, ({ organizationId }) => organizations.get(String(organizationId))])
  return columns
}

function daysOf(pet: StaffPet, now: number): number | undefined {
  const care = daysInCare(pet, now)
  return care && !care.isPlanned ? care.days : undefined
}
