import { setTimeout as pause } from 'node:timers/promises'
import { FORMATS } from '../transfer/animal.ts'
import type { Options } from '../transfer/import.ts'
import type { Summary } from '../transfer/summary.ts'
import { leftOutText, summaryText } from './import-report.ts'
import { print, type Streams } from './terminal.ts'

type Wanted = Omit<Options, 'onBatch' | 'onRefused' | 'format'>

interface Watching {
  place: string
  /** Milliseconds between two looks. */
  every: number
  /** By the name of what was found. */
  formatOf(name: string): Options['format']
  options: Wanted
  onRefused: Options['onRefused']
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const ENDINGS = ['.jsonl', ...FORMATS.map((format) => `.${format}`)]

/** Imports an export whenever it has changed, until it is ended. What goes wrong is told, and tried again. */
export async function watch(databaseUrl: string, watching: Watching, streams: Streams): Promise<void> {
  const { lookAt } = await import('../transfer/watched.ts')
  const { place, every } = watching
  const look = lookAt(place, ENDINGS, Date.now)
  const ended = new AbortController()
  const end = () => ended.abort()
  for (const signal of SIGNALS) process.once(signal, end)
  while (!ended.signal.aborted) {
    try {
      const found = await look()
      if (found) {
        const startedAt = performance.now()
        const done = await bringIn(databaseUrl, found.name, found.bytes, watching)
        // With photos that could not be fetched it is met again at the next look, which goes on with those.
        if (!done.photos?.failed) found.taken()
        await tell(streams, found.name, done, (performance.now() - startedAt) / 1_000)
      }
    } catch (error) {
      streams.stderr.write(
        `${(error as Error).message.replace(/\.$/, '')}; looked at again in ${every / 1_000} s\n`,
      )
    }
    await pause(every, undefined, { signal: ended.signal }).catch(() => undefined)
  }
  for (const signal of SIGNALS) process.off(signal, end)
}

async function bringIn(
  databaseUrl: string,
  name: string,
  bytes: AsyncIterable<Buffer>,
  { options, formatOf, onRefused }: Watching,
): Promise<Summary> {
  const { importAnimals } = await import('../transfer/import.ts')
  const { openForCommand } = await import('../db/open-database.ts')
  const { changes } = await import('../changes.ts')
  const store = await openForCommand(databaseUrl, changes)
  try {
    return await importAnimals(store, bytes, {
      ...options,
      format: formatOf(name),
      onRefused,
      onBatch: () => undefined,
    })
  } finally {
    await store.close()
  }
}

async function tell(
  { stdout, stderr }: Streams,
  name: string,
  done: Summary,
  seconds: number,
): Promise<void> {
  const removed = done.removed ? `, ${done.removed} no longer there` : ''
  await print(stdout, `${new Date().toISOString()} ${name}: ${summaryText(done, seconds, false)}${removed}`)
  const leftOut = leftOutText(done)
  if (leftOut !== undefined) stderr.write(`${leftOut}\n`)
}
