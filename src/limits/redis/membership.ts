import { ApiError } from '../../errors.ts'
import type { Connection } from './connection.ts'
import type { OfflineTerms } from './offline.ts'
import { BEAT } from './scripts.ts'

// Tracks which processes share the counters, and whether this process may ask Redis for decisions.

/** A process without a heartbeat for this long is silent. The others then keep a reserve for it. */
const SILENT_MS = 1_000
/** How long a new epoch waits for reports of processes with the old data, which retry every 250 ms. */
const GATHER_MS = 400
/**
 * The longest time from a heartbeat until every other process keeps a reserve: it may arrive a second late
 * and stay valid for another, and others may have read the list a second ago. The rest is a margin.
 */
const MISSED_MS = 4_000
/** A process without a heartbeat for this long is gone. It stops serving by itself a little earlier. */
const FENCE_MS = 900_000
const FENCE_MARGIN_MS = 10_000

const KEYS = ['members', 'shares', 'gone', 'epoch', 'awaited', 'freed']

/** The other processes, as last seen. */
interface View {
  storeNow: number
  processes: string[]
  /** Silent processes, each with the part of a minute's limit that it may use. */
  silent: { id: string; part: number }[]
}

interface HeartbeatAnswer {
  /** Changes when the store has lost its data. */
  epoch: string
  /** True if all processes have reported. */
  open: boolean
  /** True if the other processes consider this process gone. */
  gone: boolean
}

export interface Heartbeat {
  readonly id: string
  readonly view: View
  /** @param reported the epoch to which this process has reported everything */
  beat(kind: 'view' | 'alive' | 'bye', epoch: string, reported: string): Promise<HeartbeatAnswer>
  /** The rules for this process while it is offline. */
  offlineTerms(): OfflineTerms
  /** The requests of a minute that are reserved for each silent process. */
  reserve(perMinute: number): string
  /** Continues as a new process, under a new id. */
  startOver(): void
  /** Lists processes that are gone, each with the number of minutes in which it may have served offline. */
  gone(): Promise<string[]>
}

/** Sends heartbeats of this process, and reads the heartbeats of the others. */
function startHeartbeat({ clock, prefix, newId, connection }: MembershipOptions): Heartbeat {
  const keyOf = (name: string): string => `${prefix}:{processes}:${name}`
  const keys = KEYS.map(keyOf)
  let id = newId()
  let view: View = { storeNow: 0, processes: [], silent: [] }
  /** The store's clock minus this process's steady clock. */
  let storeAheadMs: number | undefined
  const noBeat = {
    sentAt: 0,
    answeredAt: Number.NEGATIVE_INFINITY,
    since: Number.POSITIVE_INFINITY,
    part: 1,
  }
  let lastBeat = noBeat

  /**
   * Computes the part of the limit for this process. Silent processes keep their parts. The rest is divided
   * equally among the other processes and one more that may join.
   */
  function partOf({ processes, silent }: View): number {
    const free = Math.max(0, 1 - silent.reduce((sum, { part }) => sum + part, 0))
    return free / (processes.length + (processes.includes(id) ? 1 : 2))
  }

  return {
    get id() {
      return id
    },
    get view() {
      return view
    },
    async beat(kind, epoch, reported) {
      const [sentAt, steady, part] = [clock(), performance.now(), partOf(view)]
      // Until an answer arrives, it is unknown whether the store has received the heartbeat.
      if (kind === 'alive') lastBeat = { ...lastBeat, sentAt, part: Math.min(lastBeat.part, part) }
      const sentAtStoreTime = storeAheadMs === undefined ? '' : Math.floor(steady + storeAheadMs)
      const sentPart = kind === 'alive' ? part : Number.isFinite(lastBeat.since) ? lastBeat.part : 0
      const knownProcesses = view.processes.join(',')
      const args = [
        id,
        kind,
        sentPart,
        sentAtStoreTime,
        SILENT_MS,
        FENCE_MS,
        GATHER_MS,
        epoch,
        reported,
        knownProcesses,
      ]
      const answer = await connection().run(BEAT, keys, args)
      const [storeNow, number, open, gone, processes, silent] = answer
      storeAheadMs = Number(storeNow) - steady
      view = {
        storeNow: Number(storeNow),
        processes: splitList(processes),
        silent: splitList(silent).map(readSilent),
      }
      if (kind === 'alive')
        lastBeat = { sentAt, answeredAt: sentAt, since: Math.min(lastBeat.since, sentAt), part }
      return { epoch: String(number), open: open === 1, gone: gone === 1 }
    },
    offlineTerms: () => ({
      cause: connection().cause,
      missedFrom: lastBeat.sentAt + MISSED_MS,
      fencedFrom: lastBeat.answeredAt + FENCE_MS - FENCE_MARGIN_MS,
      // A process that just joined gets 0, because others may not know about it yet. All others get half of
      // their part: 60 seconds of another process may include the end of one minute and the start of the next
      // minute here.
      part: lastBeat.answeredAt - lastBeat.since < SILENT_MS ? 0 : lastBeat.part / 2,
    }),
    reserve: (perMinute) =>
      view.silent.map(({ id, part }) => `${id}=${Math.floor(perMinute * part)}`).join(','),
    startOver() {
      id = newId()
      lastBeat = noBeat
    },
    gone: () => connection().members(keyOf('freed')),
  }
}

