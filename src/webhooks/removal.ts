import { expiryJob } from '../jobs/expiry.ts'

const DAY_MS = 86_400_000

/** Removes deliveries that are older than EVENT_DAYS. */
export const oldDeliveries = expiryJob(
  { table: 'delivery', key: 'id', time: 'created_at' },
  ({ clock, config }) => clock() - config.eventDays * DAY_MS,
)
