import { applicants } from './applications/erasure.ts'
import { expiredResults } from './jobs/expired-results.ts'
import type { Jobs } from './jobs/job.ts'
import { expiredTokens } from './keys/tokens.ts'
import { adopters, erasureOf } from './orders/erasure.ts'
import { ages } from './pets/ages.ts'
import { searchIndex } from './pets/search/job.ts'
import { ORPHANS, orphanedPhotoFiles, photoFiles, removedPhotos } from './photos/jobs.ts'
import { expiredSessions } from './staff/expired.ts'

/** What is done beside the requests, by one process at a time. The one list. */
export const jobs = {
  'expired-results': expiredResults,
  'expired-sessions': expiredSessions,
  'expired-tokens': expiredTokens,
  erasure: erasureOf([adopters, applicants]),
  ages,
  'search-index': searchIndex,
  'removed-photos': removedPhotos,
  'photo-files': photoFiles,
  [ORPHANS]: orphanedPhotoFiles,
} satisfies Jobs
