import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { Event } from '../events/schema.ts'
import { startPolling } from '../jobs/job.ts'
import type { Batch } from './copies.ts'
import { openSource, PAGE_SIZE, SourceError } from './source.ts'
import { hasAvailable, type LeasedSource, listSourceIds, type Progress } from './store.ts'
import { createTranslator } from './translate.ts'

// Follows other installations: copies their public animals, then reads their feeds. Every process does this,
// but only one process at a time follows a source.

/** How often a source is read, and how often a process checks for sources that no process follows. */
export const FOLLOW_MS = 2_000
/** The longest pause after failures. Shorter than a lease. */
const MAX_RETRY_MS = 30_000
/** How often a source without changes is recorded as read. */
const RENEW_MS = 15_000
/** The maximum number of sources that a process leases at a time, so other processes get some too. */
const MAX_LEASED_SOURCES = 20

/** A list of animals with more pages than this counts as endless. */
const MAX_PAGES = 20_000

type Options = Pick<Context, 'config' | 'db' | 'write' | 'clock'> & {
  logger: Logger
  everyMs?: number | undefined
}

export function startFollower(options: Options): { stop(): Promise<void> } {
  const { db, write, clock, everyMs = FOLLOW_MS } = options
  const holder = randomUUID()
  let leases = 0
  const aborted = new AbortController()
  const running = new Map<number, { end: AbortController; done: Promise<void> }>()

  async function poll(): Promise<void> {
    if (!(await hasAvailable(db, clock()))) return
    leases += 1
    for (const source of await write(
      changes.leaseSources,
      `${holder}/${leases}`,
      MAX_LEASED_SOURCES,
      clock(),
    )) {
      // This process has lost its earlier lease, because it was slow or the source has a new key.
      const old = running.get(source.id)
      old?.end.abort()
      const end = new AbortController()
      const signal = AbortSignal.any([aborted.signal, end.signal])
      const done = Promise.resolve(old?.done).then(() => follow(options, source, signal))
      const entry = { end, done }
      running.set(source.id, entry)
      done.finally(() => running.get(source.id) === entry && running.delete(source.id))
    }
  }

  const stopPolling = startPolling(poll, everyMs)
  return {
    async stop() {
      aborted.abort()
      await stopPolling()
      await Promise.all([...running.values()].map(({ done }) => done))
      if (leases > 0) await write(changes.releaseSources, holder).catch(() => undefined)
    },
  }
}

/** Follows a source until another process leases it, the source is removed, or the service stops. */
async function follow(options: Options, source: LeasedSource, signal: AbortSignal): Promise<void> {
  const { write, clock, logger, everyMs = FOLLOW_MS } = options
  using reader = createReader(options, source, signal)
  let failures = 0
  let hasMore: boolean | undefined
  while (!signal.aborted) {
    try {
      hasMore = await reader.round()
      if (hasMore === undefined) return
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      hasMore = false
      const { id, url } = source
      if (failures === 1)
        logger.warn(
          { followed: id, url, reason: (error as Error).message },
          'a followed source cannot be read',
        )
      const recorded = write(changes.recordProgress, source, { error: (error as Error).message }, clock())
      if (!(await recorded.catch(() => true))) return
    }
    const waitMs = Math.min(everyMs * 2 ** failures, MAX_RETRY_MS)
    if (!hasMore) await setTimeout(waitMs, undefined, { signal }).catch(() => undefined)
  }
}

