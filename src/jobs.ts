import { erasure } from './applications/people.ts'
import { emails } from './applications/send-emails.ts'
import { oldEvents } from './events/log.ts'
import { expiryJob } from './jobs/expiry.ts'
import type { Jobs } from './jobs/job.ts'
import { expiredTokens } from './keys/tokens.ts'
import { ages } from './pets/renew-ages.ts'
import { searchIndex } from './pets/search/index-animals.ts'
import { ORPHANED_FILES_JOB, orphanedPhotoFiles, photoFiles, removedPhotos } from './photos/jobs.ts'
import { expiredSessions } from './staff/session.ts'
import { wrongTimes } from './webhooks/correction.ts'
import { oldDeliveries } from './webhooks/deliveries.ts'

/** Removes expired results of requests with an Idempotency-Key. */
const expiredResults = expiryJob({ table: 'idempotency', key: 'scope', time: 'expires_at' })

/** Every background job, by its name in the database. Only one process at a time runs a job. */
export const jobs = {
  'expired-results': expiredResults,
  'expired-sessions': expiredSessions,
  'expired-tokens': expiredTokens,
  erasure,
  emails,
  'old-events': oldEvents,
  'old-deliveries': oldDeliveries,
  'delivery-times': wrongTimes,
  ages,
  'search-index': searchIndex,
  'removed-photos': removedPhotos,
  'photo-files': photoFiles,
  [ORPHANED_FILES_JOB]: orphanedPhotoFiles,
} satisfies Jobs
