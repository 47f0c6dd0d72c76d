import type { ChildProcess } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'

/** Time that a child gets to start, to answer or to end: only one that hangs needs longer. */
export const PATIENCE_MS = 60_000

const running = new Set<ChildProcess>()

/** Makes sure that a child ends with this process at the latest. */
export function mind<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

export async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) })
  child.kill('SIGTERM')
  await ended
}

/** What an event of a child, or of something that belongs to it, brings; an error if it ends before or is silent. */
export async function heard(child: ChildProcess, source: EventEmitter, event: string): Promise<unknown> {
  const done = new AbortController()
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(PATIENCE_MS)])
  const ended = once(child, 'exit', { signal }).then(([code]): never => {
    throw new Error(`${child.spawnargs.join(' ')} ended with code ${code}`)
  })
  ended.catch(() => undefined)
  try {
    const [value] = await Promise.race([once(source, event, { signal }), ended])
    return value
  } finally {
    done.abort()
  }
}
