import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { isAlive, type Service } from './service.ts'

/** Start of a command line. With -D strace is a grandchild that completes its log when the program ends. */
export const strace = (...options: string[]): string[] => ['strace', '-D', '-f', ...options]

/** Logs the named calls. With --seccomp-bpf other calls run at full speed. */
export const logCalls = (names: string[], log: string): string[] =>
  strace('--seccomp-bpf', '-e', `trace=${names.join(',')}`, '-o', log)

/** A process is killed when one of its threads makes its nth system call of this name. */
export interface KillPoint {
  name: string
  nth: number
}

// Without --seccomp-bpf, because strace 6.1 injects no signal with it.
export const killAt = ({ name, nth }: KillPoint): string[] =>
  strace('-e', `trace=${name}`, '-e', `inject=${name}:signal=KILL:when=${nth}`, '-o', '/dev/null')

/** Starts a service and ends it as soon as it serves. @returns whether strace killed it before that */
export async function startUntilKilled(service: Service, through: string[]): Promise<boolean> {
  const running = service.launch({ through })
  await Promise.race([running.serving, running.exited]).catch(() => undefined)
  const killed = !isAlive(running)
  await service.end()
  return killed
}

const BEGIN = /^(\d+) +(\w+)\(/
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>/

export const DISK_CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink']

/** A kill point for every call of each name. @param counts as from `countCalls` */
export function listKillPoints(maxCounts: Map<string, number>): KillPoint[] {
  return [...maxCounts].flatMap(([name, count]) =>
    Array.from({ length: count }, (_, n) => ({ name, nth: n + 1 })),
  )
}

/** For each name of a call in a log of `logCalls`, the largest number of successful calls in one thread. */
export async function countCalls(log: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const maxCounts = new Map<string, number>()
  for await (const line of createInterface({ input: createReadStream(log), crlfDelay: Infinity })) {
    const [, thread, name = ''] = BEGIN.exec(line) ?? RESUMED.exec(line) ?? []
    if (thread === undefined || !/ = \d+$/.test(line)) continue
    const counter = `${thread} ${name}`
    const count = (counts.get(counter) ?? 0) + 1
    counts.set(counter, count)
    maxCounts.set(name, Math.max(count, maxCounts.get(name) ?? 0))
  }
  return maxCounts
}
