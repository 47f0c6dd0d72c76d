import type { Stores } from '../db/copy.ts'
import type { Copied } from '../photos/storage/copy.ts'
import { drawnLine, type Output, whole } from './terminal.ts'

/** @param stores as PHOTOS_URL names them */
export async function copyPhotos({ from, to }: Stores, stderr: Output): Promise<Copied> {
  if (from === to) throw new Error('--photos-from and --photos-to are the same address')
  const { copyFiles } = await import('../photos/storage/copy.ts')
  const { photoStoreAt } = await import('../photos/storage/open.ts')
  const line = drawnLine(stderr)
  const show = (done: Copied) => line.draw(() => photosText(done))
  return copyFiles(await photoStoreAt(from), await photoStoreAt(to), show).finally(line.clear)
}

export function photosText({ copied, there }: Copied): string {
  return `files of photos: ${whole(copied)} copied, ${whole(there)} there before`
}
