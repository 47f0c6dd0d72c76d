import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Config } from '../config.ts'
import { isPostgres } from '../db/store-url.ts'
import { reasonOf } from '../errors.ts'
import { openRenderer } from '../photos/renderer/render.ts'
import { newWorkFile, pathInFolder } from '../photos/storage/folder.ts'
import { folderOf, openPhotoStore } from '../photos/storage/open.ts'
import { fileName } from '../photos/storage/photo-files.ts'
import { canCreateIn, findNearest } from './doctor-store.ts'
import { doubtful, type Finding, good, wrong } from './finding.ts'

const RENDERING = 'rendering of photos'
const STORE = 'store of photos'

/** A PNG of one pixel. */
const TINY = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Renders and stores a tiny photo, then removes the photo again. */
export async function checkPhotos(config: Config): Promise<Finding[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'adoptable-doctor-'))
  try {
    const rendered = join(scratch, 'rendered')
    const rendering = await render(scratch, rendered)
    if (rendering.state === 'wrong') writeFileSync(rendered, TINY)
    return [rendering, await checkStore(config, rendered)]
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function render(scratch: string, file: string): Promise<Finding> {
  const source = join(scratch, 'source')
  writeFileSync(source, TINY)
  const renderer = openRenderer()
  try {
    await renderer.render({ source, renditions: [{ rendition: 'small', file }] })
    return good(RENDERING, 'rendered a tiny picture')
  } catch (error) {
    const advice =
      'check that sharp is installed for this system (npm ci) and that there is memory for another process'
    return wrong(RENDERING, reasonOf(error), advice)
  } finally {
    await renderer.close()
  }
}

async function checkStore(config: Config, file: string): Promise<Finding> {
  const folder = folderOf(config)
  if (folder !== undefined && !existsSync(join(folder, 'incoming')))
    return checkPlace(config, resolve(folder))
  const name = fileName(randomBytes(16).toString('hex'), 'small')
  try {
    const store = await openPhotoStore(config)
    const sent = await readFile(file)
    const work = await newWorkFile(store)
    writeFileSync(work, sent, { mode: 0o600 })
    try {
      await store.put(name, work)
      const found = await store.read(name)
      if (!found || !sent.equals(await buffer(found.bytes)))
        throw new Error('it returned different bytes than were stored')
    } finally {
      rmSync(work, { force: true })
      await store.remove([name])
      // Removes the new subfolder, because it belongs to the user of this command instead of the service.
      if (folder !== undefined) await rmdir(dirname(join(folder, pathInFolder(name)))).catch(() => undefined)
    }
    if ((await store.size(name)) !== undefined) throw new Error('a removed file still exists')
    return good(STORE, 'wrote, read and removed a file')
  } catch (error) {
    const advice =
      folder === undefined
        ? 'check host, bucket, key and region in PHOTOS_URL, and that the key may put, get, delete and list'
        : `check that its disk is mounted and that the user of the service may write to ${resolve(folder)}`
    return wrong(STORE, reasonOf(error), advice)
  }
}

/** Checks that the service can create the folder, without creating it for another user than the service. */
function checkPlace({ photosUrl, databaseUrl }: Config, folder: string): Finding {
  const found = `${folder} will be created by the first start`
  // By default the photo folder is next to the SQLite file, and the check of the database covers that place.
  if (photosUrl === undefined && !isPostgres(databaseUrl)) return good(STORE, found)
  const above = findNearest(folder)
  if (!canCreateIn(above)) {
    const advice = `give the user of the service write access to ${above}, or name another folder in PHOTOS_URL`
    return wrong(STORE, `${folder} cannot be created`, advice)
  }
  if (above !== folder) return good(STORE, found)
  return doubtful(STORE, `${folder} is empty`, 'mount its disk, unless the service was never started')
}
