import { closeSync, existsSync, fsyncSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { entryOf } from '../source-names.ts'
import { fileOf, noStoreError } from './store-url.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Copies the SQLite store at one moment into a new file.
 * @returns the number of animals in the copy
 * @throws if there is no store, the file already exists, or the store is damaged
 */
export async function backUp(databaseUrl: string, file: string): Promise<number> {
  const store = fileOf(databaseUrl)
  if (!existsSync(store)) throw noStoreError(`at ${store}`)
  return writeAtomically(file, (part) => {
    closeSync(openSync(part, 'wx', 0o600))
    return runInThread({ store, part })
  }).catch((cause) => {
    throw new Error(`${store} was not backed up: ${(cause as Error).message}`, { cause })
  })
}

/**
 * Creates a complete file or none. A signal leaves no partial files behind.
 * @param make writes the content to `part`; it may use `scratch`, which is removed afterwards
 * @throws if the file already exists or its folder does not
 */
export async function writeAtomically<Result>(
  file: string,
  make: (part: string, scratch: string) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(dirname(file))) throw new Error(`there is no folder ${dirname(file)}`)
  refuseExisting(file)
  const part = `${file}.${process.pid}.part`
  const scratch = `${part}.scratch`
  const remove = (): void => [part, scratch].forEach((name) => void rmSync(name, { force: true }))
  const giveUp = (signal: NodeJS.Signals): void => {
    remove()
    for (const name of SIGNALS) process.off(name, giveUp)
    process.kill(process.pid, signal)
  }
  for (const name of SIGNALS) process.on(name, giveUp)
  try {
    const result = await make(part, scratch)
    syncToDisk(part)
    refuseExisting(file)
    renameSync(part, file)
    // A rename is safe on the disk only after a sync of the folder. Windows cannot open folders.
    if (process.platform !== 'win32') syncToDisk(dirname(resolve(file)))
    return result
  } finally {
    remove()
    for (const name of SIGNALS) process.off(name, giveUp)
  }
}

/** Also looks for a leftover log of another database, because SQLite would apply that log to the copy. */
function refuseExisting(file: string): void {
  for (const name of [file, `${file}-wal`, `${file}-journal`]) {
    const found = lstatSync(name, { throwIfNoEntry: false })
    if (found?.isDirectory()) throw new Error(`${name} is a folder; name a file in it`)
    if (found) throw new Error(`${name} already exists and is not overwritten`)
  }
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The input of `backup-thread.ts`: the store's file, and the file to create. */
export interface BackupTask {
  store: string
  part: string
}

/** Runs the backup in a thread, because SQLite blocks its thread and the main thread must handle signals. */
function runInThread(task: BackupTask): Promise<number> {
  return new Promise((done, fail) => {
    const thread = new Worker(entryOf('backup-thread', import.meta.url), { workerData: task })
    thread.once('message', done)
    thread.once('error', fail)
  })
}
