import type { Connection } from './connection.ts'
import type { OfflineTerms } from './offline.ts'
import { BEAT } from './scripts.ts'

/** A process is silent after this long without a sign of life: from then on the others leave it a reserve. */
const SILENT_MS = 1_000
/** How long a new memory of the store waits for those who knew the old one; they try every 250 ms. */
const GATHER_MS = 400
/**
 * From a sign of life until every other process leaves a reserve: it may arrive a second late, count for
 * another, and what the others go by may be a second old; and a margin.
 */
const MISSED_MS = 4_000
/** How long a process that vanished is left its share; the process itself stops a little earlier. */
const FENCE_MS = 900_000
const FENCE_MARGIN_MS = 10_000

const KEYS = ['members', 'shares', 'gone', 'epoch', 'awaited', 'freed']

/** The other processes, as last seen. */
interface View {
  storeNow: number
  processes: string[]
  /** Each process that went silent, and the part of every minute's limit that it may take. */
  silent: { id: string; part: number }[]
}

export interface HeartbeatAnswer {
  /** Changes when the store has lost its memory. */
  epoch: string
  /** Whether all have told it theirs. */
  open: boolean
  /** Whether the others gave this process up. */
  gone: boolean
}

export interface Heartbeat {
  readonly id: string
  readonly view: View
  /** @param reported the epoch that was told everything */
  beat(kind: 'view' | 'alive' | 'bye', epoch: string, reported: string): Promise<HeartbeatAnswer>
  /** What this process may do while it is without the store. */
  offlineTerms(): OfflineTerms
  /** What is kept of a minute's limit for processes that are away. */
  reserve(perMinute: number): string
  /** Begins again as another process. */
  startOver(): void
  /** Processes that will never serve again, each with the minutes in which it may have served offline. */
  gone(): Promise<string[]>
}

interface Options {
  clock: () => number
  prefix: string
  /** Makes what tells this process from all others. */
  newId: () => string
  connection: () => Connection
}

/** The signs of life of this process, and those of the others. */
export function startHeartbeat({ clock, prefix, newId, connection }: Options): Heartbeat {
  const keyOf = (name: string): string => `${prefix}:{processes}:${name}`
  const keys = KEYS.map(keyOf)
  let id = newId()
  let view: View = { storeNow: 0, processes: [], silent: [] }
  /** The clock of the store, less our steady one. */
  let ahead: number | undefined
  const never = { sentAt: 0, answeredAt: Number.NEGATIVE_INFINITY, since: Number.POSITIVE_INFINITY, part: 1 }
  let sign = never

  /** One part for each process, none of what silent ones have, and one to spare for who joins meanwhile. */
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
      // Until it is heard, it may have arrived or not.
      if (kind === 'alive') sign = { ...sign, sentAt, part: Math.min(sign.part, part) }
      const lateness = ahead === undefined ? '' : Math.floor(steady + ahead)
      const told = kind === 'alive' ? part : Number.isFinite(sign.since) ? sign.part : 0
      const known = view.processes.join(',')
      const args = [id, kind, told, lateness, SILENT_MS, FENCE_MS, GATHER_MS, epoch, reported, known]
      const answer = await connection().run(BEAT, keys, args)
      const [storeNow, number, open, gone, processes, silent] = answer
      ahead = Number(storeNow) - steady
      view = {
        storeNow: Number(storeNow),
        processes: listOf(processes),
        silent: listOf(silent).map(readSilent),
      }
      if (kind === 'alive') sign = { sentAt, answeredAt: sentAt, since: Math.min(sign.since, sentAt), part }
      return { epoch: String(number), open: open === 1, gone: gone === 1 }
    },
    offlineTerms: () => ({
      cause: connection().cause,
      missedFrom: sign.sentAt + MISSED_MS,
      fencedFrom: sign.answeredAt + FENCE_MS - FENCE_MARGIN_MS,
      // Who has only just joined is not yet seen by all. Half, as 60 seconds of another process may hold the
      // end of one window of ours and the start of the next.
      part: sign.answeredAt - sign.since < SILENT_MS ? 0 : sign.part / 2,
    }),
    reserve: (perMinute) =>
      view.silent.map(({ id, part }) => `${id}=${Math.floor(perMinute * part)}`).join(','),
    startOver() {
      id = newId()
      sign = never
    },
    gone: () => connection().members(keyOf('freed')),
  }
}

function readSilent(text: string): View['silent'][number] {
  const [id = '', part] = text.split('=')
  return { id, part: Number(part) }
}

function listOf(text: unknown): string[] {
  return text === '' ? [] : String(text).split(',')
}
