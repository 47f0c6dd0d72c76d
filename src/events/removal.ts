import { changes } from '../db/change.ts'
import { type Job, runInSteps } from '../jobs/job.ts'
import { hasOldEvents } from './log.ts'

const DAY_MS = 86_400_000

/** Removes events that are older than EVENT_DAYS. */
export const oldEvents: Job = {
  isDue: ({ db, clock, config }) => hasOldEvents(db, clock() - config.eventDays * DAY_MS),
  run: ({ write, clock, config }, mayContinue) =>
    runInSteps(() => write(changes.removeOldEvents, clock() - config.eventDays * DAY_MS), mayContinue),
}
