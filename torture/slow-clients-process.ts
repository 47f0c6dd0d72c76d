import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

// What Linux says of a process; the matter of several tests.

/** For the options of a test. */
export const NEEDS_PROC = { skip: !existsSync('/proc/self/fd') && 'no /proc on this machine' }

/** The sockets that a process holds, each by a name of its own. */
export function openSockets(pid: number | undefined): string[] {
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

/** Memory that a process holds just now, in megabytes. */
export function residentMegabytes(pid: number | undefined): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024)
}

/** The most memory that a process ever held, in megabytes. */
export function peakMegabytes(pid: number | undefined): number {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024)
}
