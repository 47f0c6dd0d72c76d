import type { Random } from '../lab/random.ts'
import type { RedisModel } from './redis-model.ts'

/** Start of the virtual time, as a Unix time in milliseconds. */
export const EPOCH_MS = Date.UTC(2026, 11, 1)

/** The network between a process and the server, which faults change. */
export interface Line {
  /** `refused` ends connections and accepts none; `silent` loses everything without an error. */
  state: 'open' | 'refused' | 'silent'
  /** Longest delay in one direction. */
  delayMs: number
  /** Whether the process was killed. */
  dead: boolean
}

/** One connection between a process and the server. */
export interface Connection {
  readonly line: Line
  /** Resolves when everything sent so far has arrived, so messages stay in order. */
  up: Promise<unknown>
  down: Promise<unknown>
  /** Called when the server's side ends. */
  onEnd(): void
  /** Called for published messages after a subscription. */
  onMessage?(message: string): void
}

/** The Redis of a simulation and its network. */
export interface Server {
  readonly model: RedisModel
  /** All open connections. */
  readonly connections: Set<Connection>
  /** Stopped by a signal: connections stay, but the server does nothing. */
  paused: boolean
  running: boolean
  now(): number
  kill(): void
  start(keeping: 'nothing' | 'older' | 'all'): void
  end(connection: Connection): void
  /** Sends a message in one direction. Resolves with false if the message is lost. */
  carry(connection: Connection, way: 'up' | 'down'): Promise<boolean>
  /** Resolves with whether a connection succeeds, after the time of the attempt. */
  reach(line: Line, longestMs: number): Promise<boolean>
}

/** Interval of checks for delayed messages, and the time after which they are lost. */
const RETRY_MS = 25
const LOST_AFTER_MS = 3_000

export function openServer(model: RedisModel, random: Random): Server {
  let starts = 0
  const connections = new Set<Connection>()
  const isSilent = (line: Line): boolean => line.state === 'silent' || server.paused

  const server: Server = {
    // A copy, because each simulation replaces functions of its own model.
    model: { ...model },
    connections,
    paused: false,
    running: true,
    now: () => EPOCH_MS + Math.floor(performance.now()),
    kill() {
      server.running = false
      for (const connection of connections) server.end(connection)
    },
    start(keeping) {
      if (keeping === 'all') model.save()
      starts += 1
      model.restart(`run${starts}`)
      if (keeping !== 'nothing') model.load()
      server.running = true
    },
    end(connection) {
      if (connections.delete(connection) && !connection.line.dead) connection.onEnd()
    },
    carry(connection, way) {
      const arrivesAt = performance.now() + random.integer(0, connection.line.delayMs)
      const before = connection[way]
      const arrival = (async () => {
        await before
        await after(arrivesAt - performance.now())
        while (isSilent(connection.line) && performance.now() < arrivesAt + LOST_AFTER_MS)
          await after(RETRY_MS)
        return !isSilent(connection.line) && connections.has(connection)
      })()
      connection[way] = arrival
      return arrival
    },
    async reach(line, longestMs) {
      await after(isSilent(line) ? longestMs : random.integer(0, 2 * line.delayMs))
      return server.running && !isSilent(line) && line.state === 'open'
    },
  }
  model.restart('run0')
  model.save()
  return server
}

export function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
