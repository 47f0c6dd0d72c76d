import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import closeWithGrace from 'close-with-grace'
import type { Config } from '../config.ts'
import { ConfigError } from '../config.ts'
import { type Greeting, STOP } from './worker-messages.ts'

/** A worker that dies at once each time must not keep the machine busy with its starts. */
const RESTART_PAUSE_MS = 1_000

/** With which a worker ends that cannot start as it is set up: to start it again changes nothing. */
const CONFIG_EXIT = 2
/** More than a worker takes for its own stop. */
const STOP_SLACK_MS = 1_000

/**
 * Runs the service in several processes on one address, and starts another one in the place of each that
 * dies.
 *
 * @returns what to tell a person, once all of them serve
 * @throws when one of them cannot start; it has said why on stderr
 */
export async function superviseWorkers(count: number, config: Config): Promise<Greeting> {
  let stopping = false

  /** @param workerId which of them it is; the one after a dead one has the same port for its metrics */
  async function fork(workerId: number): Promise<Greeting> {
    const worker = cluster.fork({ ADOPTABLE_WORKER: String(workerId) })
    const [greeting] = await Promise.race([once(worker, 'message'), once(worker, 'exit')])
    // In the place of a greeting, the exit code of one that ended: null if by a signal.
    if (greeting === CONFIG_EXIT) throw new ConfigError('a worker could not start')
    if (greeting === null || typeof greeting !== 'object') throw new Error('a worker could not start')
    worker.once('exit', () => {
      if (!stopping) setTimeout(replace, RESTART_PAUSE_MS, workerId)
    })
    return greeting
  }

  function replace(workerId: number): void {
    if (!stopping) fork(workerId).catch(() => setTimeout(replace, RESTART_PAUSE_MS, workerId))
  }

  const delay = config.stopTimeoutSeconds * 1_000 + STOP_SLACK_MS
  const { uninstall } = closeWithGrace({ delay, logger: false }, () => {
    stopping = true
    return stopAll()
  })
  try {
    const greetings = await Promise.all(Array.from({ length: count }, (_, workerId) => fork(workerId + 1)))
    return greetings.find(({ firstKey }) => firstKey !== undefined) ?? (greetings[0] as Greeting)
  } catch (error) {
    stopping = true
    uninstall()
    await stopAll()
    throw error
  }
}

async function stopAll(): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  await Promise.all(workers.map(stop))
}

async function stop(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const exited = once(worker, 'exit')
  // No signal, which would be the second to a worker that heard the one of the whole group. One that cannot
  // be told any more is about to end.
  worker.send(STOP, () => undefined)
  await exited
}
