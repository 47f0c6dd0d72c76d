import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Config } from '../config.ts'
import { isPostgres } from '../db/store-url.ts'
import { reasonOf } from '../errors.ts'
import { openRenderer } from '../photos/renderer/render.ts'
import { pathInFolder, workFile } from '../photos/storage/folder.ts'
import { folderOf, openPhotoStore } from '../photos/storage/open.ts'
import { fileName } from '../photos/storage/renditions.ts'
import { doubtful, type Finding, good, wrong } from './finding.ts'

const RENDERING = 'rendering of photos'
const STORE = 'store of photos'

/** A PNG of one pixel. */
const TINY = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Whether a photo can be made and kept: a tiny one is, and is removed again. */
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
    return good(RENDERING, 'a tiny picture was read and written')
  } catch (error) {
    const advice = 'is sharp installed for this system (npm ci), and is there memory for another process?'
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
    const work = await workFile(store)
    writeFileSync(work, sent, { mode: 0o600 })
    try {
      await store.put(name, work)
      const found = await store.read(name)
      if (!found || !sent.equals(await buffer(found.bytes)))
        throw new Error('it gives other bytes than it got')
    } finally {
      rmSync(work, { force: true })
      await store.remove([name])
      // One that was made for it is of whoever runs this; the service makes its own.
      if (folder !== undefined) await rmdir(dirname(join(folder, pathInFolder(name)))).catch(() => undefined)
    }
    if ((await store.size(name)) !== undefined) throw new Error('a file stays there after it was removed')
    return good(STORE, 'a file was written, read and removed')
  } catch (error) {
    const advice =
      folder === undefined
        ? 'are the host, bucket, key and region of PHOTOS_URL right, and may the key put, get, delete and list?'
        : `is its disk mounted, and may the user of the service write in ${resolve(folder)}?`
    return wrong(STORE, reasonOf(error), advice)
  }
}

/** Whether the next start can make the folder there. It is not made here: it would be of another user. */
function checkPlace({ photosUrl, databaseUrl }: Config, folder: string): Finding {
  const found = `${folder} is made by the first start`
  // Whether something can be made there is what the check of the database says.
  if (photosUrl === undefined && !isPostgres(databaseUrl)) return good(STORE, found)
  let above = folder
  while (!existsSync(above) && above !== dirname(above)) above = dirname(above)
  if (!mayMakeIn(above)) {
    const advice = `let the user of the service write in ${above}, or name another folder in PHOTOS_URL`
    return wrong(STORE, `${folder} cannot be made`, advice)
  }
  if (above !== folder) return good(STORE, found)
  return doubtful(STORE, `${folder} is empty`, 'mount its disk, unless the service has not been started yet')
}

function mayMakeIn(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}
