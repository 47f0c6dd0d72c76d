import type { Loss } from '../../db/loss.ts'
import { sweepWorkFolder } from './folder.ts'
import type { PhotoFiles } from './open.ts'

const HOUR_MS = 3_600_000
/** No upload takes longer, nor an import the notes of its photos. */
const MOST_AGE_MS = 24 * HOUR_MS

/**
 * Removes half uploads, which still tell where they were taken, of processes that were killed: at each start
 * and then every hour. Not a job: with a bucket each machine has a work folder of its own.
 *
 * @returns a function that ends it
 */
export async function sweepWorkRegularly(
  photos: PhotoFiles,
  clock: () => number,
  loss: Loss,
): Promise<() => void> {
  const sweep = (): Promise<void> =>
    sweepWorkFolder(photos.store, clock() - MOST_AGE_MS).catch((error: unknown) =>
      loss.lost(error, 'half uploads of photos stay: their folder cannot be read now'),
    )
  await sweep()
  const interval = setInterval(sweep, HOUR_MS).unref()
  return () => clearInterval(interval)
}
