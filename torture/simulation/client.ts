import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Redis } from 'ioredis'
import { after, type Connection, type Line, type Server } from './server.ts'

const CONNECT_MS = 120
const MAX_PAUSE_MS = 250
/** Timeout of a command without a timeout of its own. */
const COMMAND_MS = 2_000
/** Scripts by digest; a process first sends the text. */
const scripts = new Map<string, string>()

/**
 * A client of the simulated server that acts like ioredis with the settings of connection.ts: it never queues
 * or repeats commands, rejects pending ones when its connection ends, and always reconnects.
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
