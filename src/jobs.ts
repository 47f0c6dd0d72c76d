import { erasure } from './applications/people.ts'
import { changes } from './db/change.ts'
import { hasExpiredResults } from './db/once.ts'
import { inSteps, type Job, type Jobs } from './jobs/job.ts'
import { expiredTokens } from './keys/tokens.ts'
import { ages } from './pets/ages.ts'
import { searchIndex } from './pets/search/upkeep.ts'
import { ORPHANS, orphanedPhotoFiles, photoFiles, removedPhotos } from './photos/jobs.ts'
import { expiredSessions } from './staff/session.ts'

/** Removes the results of requests with an Idempotency-Key that are kept no longer. */
const expiredResults: Job = {
  isDue: ({ db, clock }) => hasExpiredResults(db, clock()),
  run: ({ write, clock }, mayGoOn) => inSteps(() => write(changes.removeExpiredResults, clock()), mayGoOn),
}

/** What is done beside the requests, by one process at a time. The one list. */
export const jobs = {
  'expired-results': expiredResults,
  'expired-sessions': expiredSessions,
  'expired-tokens': expiredTokens,
  erasure,
  ages,
  'search-index': searchIndex,
  'removed-photos': removedPhotos,
  'photo-files': photoFiles,
  [ORPHANS]: orphanedPhotoFiles,
} satisfies Jobs
