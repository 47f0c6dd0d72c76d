import { ApiError } from '../../errors.ts'
import type { Connection } from './connection.ts'
import type { Heartbeat, HeartbeatAnswer } from './heartbeat.ts'

const BEAT_MS = 250
const LOOK_MS = 50

/** offline: without Redis; rejoining: reconciling with it; online: Redis decides about each request. */
type Mode = 'offline' | 'rejoining' | 'online'

export interface Membership {
  readonly mode: Mode
  /** Called when the store answers again, and when it is lost. */
  rejoin(): void
  lost(): void
  /** Looks at the other processes now. */
  look(): Promise<void>
  /** Rejects until the store was reached once: later there are leases to serve from without it. */
  ready(): Promise<void>
  /** Resolves when the mode has changed. */
  changed(): Promise<void>
  leave(): Promise<void>
}

interface Options {
  heartbeat: Heartbeat
  connection: () => Connection
  /** Tells the store everything, as it has lost its memory; `epoch` is '' when the others are online again. */
  reportAll(epoch: string): Promise<void>
  /** Tells it what was served without it. */
  reconcileAll(): Promise<void>
  startOver(): void
  onOnline(): void
}

/** Whether this process may let the store decide, and how it comes back after it could not. */
export function joinMembership(options: Options): Membership {
  const { heartbeat, connection, reconcileAll, onOnline } = options
  let mode: Mode = 'offline'
  let epoch = ''
  let looking: Promise<void> | undefined
  let changed = Promise.withResolvers<void>()

  function enter(next: Mode): void {
    if (next === mode) return
    mode = next
    changed.resolve()
    changed = Promise.withResolvers()
  }

  async function rejoin(): Promise<void> {
    epoch = await untilOpen(epoch, options)
    // Most of it while still serving offline; then the rest, while requests wait a moment.
    await reconcileAll()
    enter('rejoining')
    await reconcileAll()
    check(await heartbeat.beat('alive', epoch, ''))
    enter('online')
    onOnline()
  }

  function check(seen: HeartbeatAnswer): void {
    if (seen.epoch !== epoch || !seen.open || seen.gone) throw new Error('Redis has lost its memory')
  }

  /** Runs until done, or until the session in which it began has ended. */
  async function inSession(job: () => Promise<void>): Promise<void> {
    const { session } = connection()
    try {
      await job()
    } catch (error) {
      if (session === connection().session) connection().fail(error)
    }
  }

  function look(): Promise<void> {
    looking ??= inSession(async () => check(await heartbeat.beat('alive', epoch, ''))).finally(() => {
      looking = undefined
    })
    return looking
  }

  const heart = setInterval(() => {
    if (mode === 'online') void look()
  }, BEAT_MS)

  return {
    get mode() {
      return mode
    },
    rejoin: () => void inSession(rejoin),
    lost: () => enter('offline'),
    look,
    async ready() {
      if (epoch === '') throw new ApiError('service_unavailable', { cause: connection().cause })
    },
    changed: () => changed.promise,
    async leave() {
      clearInterval(heart)
      if (mode !== 'online') return
      await reconcileAll()
      await heartbeat.beat('bye', epoch, '')
    },
  }
}

/**
 * Until the store may be asked again. When it has lost its memory, that is when all have told it theirs.
 *
 * @param epoch the one this process belongs to; '' when it has just started
 * @returns the one that is open
 */
async function untilOpen(epoch: string, { heartbeat, reportAll, startOver }: Options): Promise<string> {
  let reported = ''
  for (;;) {
    const seen = await heartbeat.beat('view', epoch, reported)
    if (seen.gone) {
      heartbeat.startOver()
      startOver()
      continue
    }
    if (epoch !== '' && epoch !== seen.epoch && reported !== seen.epoch) {
      await reportAll(seen.open ? '' : seen.epoch)
      reported = seen.epoch
    }
    if (seen.open) return seen.epoch
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
