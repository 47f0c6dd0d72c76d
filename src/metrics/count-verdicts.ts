import type { Account, Limiter, Ruling } from '../limits/limiter.ts'
import type { Metrics } from './metrics.ts'

/** The same limiter, each verdict of which is counted. */
export function countVerdicts(limiter: Limiter, { judged }: Metrics): Limiter {
  return {
    ...limiter,
    take(caller: Account) {
      const count = (ruling: Ruling): Ruling => {
        judged(caller, ruling)
        return ruling
      }
      const ruling = limiter.take(caller)
      return ruling instanceof Promise ? ruling.then(count) : count(ruling)
    },
  }
}
