import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { isAlive, type Service, type Settings } from './service.ts'

/** Begins a command line. strace is then a grandchild, which ends with the program and makes its log whole. */
export const strace = (...options: string[]): string[] => ['strace', '-D', '-f', ...options]

/** Writes calls of these names to a log; the others are not even stopped at. */
export const logged = (names: string[], log: string, ...more: string[]): string[] =>
  strace('--seccomp-bpf', '-e', `trace=${names.join(',')}`, '-y', ...more, '-o', log)

/** Where a process is killed: at the call of this name that is the nth of its thread. */
export interface Point {
  name: string
  nth: number
  /** So many creates are answered before it, at most. */
  creates?: number
}

// Without --seccomp-bpf, beside which strace 6.1 injects no signal.
export const killedAt = ({ name, nth }: Point): string[] =>
  strace('-e', `trace=${name}`, '-e', `inject=${name}:signal=KILL:when=${nth}`, '-o', '/dev/null')

/** Starts a service and ends it as soon as it serves. @returns whether strace had killed it before */
export async function isKilled(
  service: Service,
  through: string[],
  settings: Settings = {},
): Promise<boolean> {
  const running = service.launch({ through, settings })
  await Promise.race([running.serving, running.exited]).catch(() => undefined)
  const killed = !isAlive(running)
  await service.end()
  return killed
}

/** A system call that was carried out. */
export interface Call {
  thread: string
  name: string
  /** The path of its first argument, or the kind where that is no file. */
  file: string
  /** All of the line, with the bytes that were written. */
  text: string
  /** Numbers of the lines in which it began and ended. */
  begun: number
  ended: number
}

const BEGIN = /^(\d+) +(\w+)\((?:\d+<([^>]*)>|"([^"]*)")/
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>/

/** The calls in the log of `strace -f -y -o`, in the order in which they ended; failed ones are left out. */
export async function* readCalls(log: string): AsyncGenerator<Call> {
  const underWay = new Map<string, Call>()
  let number = 0
  for await (const line of createInterface({ input: createReadStream(log), crlfDelay: Infinity })) {
    number += 1
    const [, resumed] = RESUMED.exec(line) ?? []
    const call = resumed === undefined ? begin(line, number) : underWay.get(resumed)
    if (!call) continue
    if (line.endsWith('<unfinished ...>')) underWay.set(call.thread, call)
    else if (/ = \d+$/.test(line)) yield { ...call, ended: number }
  }
}

function begin(text: string, number: number): Call | undefined {
  const [, thread, name, open, path] = BEGIN.exec(text) ?? []
  if (thread === undefined || name === undefined) return undefined
  return { thread, name, file: open ?? path ?? '', text, begun: number, ended: 0 }
}

export const ON_DISK = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink']

/** Every call of each name up to the most that a thread made. */
export function upTo(most: Map<string, number>): Point[] {
  return [...most].flatMap(([name, count]) => Array.from({ length: count }, (_, n) => ({ name, nth: n + 1 })))
}

/** How many calls of each name a thread made at most. */
export async function countCalls(log: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const most = new Map<string, number>()
  for await (const { thread, name } of readCalls(log)) {
    const counter = `${thread} ${name}`
    const count = (counts.get(counter) ?? 0) + 1
    counts.set(counter, count)
    most.set(name, Math.max(count, most.get(name) ?? 0))
  }
  return most
}
