import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import type { Readable } from 'node:stream'
import type { RunningProcess } from '../src/testing/process.ts'

const CONNECTIONS = 4
/** Requests under way on each connection. */
const BATCH = 16
/** A tick of /proc, which is the same on every Linux. */
const TICKS_A_SECOND = 100

/** Sends so many requests as fast as they are answered. @returns how many answers had each status */
export async function flood(
  address: string,
  count: number,
  headOf: (place: number) => string,
): Promise<Map<string, number>> {
  const statuses = new Map<string, number>()
  let next = 0
  async function connection(): Promise<void> {
    const { hostname, port } = new URL(address)
    const socket = net.connect(Number(port), hostname)
    socket.setTimeout(30_000, () => socket.destroy(new Error('no answer')))
    let [waiting, rest] = [0, '']
    const done = Promise.withResolvers<void>()
    function more(): void {
      const heads: string[] = []
      while (heads.length < BATCH && next < count) heads.push(`${headOf(next++)}Host: pets.example\r\n\r\n`)
      waiting = heads.length
      if (waiting > 0) socket.write(heads.join(''))
      else done.resolve()
    }
    socket.on('data', (chunk) => {
      const text = rest + chunk.toString('latin1')
      for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        waiting -= 1
      }
      // What may be the start of the next one.
      rest = text.slice(-12).replace(/HTTP\/1\.1 \d{3} /, '')
      if (waiting === 0) more()
    })
    socket.on('error', done.reject)
    socket.on('close', () => done.reject(new Error('the connection was closed')))
    await once(socket, 'connect')
    more()
    await done.promise
    socket.removeAllListeners('close').destroy()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return statuses
}

/** Processor time of all threads of a process as Linux counts it, in milliseconds. */
export function busyMsOf({ child }: RunningProcess): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_A_SECOND
}

/** What a service that was started with `TELLS_MEMORY` holds, in MB, and no garbage. */
export async function heldBy({ child, output }: RunningProcess): Promise<number> {
  const told = (): RegExpMatchArray[] => [...output.stderr.matchAll(/^holds (\d+) bytes$/gm)]
  const before = told().length
  child.kill('SIGWINCH')
  while (told().length === before) await once(child.stderr as Readable, 'data')
  return Number(told().at(-1)?.[1]) / 1_048_576
}

const PROBE = new URL('./flood-memory.ts', import.meta.url).href

export const TELLS_MEMORY = { NODE_OPTIONS: `--expose-gc --import ${PROBE}` }
