import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { isAlive, type Service, type Settings } from './service.ts'

/** Start of a command line. With -D strace is a grandchild that completes its log when the program ends. */
export const strace = (...options: string[]): string[] => ['strace', '-D', '-f', ...options]

/** Logs the named calls. With --seccomp-bpf other calls run at full speed. */
export const logCalls = (names: string[], log: string, ...more: string[]): string[] =>
  strace('--seccomp-bpf', '-e', `trace=${names.join(',')}`, '-y', ...more, '-o', log)

/** A process is killed when one of its threads makes its nth system call of this name. */
export interface KillPoint {
  name: string
  nth: number
  /** At most this many creates are answered before the kill. */
  creates?: number
}

// Without --seccomp-bpf, because strace 6.1 injects no signal with it.
export const killAt = ({ name, nth }: KillPoint): string[] =>
  strace('-e', `trace=${name}`, '-e', `inject=${name}:signal=KILL:when=${nth}`, '-o', '/dev/null')

/** Starts a service and ends it as soon as it serves. @returns whether strace killed it before that */
export async function startUntilKilled(
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

/** A system call that succeeded. */
export interface Call {
  thread: string
  name: string
  /** The path of its first argument, or the kind of an argument that is not a file. */
  file: string
  /** The whole line, with the written bytes. */
  text: string
  /** Numbers of the log lines at which the call began and ended. */
  firstLine: number
  lastLine: number
}

const BEGIN = /^(\d+) +(\w+)\((?:\d+<([^>]*)>|"([^"]*)")/
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>/

/** The successful calls in a log of `strace -f -y -o`, in the order in which they ended. */
export async function* readCalls(log: string): AsyncGenerator<Call> {
  const unfinished = new Map<string, Call>()
  let number = 0
  for await (const line of createInterface({ input: createReadStream(log), crlfDelay: Infinity })) {
    number += 1
    const [, resumed] = RESUMED.exec(line) ?? []
    const call = resumed === undefined ? begin(line, number) : unfinished.get(resumed)
    if (!call) continue
    if (line.endsWith('<unfinished ...>')) unfinished.set(call.thread, call)
    else if (/ = \d+$/.test(line)) yield { ...call, lastLine: number }
  }
}

function begin(text: string, number: number): Call | undefined {
  const [, thread, name, open, path] = BEGIN.exec(text) ?? []
  if (thread === undefined || name === undefined) return undefined
  return { thread, name, file: open ?? path ?? '', text, firstLine: number, lastLine: 0 }
}

export const DISK_CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink']

/** A kill point for every call of each name. @param counts as from `countCalls` */
export function listKillPoints(maxCounts: Map<string, number>): KillPoint[] {
  return [...maxCounts].flatMap(([name, count]) =>
    Array.from({ length: count }, (_, n) => ({ name, nth: n + 1 })),
  )
}

/** For each name of a call, the largest number of calls in one thread. */
export async function countCalls(log: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const maxCounts = new Map<string, number>()
  for await (const { thread, name } of readCalls(log)) {
    const counter = `${thread} ${name}`
    const count = (counts.get(counter) ?? 0) + 1
    counts.set(counter, count)
    maxCounts.set(name, Math.max(count, maxCounts.get(name) ?? 0))
  }
  return maxCounts
}
