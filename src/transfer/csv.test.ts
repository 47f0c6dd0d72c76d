import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'
import { readRecords } from './csv.ts'

/** Reads the records of a text that arrives in pieces of this many bytes. */
async function recordsOf(text: string, size = 5, separator = ',') {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
  }
  const records: [line: number, cells: string[] | string][] = []
  for await (const { number, cells, problem } of readRecords(pieces(), separator))
    records.push([number, cells ?? problem?.message.slice(0, 26) ?? ''])
  return records
}

test('quotes in a cell are read; a line is refused if it is unknown where a cell ends', async () => {
  for (const [text, ...records] of [
    // Quotes in a cell without quotes around it.
    ['Rex,the "best" dog,x', ['Rex', 'the "best" dog', 'x']],
    ['Rex,6" tall\nAda,7"', ['Rex', '6" tall'], ['Ada', '7"']],
    ['Rex,6" tall,"two\nlines, ""one"" cell"', ['Rex', '6" tall', 'two\nlines, "one" cell']],
    ['a"",b', ['a""', 'b']],
    // Text after the closing quote.
    ['"Rex" the dog,x', ['"Rex" the dog', 'x']],
    ['"Rex" "the" dog,x', ['"Rex" "the" dog', 'x']],
    ['"",""""', ['', '"']],
    ['"a\r\nb",c\rd,e\n\n\r\nf', ['a\r\nb', 'c'], ['d', 'e'], ['f']],
    ['"""Rex"" is calm\nand kind",x', ['"Rex" is calm\nand kind', 'x']],
    // Not known where the cells end.
    ['Rex, "calm, kind",x\nAda,"x"', 'It is not valid CSV: enclo', ['Ada', 'x']],
    ['"Rex,x\nAda,6" tall\nBen,x', 'Lines 1 to 2 are not valid', ['Ben', 'x']],
    ['"Rex,x\nAda,"Dog"\nBen,x', 'Lines 1 to 2 are not valid', ['Ben', 'x']],
    ['Ada\n"Rex,x\nBen,x\n', ['Ada'], 'Lines 2 to 3 are not valid'],
  ] as [string, ...(string[] | string)[]][])
    for (const size of [1, 2, 5, 1_000])
      assert.deepEqual(
        (await recordsOf(text, size)).map(([, cells]) => cells),
        records,
        text,
      )
})

test('each record has the number of its first line', async () => {
  const records = await recordsOf('a\r\n"b\r\nb\nb",6"\r\n\r\nc\r"d\rd"\ne')
  assert.deepEqual(
    records.map(([line]) => line),
    [1, 2, 6, 7, 9],
  )
})

test('a line with quotes in its cells is imported, and refused if the quotes leave it with too many cells', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = [
    'Rex,Dog,the "best" dog',
    'Ada,Dog,6" tall',
    'Ben,Dog,the "best, really" dog',
    '"Gus" (old),Dog,',
  ]
  const options = { idColumn: undefined, update: false, guessesColumns: true }
  const { animals, refused } = await read(['Name,Species,Description', ...rows].join('\n'), 'csv', options)
  assert.deepEqual(
    animals.map(({ name, description }) => [name, description]),
    [
      ['Rex', 'the "best" dog'],
      ['Ada', '6" tall'],
      ['"Gus" (old)', undefined],
    ],
  )
  assert.deepEqual(
    refused.map(({ line, reason }) => [line, reason.slice(0, 14)]),
    [[4, 'It has 4 cells']],
  )
})
