import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FORMATS } from '../transfer/animal.ts'
import type { Options } from '../transfer/import.ts'
import type { Summary } from '../transfer/report.ts'
import { withStore } from './command.ts'
import { type Input, openInput, openStream } from './import-input.ts'
import { formatDetails, formatSummary } from './import-report.ts'
import { print, type Streams } from './terminal.ts'

type ImportOptions = Omit<Options, 'onBatch' | 'onRefused' | 'format'>

interface WatchOptions {
  place: string
  /** Milliseconds between checks. */
  every: number
  /** The format for the name of a file. */
  formatOf(name: string): Options['format']
  options: ImportOptions
  onRefused: Options['onRefused']
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const ENDINGS = ['.jsonl', ...FORMATS.map((format) => `.${format}`)]

/** Imports an export whenever it changes, until a signal. Errors are printed, and the next check retries. */
export async function watch(databaseUrl: string, watching: WatchOptions, streams: Streams): Promise<void> {
  const { place, every } = watching
  const look = createWatcher(place, ENDINGS, Date.now)
  const ended = new AbortController()
  const end = () => ended.abort()
  for (const signal of SIGNALS) process.once(signal, end)
  while (!ended.signal.aborted) {
    try {
      const found = await look()
      if (found) {
        const startedAt = performance.now()
        const done = await importExport(databaseUrl, found, watching)
        // If photos failed, the next check imports the export again to retry them.
        if (!done.photos?.failed) found.markImported()
        await report(streams, found.name, done, (performance.now() - startedAt) / 1_000)
      }
    } catch (error) {
      streams.stderr.write(
        `${(error as Error).message.replace(/\.$/, '')}; next check in ${every / 1_000} s\n`,
      )
    }
    await pause(every, undefined, { signal: ended.signal }).catch(() => undefined)
  }
  for (const signal of SIGNALS) process.off(signal, end)
}

async function importExport(
  databaseUrl: string,
  { name, open }: WatchedExport,
  { options, formatOf, onRefused }: WatchOptions,
): Promise<Summary> {
  const { importAnimals } = await import('../transfer/import.ts')
  await using file = await open()
  return await withStore(databaseUrl, (store) =>
    importAnimals(store, file, { ...options, format: formatOf(name), onRefused }),
  )
}

async function report(
  { stdout, stderr }: Streams,
  name: string,
  done: Summary,
  seconds: number,
): Promise<void> {
  const removed = done.removed ? `, ${done.removed} no longer found` : ''
  await print(stdout, `${new Date().toISOString()} ${name}: ${formatSummary(done, seconds, false)}${removed}`)
  stderr.write(formatDetails(done))
}

interface WatchedExport {
  /** A file name, or a URL without its query, which may contain secrets. */
  name: string
  open(): Promise<Input>
  /** Marks this version as imported. Later checks return only a different version. */
  markImported(): void
}

/** @returns undefined if nothing has changed since the last import */
type FindExport = () => Promise<WatchedExport | undefined>

const isAddress = (place: string): boolean => /^https?:\/\//.test(place)

/**
 * Creates a function that checks a URL, a file, or the newest file in a folder for changes.
 * @param endings file name endings, such as .csv, that a file in a folder must have
 * @param clock Unix time in milliseconds
 */
export function createWatcher(place: string, endings: readonly string[], clock: () => number): FindExport {
  return isAddress(place) ? watchAddress(place) : watchFiles(place, endings, clock)
}

/** Timeout for a request, including its body. */
const ANSWER_TIMEOUT_MS = 300_000

/** Uses conditional requests (RFC 9110, section 13.1), so a server does not resend an unchanged export. */
function watchAddress(address: string): FindExport {
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
    const { body } = answer
    return {
      name,
      open: () => openStream(body),
      markImported() {
        conditions = {
          ...(etag && { 'if-none-match': etag }),
          ...(modified && { 'if-modified-since': modified }),
        }
      },
    }
  }
}

/** A file changed more recently may still be being written. */
const MIN_AGE_MS = 2_000

function watchFiles(place: string, endings: readonly string[], clock: () => number): FindExport {
  let last: string | undefined
  return async () => {
    const newest = await findNewest(place, endings)
    if (!newest) return undefined
    const { file, state, changedAt } = newest
    if (state === last || clock() - changedAt < MIN_AGE_MS) return undefined
    return {
      name: file,
      open: () => openInput(file),
      markImported() {
        last = state
      },
    }
  }
}

interface FileState {
  file: string
  /** A text that changes with each change of the file. */
  state: string
  changedAt: number
}

async function findNewest(place: string, endings: readonly string[]): Promise<FileState | undefined> {
  const { isFolder, ...own } = await readState(place)
  if (!isFolder) return own
  const names = await readdir(place)
  const files = names.filter((name) => endings.includes(extname(name).toLowerCase()))
  const all = await Promise.all(files.map((name) => readState(join(place, name))))
  return all
    .filter(({ isFolder }) => !isFolder)
    .toSorted((one, other) => one.changedAt - other.changedAt)
    .at(-1)
}

async function readState(file: string): Promise<FileState & { isFolder: boolean }> {
  const found = await stat(file)
  const { mtimeMs, size, ino } = found
  return { file, state: [file, mtimeMs, size, ino].join(), changedAt: mtimeMs, isFolder: found.isDirectory() }
}
