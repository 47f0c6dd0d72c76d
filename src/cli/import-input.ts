import { rmSync } from 'node:fs'
import { type FileHandle, mkdtemp, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportFile } from '../transfer/read.ts'
import type { Streams } from './terminal.ts'

export interface Input extends ImportFile, AsyncDisposable {
  /** The size in bytes. */
  size: number
  /** The number of bytes that the last call of `bytes` has read so far. */
  read(): number
}

const CHUNK_BYTES = 2 ** 18

/**
 * Opens a file that is read several times.
 * @param streams used if the file is `-`; without them, `-` is a file name
 * @throws if the file does not exist
 */
export async function openInput(file: string, streams?: Pick<Streams, 'stdin'>): Promise<Input> {
  if (file === '-' && streams) return openStream(streams.stdin)
  const handle = await openFile(file)
  if ((await handle.stat()).isFile()) return fromHandle(handle)
  return openStream(handle.createReadStream())
}

/** Opens bytes that can be read only once. They are first stored in a temporary file without a name. */
export async function openStream(stream: AsyncIterable<Uint8Array>): Promise<Input> {
  return fromHandle(await spool(stream))
}

async function fromHandle(handle: FileHandle): Promise<Input> {
  const { size } = await handle.stat()
  let count = 0
  return {
    size,
    read: () => count,
    async *bytes() {
      count = 0
      for (;;) {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, count)
        if (bytesRead === 0) return
        count += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** Copies bytes to a temporary file, readable by this user only and removed at the end. */
async function spool(stream: AsyncIterable<Uint8Array>): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'adoptable-import-'))
  const path = join(folder, 'input')
  const handle = await open(path, 'wx+', 0o600)
  rmSync(folder, { recursive: true })
  try {
    await handle.writeFile(stream)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function openFile(file: string): Promise<FileHandle> {
  const handle = await open(file)
  if (!(await handle.stat()).isDirectory()) return handle
  await handle.close()
  throw new Error(`${file} is a folder: name a file in it`)
}
