import type { Random } from '../lab/random.ts'
import type { RedisModel } from './redis-model.ts'

/** Where the virtual time begins, as a Unix time in milliseconds. */
export const EPOCH_MS = Date.UTC(2026, 11, 1)

/** The way from one process to the server, as a fault changes it. */
export interface Line {
  /** refused: connections end, and none begins; silent: nothing arrives, and nobody is told. */
  state: 'open' | 'refused' | 'silent'
  /** Longest time of one way, in milliseconds. */
  delayMs: number
  /** Of a process that was killed: it never hears anything again. */
  dead: boolean
}

/** One connection between a process and the server. */
export interface Connection {
  readonly line: Line
  /** Resolves when all that was sent so far has arrived: nothing overtakes. */
  up: Promise<unknown>
  down: Promise<unknown>
  /** The process hears that the server's side has ended. */
  onEnd(): void
  /** Takes what is published, once it has subscribed. */
  onMessage?(message: string): void
}

/** The one Redis of a simulation, with its network. */
export interface Server {
  readonly model: RedisModel
  /** Of every connection that has not ended. */
  readonly connections: Set<Connection>
  /** Stopped by a signal: it is there, and does nothing. */
  paused: boolean
  running: boolean
  now(): number
  kill(): void
  start(keeping: 'nothing' | 'older' | 'all'): void
  /** Breaks a connection from outside. */
  end(connection: Connection): void
  /** Carries something one way. Resolves with false if it never arrives. */
  carry(connection: Connection, way: 'up' | 'down'): Promise<boolean>
  /** Resolves whether the server can be reached, after the time that the attempt takes. */
  reach(line: Line, longestMs: number): Promise<boolean>
}

/** How often something that is held up is looked at again, and after how long it is lost. */
const HELD_MS = 25
const LOST_AFTER_MS = 3_000

export function openServer(model: RedisModel, random: Random): Server {
  let starts = 0
  const connections = new Set<Connection>()
  const isSilent = (line: Line): boolean => line.state === 'silent' || server.paused

  const server: Server = {
    // Of its own: who observes one simulation sees no other.
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
      const arrivesAt = performance.now() + random.whole(0, connection.line.delayMs)
      const before = connection[way]
      const arrival = (async () => {
        await before
        await after(arrivesAt - performance.now())
        while (isSilent(connection.line) && performance.now() < arrivesAt + LOST_AFTER_MS)
          await after(HELD_MS)
        return !isSilent(connection.line) && connections.has(connection)
      })()
      connection[way] = arrival
      return arrival
    },
    async reach(line, longestMs) {
      await after(isSilent(line) ? longestMs : random.whole(0, 2 * line.delayMs))
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