function readSilent(text: string): View['silent'][number] {
  const [id = '', part] = text.split('=')
  return { id, part: Number(part) }
}

function splitList(text: unknown): string[] {
  return text === '' ? [] : String(text).split(',')
}

const BEAT_MS = 250
const RETRY_MS = 50

/** offline: without Redis. rejoining: reporting to Redis. online: Redis decides about each request. */
type Mode = 'offline' | 'rejoining' | 'online'

export interface Membership {
  readonly heartbeat: Heartbeat
  readonly mode: Mode
  /** Call `rejoin` when the store answers again, and `lost` when the store is lost. */
  rejoin(): void
  lost(): void
  /** Refreshes the view of the other processes. */
  refreshView(): Promise<void>
  /** Rejects until the store was reached once. After that, leases let the process serve without it. */
  ready(): Promise<void>
  /** Resolves when the mode changes. */
  changed(): Promise<void>
  leave(): Promise<void>
}

interface MembershipOptions {
  clock: () => number
  prefix: string
  /** Makes a unique id for this process. */
  newId: () => string
  connection: () => Connection
  /** Reports everything after a loss of data. `epoch` is '' when other processes are online already. */
  reportAll(epoch: string): Promise<void>
  /** Reports what was served without the store. */
  reconcileAll(): Promise<void>
  startOver(): void
  onOnline(): void
}

/** Tracks whether the store may decide for this process, and rejoins after an outage. */
export function joinMembership(options: MembershipOptions): Membership {
  const { connection, reconcileAll, onOnline } = options
  const heartbeat = startHeartbeat(options)
  let mode: Mode = 'offline'
  let epoch = ''
  let refreshing: Promise<void> | undefined
  let changed = Promise.withResolvers<void>()

  function enter(next: Mode): void {
    if (next === mode) return
    mode = next
    changed.resolve()
    changed = Promise.withResolvers()
  }

  async function rejoin(): Promise<void> {
    epoch = await waitUntilOpen(epoch, heartbeat, options)
    // Reports most state while the process still serves offline, so requests wait only briefly for the rest.
    await reconcileAll()
    enter('rejoining')
    await reconcileAll()
    checkAnswer(await heartbeat.beat('alive', epoch, ''))
    enter('online')
    onOnline()
  }

  function checkAnswer(state: HeartbeatAnswer): void {
    if (state.epoch !== epoch || !state.open || state.gone) throw new Error('Redis has lost its data')
  }

  /** Runs a job. If the job fails while its session is current, the connection fails too. */
  async function inSession(job: () => Promise<void>): Promise<void> {
    const { session } = connection()
    try {
      await job()
    } catch (error) {
      if (session === connection().session) connection().fail(error)
    }
  }

  function refreshView(): Promise<void> {
    refreshing ??= inSession(async () => checkAnswer(await heartbeat.beat('alive', epoch, ''))).finally(
      () => {
        refreshing = undefined
      },
    )
    return refreshing
  }

  const timer = setInterval(() => {
    if (mode === 'online') void refreshView()
  }, BEAT_MS)

  return {
    heartbeat,
    get mode() {
      return mode
    },
    rejoin: () => void inSession(rejoin),
    lost: () => enter('offline'),
    refreshView,
    async ready() {
      if (epoch === '') throw new ApiError('service_unavailable', { cause: connection().cause })
    },
    changed: () => changed.promise,
    async leave() {
      clearInterval(timer)
      if (mode !== 'online') return
      await reconcileAll()
      await heartbeat.beat('bye', epoch, '')
    },
  }
}

/**
 * Waits until the store accepts requests again. After a loss of data, all processes must report first.
 * @param epoch the epoch of this process; '' after a start
 * @returns the open epoch
 */
async function waitUntilOpen(
  epoch: string,
  heartbeat: Heartbeat,
  { reportAll, startOver }: MembershipOptions,
): Promise<string> {
  let reported = ''
  for (;;) {
    const state = await heartbeat.beat('view', epoch, reported)
    if (state.gone) {
      heartbeat.startOver()
      startOver()
      continue
    }
    if (epoch !== '' && epoch !== state.epoch && reported !== state.epoch) {
      await reportAll(state.open ? '' : state.epoch)
      reported = state.epoch
    }
    if (state.open) return state.epoch
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}
