import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** An export at a watched place. */
export interface WatchedExport {
  /** A file, or an address without what may be secret in it. */
  name: string
  bytes: AsyncIterable<Buffer>
  /** Says that it came in: only what is different from then on is met again. */
  taken(): void
}

/** @returns undefined while there is nothing that was not taken already */
export type Look = () => Promise<WatchedExport | undefined>

export const isAddress = (place: string): boolean => /^https?:\/\//.test(place)

/**
 * Looks at an address, a file, or the newest file in a folder, again and again.
 *
 * @param endings of files in a folder that are looked at, such as .csv
 * @param clock Unix time in milliseconds
 */
export function lookAt(place: string, endings: readonly string[], clock: () => number): Look {
  return isAddress(place) ? lookAtAddress(place) : lookAtFiles(place, endings, clock)
}

/** Of the answer to one look, from the wish for it to its last byte. */
const ANSWER_TIMEOUT_MS = 300_000

/** With the conditions of RFC 9110, section 13.1: a server that knows them sends nothing twice. */
function lookAtAddress(address: string): Look {
  let conditions: Record<string, string> = {}
  const { host, pathname } = new URL(address)
  const name = `${host}${pathname}`
  return async () => {
    const answer = await fetch(address, {
      headers: conditions,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    if (answer.status === 304) return undefined
    if (!answer.ok || !answer.body) throw new Error(`${name} answered with ${answer.status}`)
    const [etag, modified] = [answer.headers.get('etag'), answer.headers.get('last-modified')]
    return {
      name,
      bytes: buffersOf(answer.body),
      taken() {
        conditions = {
          ...(etag && { 'if-none-match': etag }),
          ...(modified && { 'if-modified-since': modified }),
        }
      },
    }
  }
}

async function* buffersOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk)
}

/** A file that was changed so lately may still be on its way. */
const SETTLED_MS = 2_000

function lookAtFiles(place: string, endings: readonly string[], clock: () => number): Look {
  let last: string | undefined
  return async () => {
    const newest = await newestOf(place, endings)
    if (!newest) return undefined
    const { file, state, changedAt } = newest
    if (state === last || clock() - changedAt < SETTLED_MS) return undefined
    return {
      name: file,
      bytes: createReadStream(file),
      taken() {
        last = state
      },
    }
  }
}

interface File {
  file: string
  /** What is different once it was changed. */
  state: string
  changedAt: number
}

async function newestOf(place: string, endings: readonly string[]): Promise<File | undefined> {
  const { isFolder, ...own } = await stateOf(place)
  if (!isFolder) return own
  const names = await readdir(place)
  const files = names.filter((name) => endings.includes(extname(name).toLowerCase()))
  const all = await Promise.all(files.map((name) => stateOf(join(place, name))))
  return all
    .filter(({ isFolder }) => !isFolder)
    .toSorted((one, other) => one.changedAt - other.changedAt)
    .at(-1)
}

async function stateOf(file: string): Promise<File & { isFolder: boolean }> {
  const found = await stat(file)
  const { mtimeMs, size, ino } = found
  return { file, state: [file, mtimeMs, size, ino].join(), changedAt: mtimeMs, isFolder: found.isDirectory() }
}
