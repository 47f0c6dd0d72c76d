import { hash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../../../context.ts'
import type { Caller } from '../../../../http/caller.ts'
import { makeCursor, readCursor } from '../../../../http/paging.ts'
import { newWorkFile } from '../../../../photos/storage/folder.ts'
import type { Encoding } from '../../../../transfer/encoding.ts'
import type { StatusResult } from '../../../../transfer/statuses.ts'

/** How to read a file, as chosen in the forms. */
export interface ImportSettings {
  /** The name of the file. */
  name: string
  /** The program that exported the file; empty for a spreadsheet or our own export. */
  from: string
  /** The name of the category for animals without a known category; empty for no such category. */
  category: string
  /** The code of the organization for animals without an organization; empty for no such organization. */
  organization: string
  currency: string
  /** Absent if the file itself shows the order of day and month. */
  dayFirst?: boolean | undefined
  pounds: boolean
  /** Whether animals from an earlier import stay as they are. */
  keep: boolean
  /** The member of each column, by its position; absent if the headings need no choices. */
  columns?: [index: number, member: string][]
  /** The position of the ID column. */
  id?: number | undefined
  /** The name of the list that the ids belong to. */
  source: string
  /** The chosen results of statuses in the file. */
  statuses: [word: string, result: StatusResult][]
  /** Absent if the encoding is detected. */
  encoding?: Encoding | undefined
}

/** Reads an answer from a form. @returns undefined for no answer */
export const readYesOrNo = (text: string | null): boolean | undefined =>
  text === 'yes' ? true : text === 'no' ? false : undefined

type UploadFolder = Pick<Context, 'photos'>
type UploadContext = UploadFolder & Pick<Context, 'cursorSecret'>

/**
 * The path of the person's file. Each person has one file at a time, and a new upload replaces the previous
 * file.
 */
async function pathOf({ photos: { store } }: UploadFolder, { staff }: Caller): Promise<string> {
  // Creates the folder.
  await newWorkFile(store)
  return join(store.workFolder, `${PREFIX}${staff?.id}`)
}

const PREFIX = 'import-'

// The number changes with ImportSettings, so a form of an earlier version is refused.
const scopeOf = ({ staff, view }: Caller): string => JSON.stringify(['import 2', staff?.id, view])

/** The path of the lines that the person's last preview or import refused. */
export async function refusedPathOf(context: UploadFolder, caller: Caller): Promise<string> {
  return `${await pathOf(context, caller)}-refused`
}

/** @returns undefined if the last preview or import refused no line */
export async function readRefused(context: UploadFolder, caller: Caller): Promise<Buffer | undefined> {
  return ifExists(readFile(await refusedPathOf(context, caller)))
}

/** Stores a file until its import is confirmed. */
export async function storeUpload(context: UploadContext, caller: Caller, bytes: Buffer): Promise<void> {
  await rm(await refusedPathOf(context, caller), { force: true })
  await writeFile(await pathOf(context, caller), bytes, { mode: 0o600 })
}

/** A signed token for forms. It contains the hash of a stored file and the settings so far. */
export function ticketOf(context: UploadContext, caller: Caller, { bytes, chosen }: UploadedFile): string {
  return makeCursor(context.cursorSecret, scopeOf(caller), [hash('sha256', bytes), JSON.stringify(chosen)])
}

export interface UploadedFile {
  bytes: Buffer
  chosen: ImportSettings
}

/**
 * Reads a stored file.
 * @returns undefined if the file is gone or was replaced
 * @throws {ApiError} invalid_cursor
 */
export async function readUploaded(
  context: UploadContext,
  caller: Caller,
  ticket: string,
): Promise<UploadedFile | undefined> {
  const [digest, chosen] = readCursor<[string, string]>(context.cursorSecret, scopeOf(caller), ticket)
  const bytes = await ifExists(readFile(await pathOf(context, caller)))
  if (!bytes || hash('sha256', bytes) !== digest) return undefined
  return { bytes, chosen: JSON.parse(chosen) }
}

/** Reads a stored file and removes it. If two requests confirm at once, only one gets the file. */
export async function takeUpload(
  context: UploadContext,
  caller: Caller,
  ticket: string,
): Promise<UploadedFile | undefined> {
  const upload = await readUploaded(context, caller, ticket)
  if (!upload) return undefined
  const path = await pathOf(context, caller)
  const taken = `${path}-taken`
  const isTaken = await ifExists(rename(path, taken).then(() => true))
  if (!isTaken) return undefined
  await rm(taken, { force: true })
  return upload
}

/** The paths of the uploaded files in a work folder whose import is not confirmed yet. */
export async function listUploads(workFolder: string): Promise<string[]> {
  const names = (await ifExists(readdir(workFolder))) ?? []
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(workFolder, name))
}

/** @returns undefined if the file does not exist */
async function ifExists<Value>(result: Promise<Value>): Promise<Value | undefined> {
  try {
    return await result
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
