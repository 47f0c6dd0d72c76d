import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Streams } from './terminal.ts'

export interface Input extends AsyncDisposable {
  /** In bytes; undefined for what comes through a pipe. */
  size: number | undefined
  bytes(): AsyncIterable<Buffer>
  /** What only the same file has; undefined for what can be read but once. */
  fingerprint(): Promise<string | undefined>
  /** How many bytes were read. */
  read(): number
}

const CHUNK_BYTES = 2 ** 18

/**
 * @param streams of which - names the input
 * @throws when there is no such file
 */
export async function openInput(file: string, streams: Streams): Promise<Input> {
  const handle = file === '-' ? undefined : await openFile(file)
  const size = (await handle?.stat())?.size
  const stream = handle?.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES }) ?? streams.stdin
  let count = 0
  return {
    size,
    read: () => count,
    fingerprint: async () => ((await handle?.stat())?.isFile() ? hashOf(file) : undefined),
    async *bytes() {
      for await (const chunk of stream) {
        count += chunk.length
        yield chunk
      }
    },
    async [Symbol.asyncDispose]() {
      stream.destroy()
      await handle?.close()
    },
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) hash.update(chunk)
  return hash.digest('hex')
}

async function openFile(file: string): Promise<FileHandle> {
  const handle = await open(file)
  if (!(await handle.stat()).isDirectory()) return handle
  await handle.close()
  throw new Error(`${file} is a folder; name a file in it`)
}
