import { hash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../../../context.ts'
import type { Caller } from '../../../../http/caller.ts'
import { makeCursor, readCursor } from '../../../../http/cursor.ts'
import { workFile } from '../../../../photos/storage/folder.ts'
import type { ChosenColumns } from '../../../../transfer/mappings/chosen.ts'

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
  /** What the columns hold, as JSON of their positions; empty where the file says it itself. */
  columns: string
  /** The position of the column that tells the animals apart; empty for none. */
  id: string
  /** The list that its ids belong to. */
  source: string
}
const NAMES = [
  ...['name', 'from', 'category', 'organization', 'currency', 'dayFirst', 'pounds', 'update'],
  ...['columns', 'id', 'source'],
] as (keyof Chosen)[]

/** The columns as they were chosen. */
export const columnsOf = ({ columns, id }: Chosen): ChosenColumns => ({
  columns: new Map<number, string>(JSON.parse(columns)),
  id: id === '' ? undefined : Number(id),
})

type Needed = Pick<Context, 'photos' | 'cursorSecret'>

/** Each has one file at a time: what a second upload replaces was never confirmed. */
async function pathOf({ photos: { store } }: Needed, { staff }: Caller): Promise<string> {
  // The folder is there afterwards.
  await workFile(store)
  return join(store.workFolder, `import-${staff?.id}`)
}

const scopeOf = ({ staff, view }: Caller): string => JSON.stringify(['console import', staff?.id, view])

/** Keeps a file until it is confirmed. */
export async function keepUpload(context: Needed, caller: Caller, bytes: Buffer): Promise<void> {
  await writeFile(await pathOf(context, caller), bytes, { mode: 0o600 })
}

/** What a form has to bring of a file that is kept: which it is, and what was chosen so far. */
export function ticketOf(context: Needed, caller: Caller, { bytes, chosen }: Uploaded): string {
  const told = NAMES.map((name) => chosen[name])
  return makeCursor(context.cursorSecret, scopeOf(caller), [hash('sha256', bytes), ...told])
}

export interface Uploaded {
  bytes: Buffer
  chosen: Chosen
}

/**
 * The file that is kept.
 *
 * @returns undefined when it is gone, or is another one by now
 * @throws {ApiError} invalid_cursor
 */
export async function readUploaded(
  context: Needed,
  caller: Caller,
  ticket: string,
): Promise<Uploaded | undefined> {
  const [digest, ...told] = readCursor<string[]>(context.cursorSecret, scopeOf(caller), ticket)
  const bytes = await ifThere(readFile(await pathOf(context, caller)))
  if (!bytes || hash('sha256', bytes) !== digest) return undefined
  // One of a former release says less.
  return { bytes, chosen: Object.fromEntries(NAMES.map((name, index) => [name, told[index] ?? ''])) as never }
}

/** The same, once: of two who confirm at one time one has it. */
export async function takeUpload(
  context: Needed,
  caller: Caller,
  ticket: string,
): Promise<Uploaded | undefined> {
  const upload = await readUploaded(context, caller, ticket)
  if (!upload) return undefined
  const path = await pathOf(context, caller)
  const taken = `${path}-taken`
  const isMine = await ifThere(rename(path, taken).then(() => true))
  if (!isMine) return undefined
  await rm(taken, { force: true })
  return upload
}

/** Undefined where there is no such file. */
async function ifThere<Value>(found: Promise<Value>): Promise<Value | undefined> {
  try {
    return await found
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
