import { changes } from '../db/change.ts'
import { type Job, runInSteps } from '../jobs/job.ts'
import { hasOldDeliveries } from './deliveries.ts'

const DAY_MS = 86_400_000

/** Removes deliveries that are older than EVENT_DAYS. */
export const oldDeliveries: Job = {
  isDue: ({ db, clock, config }) => hasOldDeliveries(db, clock() - config.eventDays * DAY_MS),
  run: ({ write, clock, config }, mayContinue) =>
    runInSteps(() => write(changes.removeOldDeliveries, clock() - config.eventDays * DAY_MS), mayContinue),
}
