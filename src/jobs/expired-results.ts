import { changes } from '../db/change.ts'
import { hasExpiredResults } from '../db/once.ts'
import { inSteps, type Job } from './job.ts'

/** Removes the results of requests with an Idempotency-Key that are kept no longer. */
export const expiredResults: Job = {
  isDue: ({ db, clock }) => hasExpiredResults(db, clock()),
  run: ({ write, clock }, mayGoOn) => inSteps(() => write(changes.removeExpiredResults, clock()), mayGoOn),
}
