import { setTimeout as pause } from 'node:timers/promises'
import { FORMATS } from '../transfer/animal.ts'
import type { Options } from '../transfer/import.ts'
import type { Summary } from '../transfer/summary.ts'
import { leftOutText, summaryText } from './import-report.ts'
import { print } from './terminal.ts'

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

const ENDINGS = ['.jsonl', ...FORMATS.map((format) => `.${format}`)]

/** Imports an export whenever it has changed, until it is ended. What goes wrong is told, and tried again. */
export async function watch(databaseUrl: string, watching: Watching): Promise<void> {
  const { lookAt } = await import('../transfer/watched.ts')
  const { place, every } = watching
  const look = lookAt(place, ENDINGS, Date.now)
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort())
  while (!ended.signal.aborted) {
    try {
      const found = await look()
      if (found) {
        const startedAt = performance.now()
        const done = await bringIn(databaseUrl, found.name, found.bytes, watching)
        // With photos that could not be fetched it is met again at the next look, which goes on with those.
        if (!done.photos?.failed) found.taken()
        await tell(found.name, done, (performance.now() - startedAt) / 1_000)
      }
    } catch (error) {
      process.stderr.write(
        `${(error as Error).message.replace(/\.$/, '')}; looked at again in ${every / 1_000} s\n`,
      )
    }
    await pause(every, undefined, { signal: ended.signal }).catch(() => undefined)
  }
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

async function tell(name: string, done: Summary, seconds: number): Promise<void> {
  const removed = done.removed ? `, ${done.removed} no longer there` : ''
  await print(`${new Date().toISOString()} ${name}: ${summaryText(done, seconds, false)}${removed}`)
  const leftOut = leftOutText(done)
  if (leftOut !== undefined) process.stderr.write(`${leftOut}\n`)
}
