import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { importText, openStore } from '../testing/import-lines.ts'
import { scratchStore } from '../testing/start-app.ts'
import { type Fields, type Format, type Mapping, US_LOCALE } from './animal.ts'
import type { Options } from './import.ts'
import { MAPPINGS } from './mappings/all.ts'
import { CHOOSABLE_COLUMNS, createTableMapping } from './mappings/chosen.ts'
import { ownMapping } from './mappings/own.ts'
import { readPhotoList } from './photos.ts'
import { RefusalError } from './report.ts'
import { type References, validate } from './validate.ts'

// Reading a file must not delay other requests for long. Measures the processor time of this thread, because
// other programs on the machine do not affect it.

const cpuMs = (): number => process.threadCpuUsage().user / 1_000

/** Duration of the longest turn of the event loop during some work. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let since = cpuMs()
  const look = (): void => {
    longest = Math.max(longest, cpuMs() - since)
    since = cpuMs()
    next = setImmediate(look)
  }
  let next = setImmediate(look)
  await work().finally(() => clearImmediate(next))
  longest = Math.max(longest, cpuMs() - since)
  return longest
}

const store = (t: TestContext) => openStore(t, scratchStore(t))

const LENGTH = 300_000
/** Longer texts are not searched for HTML tags. */
const MARKED_LENGTH = 99_000

const NASTY = [
  ' ',
  '\t',
  '\u00a0',
  '(',
  ';',
  ' ;',
  '$',
  '$ ',
  '\n',
  '\n ',
  "'",
  '/',
  ',',
  '.',
  '1',
  '-',
  '"',
  '\u0301\u0316',
]
const MARKED = ['<', '<!--', '<script>', '<script ', '<style></style ', '<p ', '&', ' \u00a0\t', '\r']

const run = (unit: string, length: number): string => unit.repeat(length / unit.length)
/** An `x` at each end prevents trimming. */
const CELLS = [
  ...NASTY.map((unit) => `x${run(unit, LENGTH)}x`),
  ...MARKED.map((unit) => `<b>${run(unit, MARKED_LENGTH)}x`),
]

/** Members without which a program's reader ignores an animal, and nested members of JSON formats. */
const NEEDED: Record<string, (cell: string) => Fields> = {
  own: () => ({}),
  petfinder: () => ({ Status: 'A' }),
  'shelter-manager': () => ({
    MOVEMENTTYPE: '0',
    ...{ DECEASEDDATE: undefined, ANIMALDECEASEDDATE: undefined, PUTTOSLEEP: undefined },
    ...{ ANIMALEUTHANIZED: undefined, NONSHELTERANIMAL: undefined, ANIMALNONSHELTER: undefined },
  }),
  rescuegroups: (cell) => ({
    status: 'Available',
    location: { city: cell, state: cell, postalcode: cell, country: cell, lat: cell, lon: cell },
    videoUrls: [cell, cell],
    qualities: [...cell],
    pictures: [cell],
  }),
  shelterluv: (cell) => ({
    Status: cell,
    Attributes: [{ AttributeName: cell, Publish: 'Yes' }],
    Videos: [{ YoutubeUrl: cell }],
    Photos: [cell],
    AdoptionFeeGroup: { Price: cell, Name: cell },
    Microchips: [{ Id: cell }],
    CurrentLocation: { Tier2: cell },
  }),
}

/** The names of columns that a mapping reads. */
function namesOf(mapping: Mapping, format: Format, needed: Fields): string[] {
  const names = new Set<string>([
    ...mapping.columns,
    ...(mapping.otherColumns ?? []),
    ...(mapping.photoMembers ?? []),
  ])
  const fields = new Proxy<Fields>(
    {},
    {
      get(_, name) {
        names.add(String(name))
        return String(name) in needed ? needed[String(name)] : '1'
      },
    },
  )
  mapping.toAnimal(fields, format, US_LOCALE)
  return [...names]
}

/** A table whose columns were mapped by a person. */
const chosen = createTableMapping(CHOOSABLE_COLUMNS, {
  columns: new Map(CHOOSABLE_COLUMNS.entries()),
  id: undefined,
})

const named = { ids: new Set(['1']), byName: new Map([['dog', 1]]) }
const KNOWN: References = {
  categories: named,
  organizations: named,
  fallback: 1,
  organizationId: undefined,
  anyOrganization: true,
}

function read(mapping: Mapping, format: Format, fields: Fields): void {
  try {
    readPhotoList(fields, mapping.photoMembers ?? [], format)
    const animal = mapping.toAnimal(fields, format, US_LOCALE)
    if (animal) validate(animal, KNOWN, 0)
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
  }
}

test('a cell of 300,000 blanks, brackets or punctuation is read quickly, for every program and member', () => {
  for (const [from, mapping] of Object.entries({ own: ownMapping, chosen, ...MAPPINGS })) {
    for (const format of mapping.formats) {
      const names = namesOf(mapping, format, NEEDED[from]?.('1') ?? {})
      for (const cell of CELLS) {
        const since = cpuMs()
        const texts = Object.fromEntries(names.map((name) => [name, cell]))
        read(mapping, format, { ...texts, ...NEEDED[from]?.(cell) })
        const what = `${from}, ${format}: ${JSON.stringify(cell.slice(0, 20))}`
        assert.ok(cpuMs() - since < 2_000, `${what} took ${cpuMs() - since} ms`)
      }
    }
  }
})

const headings = Array.from({ length: 100_000 }, (_, index) => `a${index}`).join(',')
const FILES: Record<string, [file: string, given: Partial<Options>]> = {
  'lines without anything': ['{}\n'.repeat(100_000), {}],
  'lines that are not JSON': ['{\n'.repeat(100_000), {}],
  'lines without their id': ['name,id\nRex,\n'.padEnd(300_000, 'Rex,\n'), { format: 'csv', idColumn: 'id' }],
  'lines without a category': ['name\n'.padEnd(300_000, 'Rex\n'), { format: 'csv' }],
  'empty lines': ['{}\n'.padEnd(1_000_000, '\n'), {}],
  'empty lines of CSV': ['name\n'.padEnd(3_000_000, '\n'), { format: 'csv' }],
  'stray quotes in a line': ['name\n'.padEnd(200_000, 'a"'), { format: 'csv' }],
  'stray quotes in each cell': [`name\n[${'"\\\\",'.repeat(250_000)}`, { format: 'csv' }],
  'stray quotes after a long cell': [`name\n${'a'.repeat(1_040_000)}${'"b'.repeat(990)}`, { format: 'csv' }],
  'stray quotes in lines': ['name\n'.padEnd(300_000, 'a"a\n'), { format: 'csv' }],
  'a quote that is never closed': [`name\n"${'"a'.repeat(100_000)}`, { format: 'csv' }],
  headings: [`name,${headings}\nRex\n`, { format: 'csv' }],
  'long cells': [
    `name,description\n${NASTY.map((unit) => `x,"x${run(unit.replace('"', '""'), LENGTH)}x"\n`).join('')}`,
    { format: 'csv' },
  ],
}

for (const [what, [file, given]] of Object.entries(FILES)) {
  test(`reading a file with ${what} does not block the event loop for long`, async (t) => {
    const opened = await store(t)

    const refusal =
      /look for a quote that is never closed|the headings on line 1: It has more than 1000 cells/
    const longest = await longestTurnMs(() =>
      importText(opened, file, { dryRun: true, ...given }).catch((error) =>
        assert.match(error.message, refusal),
      ),
    )

    assert.ok(longest < 500, `a turn took ${longest} ms`)
  })
}
