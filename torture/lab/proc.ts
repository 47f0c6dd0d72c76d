import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

// Figures of processes from Linux.

type Pid = number | undefined

/** Test options: skips the test on a machine without /proc. */
export const NEEDS_PROC = { skip: !existsSync('/proc/self/fd') && 'no /proc on this machine' }

/** The unique names of a process's open sockets. */
export function openSockets(pid: Pid): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder)
    .map((name) => targetOf(`${folder}/${name}`))
    .filter((target) => target.startsWith('socket:'))
}

/** Empty if the file has been closed since it was listed. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

/** Empty if the process has ended, and on a machine without /proc. */
function readProc(pid: Pid, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Memory of a process in megabytes, its current or its largest size so far; NaN if that is unknown. */
export function megabytesOf(pid: Pid, which: 'now' | 'max'): number {
  const line = which === 'now' ? /VmRSS:\s+(\d+)/ : /VmHWM:\s+(\d+)/
  return Math.round(Number(line.exec(readProc(pid, 'status'))?.[1]) / 1_024)
}

/** Length of a tick in /proc, the same on every Linux. */
const TICK_MS = 10

/** Processor time of all threads of a process in milliseconds; NaN if that is unknown. */
export function busyMsOf(pid: Pid): number {
  // utime and stime of proc_pid_stat(5), fields 14 and 15; field 2 is a name in brackets.
  const fields = readProc(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

export function childrenOf(parent: Pid): number[] {
  return processes().flatMap(({ pid, ppid }) => (ppid === parent ? pid : []))
}

/** Whether a process runs. Zombies do not count: an ended orphan may stay in the list of processes. */
export function isRunning(pid: number): boolean {
  return processes().some((process) => process.pid === pid)
}

function processes(): { pid: number; ppid: number }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=']).toString().trim().split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/))
  return rows.flatMap(([pid, ppid, state]) =>
    state?.startsWith('Z') ? [] : { pid: Number(pid), ppid: Number(ppid) },
  )
}
