import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { spawnCli } from '../testing/process.ts'
import { scratchFolder } from '../testing/start-app.ts'

const MAX_MEMORY_KB = 600 * 1024
const [LONG, ENDLESS] = [10e6, 60e6]

/** Reports at the end of the process the most memory that it used. */
const PRINT_MEMORY = `process.on('exit', () => console.error('kilobytes ' + process.resourceUsage().maxRSS))`

const REFUSED = /^line \d+: (?:id: This must be|It has more than 1000 members)/m
const MEMBERS = Array.from({ length: 48_000 }, (_, index) => `"m${index}":"1",`).join('')
const GOOD = '{"name":"Rex","categoryId":1}\n'
const TOO_LONG = /^line 2: It is longer than \d+ bytes\.$/m
const between = (line: string): string => `${GOOD}${line}\n${GOOD}`
const inCsv = (line: string): string => `name,categoryId\nRex,1\n${line}\nRex,1\n`

/** The message about the file, and the number of animals added despite it. */
const FILES: [name: string, file: () => string, says: RegExp, added: number][] = [
  ['name.ndjson', () => between(`{"name":"${'a'.repeat(LONG)}","categoryId":1}`), TOO_LONG, 2],
  ['arrays.ndjson', () => between(`{"name":[${'[],'.repeat(LONG / 3)}1]}`), TOO_LONG, 2],
  ['brackets.ndjson', () => between('['.repeat(LONG)), TOO_LONG, 2],
  ['just-short.ndjson', () => between('['.repeat(4 * 2 ** 20)), /^line 2: It has more than \d+ members/m, 2],
  ['quoted.csv', () => inCsv(`"${'a'.repeat(LONG)}",1`), /^line 3: It is longer/m, 2],
  ['cells.csv', () => inCsv(','.repeat(LONG)), /^line 3: It is longer/m, 2],
  ['quotes.csv', () => inCsv('a"b,'.repeat(LONG / 4)), /^line 3: It is longer/m, 2],
  ['lines.csv', () => inCsv(`"${'a\n'.repeat(LONG / 2)}",1`), /line 3: the record .* look for a quote/, 1],
  [
    'unclosed.csv',
    () => inCsv(`"Rex,1${'\nRex,1'.repeat(ENDLESS / 6)}`),
    /look for a quote that is never/,
    1,
  ],
  ['headings.csv', () => `name,${'c,'.repeat(LONG)}\nRex,1\n`, /the headings on line 1: It is longer/, 0],
  ['page.json', () => `{"data":[${'[],'.repeat(ENDLESS / 3)}1]}`, /the file is longer than \d+ bytes/, 0],
  ['lists.json', () => `[${`{"a":[${'{},'.repeat(24_000)}1]},`.repeat(20)}1]`, REFUSED, 0],
  ['members.json', () => `[${`{${MEMBERS}"a":1},`.repeat(15)}1]`, REFUSED, 0],
  ['one-line.json', () => `[${'{},'.repeat(ENDLESS / 3)}1]`, /the file is longer than \d+ bytes/, 0],
]

for (const [name, file, says, added] of FILES) {
  test(`import of ${name} with an oversized line: uses less than 600 MB and reports the line`, async (t) => {
    const folder = scratchFolder(t)
    const [path, preload] = [join(folder, name), join(folder, 'memory.cjs')]
    writeFileSync(path, file())
    writeFileSync(preload, PRINT_MEMORY)
    const settings = {
      DATABASE_URL: `sqlite:${join(folder, 'test.db')}`,
      NODE_OPTIONS: `--require=${preload}`,
    }
    const from = name.endsWith('.json') ? ['--from', 'rescuegroups'] : []

    const { code, stdout, stderr } = await spawnCli(
      t,
      ['import', '--init', resolve(path), ...from, '--json'],
      settings,
    ).exited

    assert.equal(code, 1)
    assert.match(stderr, says)
    assert.equal(stdout === '' ? 0 : JSON.parse(stdout).added, added)
    const kilobytes = Math.max(
      ...[...stderr.matchAll(/^kilobytes (\d+)$/gm)].map(([, figure]) => Number(figure)),
    )
    assert.ok(kilobytes > 0 && kilobytes < MAX_MEMORY_KB, `${kilobytes} KB`)
  })
}
