import { hash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../../../context.ts'
import type { Caller } from '../../../../http/caller.ts'
import { makeCursor, readCursor } from '../../../../http/cursor.ts'
import { workFile } from '../../../../photo-files/folder.ts'

/** What somebody chose of how their file is read. */
export interface Chosen {
  /** Of the file. */
  name: string
  /** The program that made it; empty for our own form. */
  from: string
  /** Name of the category of animals whose own one is not known; empty for none. */
  category: string
  /** Code of the organization of animals that name none; empty for none. */
  organization: string
  currency: string
  dayFirst: string
  pounds: string
  /** Whether animals that came before are changed. */
  update: string
}
const NAMES = [
  ...['name', 'from', 'category', 'organization', 'currency', 'dayFirst', 'pounds', 'update'],
] as (keyof Chosen)[]

type Needed = Pick<Context, 'photos' | 'cursorSecret'>

/** Each has one file at a time: what a second upload replaces was never confirmed. */
async function pathOf({ photos: { store } }: Needed, { staff }: Caller): Promise<string> {
  // The folder is there afterwards.
  await workFile(store)
  return join(store.workFolder, `import-${staff?.id}`)
}

const scopeOf = ({ staff, view }: Caller): string => JSON.stringify(['console import', staff?.id, view])

/** Keeps a file until it is confirmed. @returns what its confirmation has to bring */
export async function keepUpload(
  context: Needed,
  caller: Caller,
  bytes: Buffer,
  chosen: Chosen,
): Promise<string> {
  await writeFile(await pathOf(context, caller), bytes, { mode: 0o600 })
  const told = NAMES.map((name) => chosen[name])
  return makeCursor(context.cursorSecret, scopeOf(caller), [hash('sha256', bytes), ...told])
}

/**
 * Takes the file that was kept, once.
 *
 * @returns undefined when it is gone, or is another one by now
 * @throws {ApiError} invalid_cursor
 */
export async function takeUpload(
  context: Needed,
  caller: Caller,
  ticket: string,
): Promise<{ bytes: Buffer; chosen: Chosen } | undefined> {
  const [digest, ...told] = readCursor<string[]>(context.cursorSecret, scopeOf(caller), ticket)
  const path = await pathOf(context, caller)
  const taken = `${path}-taken`
  try {
    const bytes = await readFile(path)
    if (hash('sha256', bytes) !== digest) return undefined
    // Of two who confirm at once one has it.
    await rename(path, taken)
    return { bytes, chosen: Object.fromEntries(NAMES.map((name, index) => [name, told[index]])) as never }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  } finally {
    await rm(taken, { force: true })
  }
}
