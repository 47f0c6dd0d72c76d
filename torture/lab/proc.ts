import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

// What Linux says of processes.

type Pid = number | undefined

/** For the options of a test. */
export const NEEDS_PROC = { skip: !existsSync('/proc/self/fd') && 'no /proc on this machine' }

/** The sockets that a process holds, each by a name of its own. */
export function openSockets(pid: Pid): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder)
    .map((name) => targetOf(`${folder}/${name}`))
    .filter((target) => target.startsWith('socket:'))
}

/** Empty for one that was closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

/** Memory of a process in megabytes: what it holds just now, or the most that it ever held. */
export function megabytesOf(pid: Pid, which: 'now' | 'most'): number {
  const line = which === 'now' ? /VmRSS:\s+(\d+)/ : /VmHWM:\s+(\d+)/
  return Math.round(Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024)
}

/** A tick of /proc, which is the same on every Linux. */
const TICK_MS = 10

/** Processor time of a process, of all its threads or the main one, in milliseconds. */
export function busyMsOf(pid: Pid, of: 'all' | 'main thread' = 'all'): number {
  const folder = of === 'all' ? `/proc/${pid}` : `/proc/${pid}/task/${pid}`
  // utime and stime of proc_pid_stat(5), the 14th and the 15th; the 2nd is a name in brackets.
  const fields = readFileSync(`${folder}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

export function childrenOf(parent: Pid): number[] {
  return processes().flatMap(({ pid, ppid }) => (ppid === parent ? pid : []))
}

/** An orphan that has ended may stay in the list of processes, where nobody asks for its exit code. */
export function isRunning(pid: number): boolean {
  return processes().some((found) => found.pid === pid)
}

function processes(): { pid: number; ppid: number }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=']).toString().trim().split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/))
  return rows.flatMap(([pid, ppid, state]) =>
    state?.startsWith('Z') ? [] : { pid: Number(pid), ppid: Number(ppid) },
  )
}
