import { closeSync, existsSync, fsyncSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { entryOf } from '../entry.ts'
import { noStore } from './no-store.ts'
import { fileOf } from './store-url.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * A copy of the store as of one moment, as a store of its own.
 *
 * @returns how many animals the copy has
 */
export async function backUp(databaseUrl: string, file: string): Promise<number> {
  const store = fileOf(databaseUrl)
  if (!existsSync(store)) throw noStore(`at ${store}`)
  return makeWhole(file, (part) => {
    closeSync(openSync(part, 'wx', 0o600))
    return inThread({ store, part })
  }).catch((cause) => {
    throw new Error(`${store} was not backed up: ${(cause as Error).message}`, { cause })
  })
}

/**
 * Under its name a file is there whole or not at all, and nothing else is left, whatever signal comes.
 *
 * @param make writes it under the first name; what it needs meanwhile may lie under the second
 * @throws when the name is taken
 */
export async function makeWhole<Result>(
  file: string,
  make: (part: string, scratch: string) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(dirname(file))) throw new Error(`there is no folder ${dirname(file)}`)
  refuseTaken(file)
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
    sync(part)
    refuseTaken(file)
    renameSync(part, file)
    // Where a folder can be opened at all, its new entry is on the disk only after this.
    if (process.platform !== 'win32') sync(dirname(resolve(file)))
    return result
  } finally {
    remove()
    for (const name of SIGNALS) process.off(name, giveUp)
  }
}

/** A log left beside the name by another database would be taken for the copy's own. */
function refuseTaken(file: string): void {
  for (const name of [file, `${file}-wal`, `${file}-journal`]) {
    const found = lstatSync(name, { throwIfNoEntry: false })
    if (found?.isDirectory()) throw new Error(`${name} is a folder; name a file in it`)
    if (found) throw new Error(`${name} exists already, and is not overwritten`)
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** What `backup-thread.ts` copies, and the file that it makes. */
export interface BackupTask {
  store: string
  part: string
}

/** SQLite blocks the thread it works in, and this one has to hear signals meanwhile. */
function inThread(task: BackupTask): Promise<number> {
  return new Promise((done, fail) => {
    const thread = new Worker(entryOf('backup-thread', import.meta.url), { workerData: task })
    thread.once('message', done)
    thread.once('error', fail)
  })
}
