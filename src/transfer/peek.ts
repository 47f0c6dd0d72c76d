import { type RefusalCode, Refused } from './animal.ts'

/** More than any line of headings has. */
const MAX_PEEKED_BYTES = 2 ** 16

const LINE_END = /\r|\n/

export interface Peeked {
  /** Without its end and a byte order mark; of a long line the beginning. */
  firstLine: string
  /** All of it, from the first byte on. */
  input: AsyncIterable<Buffer>
}

/**
 * Looks at the first line of a file, which tells what it is.
 *
 * @throws when it is no text in UTF-8
 */
export async function peek(input: AsyncIterable<Buffer>): Promise<Peeked> {
  const rest = input[Symbol.asyncIterator]()
  const chunks: Buffer[] = []
  let head = Buffer.alloc(0)
  while (head.length < MAX_PEEKED_BYTES && !LINE_END.test(head.toString('latin1'))) {
    const { done, value } = await rest.next()
    if (done) break
    chunks.push(value)
    head = Buffer.concat([head, value.subarray(0, MAX_PEEKED_BYTES)])
  }
  refuseOthers(head)
  const [firstLine = ''] = head.toString().split(LINE_END, 1)
  return { firstLine: firstLine.replace(/^\uFEFF/, ''), input: joined(chunks, rest) }
}

async function* joined(chunks: Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks
  yield* { [Symbol.asyncIterator]: () => rest }
}

/** What people have instead of text, by its first bytes. */
const OTHERS: [bytes: number[], code: RefusalCode, what: string][] = [
  [[0x1f, 0x8b], 'compressed', 'is compressed with gzip: unpack it first'],
  [
    [0x50, 0x4b, 3, 4],
    'workbook',
    'is a ZIP archive or a workbook: unpack it, or save the sheet as CSV in UTF-8',
  ],
  [[0xff, 0xfe], 'utf16', 'is UTF-16: save it anew in UTF-8'],
  [[0xfe, 0xff], 'utf16', 'is UTF-16: save it anew in UTF-8'],
]

function refuseOthers(head: Buffer): void {
  const other = OTHERS.find(([bytes]) => bytes.every((byte, index) => head[index] === byte))
  if (!other) return
  const [, code, what] = other
  throw new Refused({ code, message: `the file ${what}` })
}
