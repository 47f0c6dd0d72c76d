import { ApiError } from '../errors.ts'
import type { Link } from './redis-link.ts'
import type { Pulse, Seen } from './redis-pulse.ts'

const BEAT_MS = 250
const LOOK_MS = 50

/** alone: without the store; returning: telling it what was served meanwhile; exact: every request is its. */
type Standing = 'alone' | 'returning' | 'exact'

export interface Members {
  readonly standing: Standing
  /** Called when the store answers again, and when it is lost. */
  comeBack(): void
  lost(): void
  /** Looks at the other processes now. */
  look(): Promise<void>
  /** Rejects until the store was reached once: later there are shares to serve from without it. */
  ready(): Promise<void>
  /** Resolves when the standing has changed. */
  changed(): Promise<void>
  leave(): Promise<void>
}

interface Options {
  pulse: Pulse
  link: () => Link
  /** Tells the store everything, as it has lost its memory; `epoch` is '' when the others are exact again. */
  reportAll(epoch: string): Promise<void>
  /** Tells it what was served without it. */
  settleAll(): Promise<void>
  startOver(): void
  onExact(): void
}

/** Whether this process may let the store decide, and how it comes back after it could not. */
export function joinMembers(options: Options): Members {
  const { pulse, link, settleAll, onExact } = options
  let standing: Standing = 'alone'
  let epoch = ''
  let looking: Promise<void> | undefined
  let changed = Promise.withResolvers<void>()

  function stand(next: Standing): void {
    if (next === standing) return
    standing = next
    changed.resolve()
    changed = Promise.withResolvers()
  }

  async function comeBack(): Promise<void> {
    epoch = await untilOpen(epoch, options)
    // Most of it while still serving alone; then the rest, while requests wait a moment.
    await settleAll()
    stand('returning')
    await settleAll()
    check(await pulse.beat('alive', epoch, ''))
    stand('exact')
    onExact()
  }

  function check(seen: Seen): void {
    if (seen.epoch !== epoch || !seen.open || seen.gone) throw new Error('Redis has lost its memory')
  }

  /** Runs until done, or until the session in which it began has ended. */
  async function inSession(job: () => Promise<void>): Promise<void> {
    const { session } = link()
    try {
      await job()
    } catch (error) {
      if (session === link().session) link().fail(error)
    }
  }

  function look(): Promise<void> {
    looking ??= inSession(async () => check(await pulse.beat('alive', epoch, ''))).finally(() => {
      looking = undefined
    })
    return looking
  }

  const heart = setInterval(() => {
    if (standing === 'exact') void look()
  }, BEAT_MS)

  return {
    get standing() {
      return standing
    },
    comeBack: () => void inSession(comeBack),
    lost: () => stand('alone'),
    look,
    async ready() {
      if (epoch === '') throw new ApiError('service_unavailable', { cause: link().cause })
    },
    changed: () => changed.promise,
    async leave() {
      clearInterval(heart)
      if (standing !== 'exact') return
      await settleAll()
      await pulse.beat('bye', epoch, '')
    },
  }
}

/**
 * Until the store may be asked again. When it has lost its memory, that is when all have told it theirs.
 *
 * @param epoch the one this process belongs to; '' when it has just started
 * @returns the one that is open
 */
async function untilOpen(epoch: string, { pulse, reportAll, startOver }: Options): Promise<string> {
  let reported = ''
  for (;;) {
    const seen = await pulse.beat('view', epoch, reported)
    if (seen.gone) {
      pulse.startOver()
      startOver()
      continue
    }
    if (epoch !== '' && epoch !== seen.epoch && reported !== seen.epoch) {
      await reportAll(seen.open ? '' : seen.epoch)
      reported = seen.epoch
    }
    if (seen.open) return seen.epoch
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
