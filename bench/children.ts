import type { ChildProcess } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'

/** Time limit for a child to start, answer or end. Only a hanging child exceeds it. */
export const TIMEOUT_MS = 60_000

const running = new Set<ChildProcess>()

/** Kills a child when this process ends. */
export function endWithProcess<Child extends ChildProcess>(child: Child): Child {
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
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(TIMEOUT_MS) })
  child.kill('SIGTERM')
  await ended
}

/**
 * Waits for an event of a child or of one of its streams. @returns the event's first argument
 * @throws if the child ends or times out before
 */
export async function waitForEvent(
  child: ChildProcess,
  source: EventEmitter,
  event: string,
): Promise<unknown> {
  const done = new AbortController()
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(TIMEOUT_MS)])
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
