import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { importText, openStore } from '../testing/import-lines.ts'
import { scratchFolder } from '../testing/start-app.ts'
import { AMERICAN, type Fields, type Format, type Mapping, Refused } from './animal.ts'
import type { Options } from './import.ts'
import { judge, type Known } from './judge.ts'
import { CHOOSABLE, chosenBy } from './mappings/chosen.ts'
import { own } from './mappings/own.ts'
import { MAPPINGS } from './mappings.ts'
import { photosIn } from './photo-sources.ts'

// One file keeps no request of others waiting for long. Time of the processor is measured, of this thread: what
// else the machine does takes none of it.

const cpuMs = (): number => process.threadCpuUsage().user / 1_000

/** What the longest turn of the event loop took while something was done. */
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

const store = (t: TestContext) => openStore(t, `sqlite:${join(scratchFolder(t), 'test.db')}`)

const LENGTH = 300_000
/** Longer texts are not read for marks of HTML. */
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
/** With something else at both ends, so that nobody cuts them off. */
const CELLS = [
  ...NASTY.map((unit) => `x${run(unit, LENGTH)}x`),
  ...MARKED.map((unit) => `<b>${run(unit, MARKED_LENGTH)}x`),
]

/** What an animal of each program needs to be read at all; of JSON, also what stands deeper. */
const NEEDED: Record<string, (cell: string) => Fields> = {
  own: () => ({}),
  petfinder: () => ({ Status: 'A' }),
  'shelter-manager': () => ({
    MOVEMENTTYPE: '0',
    ANIMALDECEASEDDATE: undefined,
    ANIMALNONSHELTER: undefined,
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

/** The names that a mapping asks for. */
function namesOf(mapping: Mapping, format: Format, needed: Fields): string[] {
  const names = new Set<string>([
    ...mapping.columns,
    ...(mapping.otherColumns ?? []),
    ...(mapping.photoMembers ?? []),
  ])
  const asked = new Proxy<Fields>(
    {},
    {
      get(_, name) {
        names.add(String(name))
        return String(name) in needed ? needed[String(name)] : '1'
      },
    },
  )
  mapping.toAnimal(asked, format, AMERICAN)
  return [...names]
}

/** Of a table of which somebody said what each column holds. */
const chosen = chosenBy(CHOOSABLE, { columns: new Map(CHOOSABLE.entries()), id: undefined })

const named = { ids: new Set(['1']), byName: new Map([['dog', 1]]) }
const KNOWN: Known = {
  categories: named,
  organizations: named,
  fallback: 1,
  organizationId: undefined,
  othersToo: true,
}

function read(mapping: Mapping, format: Format, fields: Fields): void {
  try {
    photosIn(fields, mapping.photoMembers ?? [], format)
    const animal = mapping.toAnimal(fields, format, AMERICAN)
    if (animal) judge(animal, KNOWN, 0)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
  }
}

test('a cell of 300,000 blanks, brackets or signs is read at once, whatever program it is of, and in any member', () => {
  for (const [from, mapping] of Object.entries({ own, chosen, ...MAPPINGS })) {
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
  'lines that are no JSON': ['{\n'.repeat(100_000), {}],
  'lines without their id': ['name,id\nRex,\n'.padEnd(300_000, 'Rex,\n'), { format: 'csv', idColumn: 'id' }],
  'lines without a category': ['name\n'.padEnd(300_000, 'Rex\n'), { format: 'csv' }],
  'empty lines': ['{}\n'.padEnd(1_000_000, '\n'), {}],
  'empty lines of CSV': ['name\n'.padEnd(3_000_000, '\n'), { format: 'csv' }],
  'stray quotes in a line': ['name\n'.padEnd(200_000, 'a"'), { format: 'csv' }],
  'stray quotes behind a long cell': [`name\n${'a'.repeat(1_040_000)}${'"b'.repeat(990)}`, { format: 'csv' }],
  'stray quotes in lines': ['name\n'.padEnd(300_000, 'a"a\n'), { format: 'csv' }],
  'a quote that is never closed': [`name\n"${'"a'.repeat(100_000)}`, { format: 'csv' }],
  headings: [`name,${headings}\nRex\n`, { format: 'csv' }],
  'long cells': [
    `name,description\n${NASTY.map((unit) => `x,"x${run(unit.replace('"', '""'), LENGTH)}x"\n`).join('')}`,
    { format: 'csv' },
  ],
}

for (const [what, [file, given]] of Object.entries(FILES)) {
  test(`others are let in between while a file is read that has ${what}`, async (t) => {
    const opened = await store(t)

    const refusal = /look for a quote that is never closed/
    const longest = await longestTurnMs(() =>
      importText(opened, file, { dryRun: true, ...given }).catch((error) =>
        assert.match(error.message, refusal),
      ),
    )

    assert.ok(longest < 500, `a turn took ${longest} ms`)
  })
}