function createReader(
  { config, db, write, clock, logger }: Options,
  source: LeasedSource,
  signal: AbortSignal,
) {
  const client = openSource(source, config.webhookAllowNetworks, signal)
  let { after } = source
  let recordedAt = Number.NEGATIVE_INFINITY
  const { batchOf, forget } = createTranslator(client, { id: source.id, url: source.url, logger, clock })

  const writeBatch = (batch: Partial<Batch>): Promise<boolean> => {
    recordedAt = performance.now()
    const whole = { animals: [], gone: [], organizations: [], progress: {}, ...batch }
    return write(changes.copyBatch, source, whole, clock())
  }

  /** Copies all animals. Reads the position in the feed first, so the feed has every later change. */
  async function copyAll(): Promise<boolean> {
    const { next: start } = await client.readEvents('latest')
    const seen = new Set<number>()
    let cursor: string | undefined
    let pages = 0
    do {
      pages += 1
      if (pages > MAX_PAGES) throw new SourceError('The list of animals does not end.')
      const page = await client.listAnimals(cursor)
      const batch = await batchOf(page.animals)
      for (const { sourceId } of batch.animals) seen.add(sourceId)
      if (!(await writeBatch(batch))) return false
      cursor = page.next
    } while (cursor !== undefined)
    const gone = (await listSourceIds(db, source.id)).filter((id) => !seen.has(id))
    for (const some of chunksOf(gone)) if (!(await writeBatch({ gone: some }))) return false
    after = start
    return writeBatch({ progress: { after, lagMs: 0 } })
  }

  // Organizations that have changed but are not in the batch no longer exist in the source.
  async function removeOrganizations(changed: number[], { organizations }: Batch): Promise<void> {
    for (const id of changed.filter((one) => !organizations.some(({ sourceId }) => sourceId === one)))
      await write(changes.removeOrganizationCopy, source.id, id, clock()).catch(keepUsed)
  }

  async function readFeed(from: string): Promise<boolean | undefined> {
    const { events, next, isFull } = await client.readEvents(from)
    const { animals, owners, hasCategories } = changedIn(events)
    forget(owners, hasCategories)
    const progress: Progress = { after: next, lagMs: lagOf(events, clock()) }
    const chunks = chunksOf(animals)
    const isDue = events.length > 0 || performance.now() - recordedAt >= RENEW_MS
    if (chunks.length === 0 && isDue) chunks.push([])
    for (const some of chunks) {
      const isLast = some === chunks.at(-1)
      const batch = await batchOf(some.length > 0 ? await client.findAnimals(some) : [], isLast ? owners : [])
      const found = new Set(batch.animals.map(({ sourceId }) => sourceId))
      const gone = some.filter((id) => !found.has(id))
      if (!(await writeBatch({ ...batch, gone, ...(isLast && { progress }) }))) return undefined
      if (isLast) await removeOrganizations(owners, batch)
    }
    after = next
    return isFull
  }

  return {
    /** @returns whether more changes wait; undefined if the process no longer has the lease */
    async round(): Promise<boolean | undefined> {
      if (after === null) return (await copyAll()) ? true : undefined
      try {
        return await readFeed(after)
      } catch (error) {
        recordedAt = Number.NEGATIVE_INFINITY
        if (!(error instanceof SourceError && error.status === 410)) throw error
        // The feed no longer has these events: the next round copies everything again.
        after = null
        return writeBatch({ progress: { after } })
      }
    },
    [Symbol.dispose]: client.close,
  }
}

/** The copy of an organization stays while accounts or keys belong to it. */
function keepUsed(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'organization_in_use')) throw error
}

function lagOf(events: Event[], now: number): number {
  const last = events.at(-1)
  return last ? Math.max(now - Date.parse(last.at), 0) : 0
}

/** Lists the ids of the animals and organizations that have changed. */
function changedIn(events: Event[]) {
  // Photos of an organization have events without an animal.
  const ofOrganizations = events.filter(
    ({ type, data }) => /^(?:organization|photo)\./.test(type) && data.petId === undefined,
  )
  const unique = (ids: unknown[]) => [...new Set(ids)].filter((id) => Number.isSafeInteger(id)) as number[]
  return {
    animals: unique(events.map(({ data }) => data.petId)),
    owners: unique(ofOrganizations.map(({ data }) => data.organizationId)),
    hasCategories: events.some(({ type }) => type.startsWith('category.')),
  }
}

function chunksOf(ids: number[]): number[][] {
  const starts = Array.from({ length: Math.ceil(ids.length / PAGE_SIZE) }, (_, index) => index * PAGE_SIZE)
  return starts.map((from) => ids.slice(from, from + PAGE_SIZE))
}
