import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Redis } from 'ioredis'
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

const CONNECT_MS = 120
const MAX_PAUSE_MS = 250
/** Timeout of a command without a timeout of its own. */
const COMMAND_MS = 2_000
/** Scripts by digest; a process first sends the text. */
const scripts = new Map<string, string>()

/**
 * A client of the simulated server that acts like ioredis with the settings of connection.ts: it never queues
 * or repeats commands, rejects pending commands when its connection ends, and always reconnects.
 */
export function connectTo(server: Server, line: Line): Redis {
  const client = new EventEmitter()
  let connection: Connection | undefined
  let connecting = false
  let attempts = 0
  let closed = false
  const pending = new Set<(error: Error) => void>()

  async function connect(): Promise<void> {
    connecting = true
    const reached = await server.reach(line, CONNECT_MS)
    if (line.dead || closed || !connecting) return
    connecting = false
    if (!reached) return ended(new Error('connect ECONNREFUSED'))
    attempts = 0
    connection = { line, up: Promise.resolve(), down: Promise.resolve(), onEnd: () => ended() }
    server.connections.add(connection)
    client.emit('ready')
  }

  function ended(error?: Error): void {
    connection = undefined
    connecting = false
    if (error) client.emit('error', error)
    for (const reject of pending) reject(new Error('Reached the max retries per request limit (which is 0).'))
    pending.clear()
    client.emit('close')
    attempts += 1
    if (!closed)
      void after(Math.min(50 * attempts, MAX_PAUSE_MS)).then(() => (line.dead ? undefined : connect()))
  }

  /** Drops the connection. Commands that were sent may still arrive. */
  function destroy(): void {
    const abandoned = connection
    if (!abandoned && !connecting) return
    connection = undefined
    connecting = false
    if (abandoned) {
      abandoned.onEnd = () => {}
      delete abandoned.onMessage
      void abandoned.up.then(() => server.connections.delete(abandoned))
    }
    setImmediate(() => ended())
  }

  function ask<Answer>(answer: (via: Connection) => Answer): Promise<Answer> {
    const via = connection
    if (!via)
      return Promise.reject(new Error("Stream isn't writeable and enableOfflineQueue options is false"))
    return new Promise((resolve, reject) => {
      pending.add(reject)
      void (async () => {
        if (!(await server.carry(via, 'up'))) return
        const answered = answer(via)
        if (!(await server.carry(via, 'down')) || via !== connection || line.dead) return
        pending.delete(reject)
        resolve(answered)
      })()
    })
  }

  function run(script: string, count: number, ...rest: (string | number)[]): Promise<unknown[]> {
    const [keys, args] = [rest.slice(0, count).map(String), rest.slice(count)]
    return ask(() => server.model.run(server.now(), script, keys, args))
  }

  void connect()
  return Object.assign(client, {
    get stream() {
      return { destroy, cork: () => undefined, uncork: () => undefined }
    },
    evalsha: (sha: string, ...rest: [number, ...(string | number)[]]) => run(scripts.get(sha) ?? '', ...rest),
    eval(script: string, ...rest: [number, ...(string | number)[]]) {
      scripts.set(createHash('sha1').update(script).digest('hex'), script)
      return run(script, ...rest)
    },
    zrange: (key: string) => ask(() => server.model.members(server.now(), key)),
    publish: (_channel: string, message: string) =>
      ask(() => {
        for (const other of server.connections) {
          if (other.onMessage)
            void server.carry(other, 'down').then((arrived) => arrived && other.onMessage?.(message))
        }
        return 0
      }),
    subscribe: () =>
      Promise.race([
        ask((via) => {
          via.onMessage = (message) => {
            if (!line.dead) client.emit('message', '', message)
          }
        }),
        after(COMMAND_MS).then(() => Promise.reject(new Error('Command timed out'))),
      ]),
    disconnect() {
      closed = true
      destroy()
    },
  }) as unknown as Redis
}
