import type { Connection } from './connection.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { CallerAnswer, Lease, LocalState } from './lease.ts'

// What processes and scripts write to each other.

export type Part = 'minute' | 'day'

/** Redis, and who asks it. */
export interface Store {
  connection: Connection
  /** Every key of this installation begins so. */
  prefix: string
  heartbeat: Heartbeat
  clock: () => number
  storeClock: (() => number) | undefined
  memorySeconds: number
  /** Looks at the other processes now. */
  look(): Promise<void>
}

/** Who asks, in which session, and the time, when a test stands in for the clock of the store. */
export function opening({ connection, heartbeat, storeClock }: Store): (string | number)[] {
  return [heartbeat.id, connection.session, storeClock ? storeClock() : '']
}

/** Both in one slot of a cluster. */
export function keysOf({ prefix }: Store, { name }: LocalState): string[] {
  return [`${prefix}:{${name}}`, `${prefix}:{${name}}:refusals`]
}

/** Where leases are recalled. */
export function channelOf(prefix: string): string {
  return `${prefix}:recall`
}

/** The asking process, what it asks for and of which caller. */
export function readRecall(message: string): { asker: string; window: Part; name: string } {
  const [asker = '', window, ...name] = message.split(' ')
  return { asker, window: window === 'day' ? 'day' : 'minute', name: name.join(' ') }
}

/** Name, start, served here, the highest total that is known of, and the lease. */
export function reportOf({ windowId, startedAt, used, served, charged, cap }: Lease): (string | number)[] {
  return [windowId, startedAt, served, Math.max(served, used - charged + served), cap]
}

/** What the scripts answer of a caller. */
export function readAnswer([, storeNow, bannedUntil, banSeconds, ...windows]: unknown[]): CallerAnswer {
  return {
    storeNow: Number(storeNow),
    bannedUntil: Number(bannedUntil),
    banSeconds: Number(banSeconds),
    minute: leaseOf(windows.slice(0, 5)),
    day: leaseOf(windows.slice(5)),
  }
}

function leaseOf([windowId, startedAt, used, charged, cap]: unknown[]): Lease {
  const figures = {
    startedAt: Number(startedAt),
    used: Number(used),
    charged: Number(charged),
    cap: Number(cap),
  }
  return { windowId: String(windowId), served: 0, ...figures }
}
