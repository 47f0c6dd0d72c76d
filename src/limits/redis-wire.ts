import type { Link } from './redis-link.ts'
import type { Pulse } from './redis-pulse.ts'
import type { Heard, Known, Share } from './redis-share.ts'

// How the scripts and the processes write to each other.

export type Part = 'minute' | 'day'

/** Where the questions go. */
export interface Store {
  link: Link
  /** Every key of this installation begins so. */
  prefix: string
  pulse: Pulse
  clock: () => number
  storeClock: (() => number) | undefined
  memorySeconds: number
  /** Looks at the other processes now. */
  look(): Promise<void>
}

/** Who asks, in which session, and the time, when a test stands in for the clock of the store. */
export function opening({ link, pulse, storeClock }: Store): (string | number)[] {
  return [pulse.id, link.session, storeClock ? storeClock() : '']
}

/** Both in one slot of a cluster. */
export function keysOf({ prefix }: Store, { name }: Known): string[] {
  return [`${prefix}:{${name}}`, `${prefix}:{${name}}:refusals`]
}

/** Where promises are asked back. */
export function channelOf(prefix: string): string {
  return `${prefix}:recall`
}

/** The asking process, what it asks for and of which caller. */
export function readRecall(message: string): { asker: string; window: Part; name: string } {
  const [asker = '', window, ...name] = message.split(' ')
  return { asker, window: window === 'day' ? 'day' : 'minute', name: name.join(' ') }
}

/** Name, start, served here, the highest total that is known of, and the promise. */
export function reportOf({ label, startedAt, used, served, charged, cap }: Share): (string | number)[] {
  return [label, startedAt, served, Math.max(served, used - charged + served), cap]
}

/** What the scripts answer of a caller. */
export function readHeard([, storeNow, bannedUntil, banSeconds, ...windows]: unknown[]): Heard {
  return {
    storeNow: Number(storeNow),
    bannedUntil: Number(bannedUntil),
    banSeconds: Number(banSeconds),
    minute: shareOf(windows.slice(0, 5)),
    day: shareOf(windows.slice(5)),
  }
}

function shareOf([label, startedAt, used, charged, cap]: unknown[]): Share {
  const figures = {
    startedAt: Number(startedAt),
    used: Number(used),
    charged: Number(charged),
    cap: Number(cap),
  }
  return { label: String(label), served: 0, ...figures }
}
