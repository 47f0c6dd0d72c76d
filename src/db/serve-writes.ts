import type { DatabaseSync } from 'node:sqlite'
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Changes } from './change.ts'
import { runOnce } from './once.ts'
import { openSettled, type Writable } from './open-sqlite.ts'
import { scrubSqlite } from './scrub-sqlite.ts'
import { requireThere, type ServedFile } from './served-file.ts'
import type { Db } from './tables.ts'
import { isDiskFailure, isReadOnly } from './violation.ts'
import { changeIn, finish } from './write.ts'
import { type Job, type Outcome, packError, SCRUB } from './writer-messages.ts'

/** More changes than this wait for the next transaction, so that none waits long for its neighbours. */
const MAX_GROUP_SIZE = 512

/** The writer thread's whole life: take what waits, run it, commit, answer; `null` ends it. */
export function serveWrites(port: MessagePort, served: ServedFile, changes: Changes): void {
  const queue: Job[] = []
  let store: Writable | undefined
  let busy = false

  /** @returns what `work` does with the jobs, or for each of them why it could not */
  async function attempt(
    jobs: Job[],
    work: (open: Writable) => Promise<Outcome[]> | Outcome[],
  ): Promise<Outcome[]> {
    try {
      requireThere(served)
      store ??= await openSettled(served.file)
      return await work(store)
    } catch (error) {
      // Nobody knows what of the log such a disk has kept: all is written anew before anything is added. What
      // could be opened to read only may be opened to write by now.
      if (isDiskFailure(error) || isReadOnly(error)) {
        store?.database.close()
        store = undefined
      }
      const failure = packError(error)
      return jobs.map(({ id }) => ({ id, failure }))
    }
  }

  async function runJobs(jobs: Job[]): Promise<void> {
    const scrubs = jobs.filter(({ change }) => change === SCRUB)
    const others = jobs.filter(({ change }) => change !== SCRUB)
    if (others.length > 0)
      port.postMessage(await attempt(others, (open) => commitGroup(open, changes, others)))
    for (const job of scrubs) port.postMessage(await attempt([job], (open) => [scrubbed(open, job)]))
  }

  port.on('message', async (message: Job[] | null) => {
    if (message === null) {
      store?.database.close()
      return port.close()
    }
    queue.push(...message)
    if (busy) return
    busy = true
    while (queue.length > 0) {
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
        queue.push(...next.message)
      await runJobs(queue.splice(0, MAX_GROUP_SIZE))
    }
    busy = false
  })
}

function scrubbed({ database }: Writable, { id }: Job): Outcome {
  scrubSqlite(database)
  return { id, value: undefined }
}

/** Runs jobs in one transaction; a job that throws is undone alone. Without a commit all of them failed. */
async function commitGroup({ db, database }: Writable, changes: Changes, jobs: Job[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  try {
    database.exec('begin immediate')
    for (const job of jobs) outcomes.push(await runAlone(db, database, changes, job))
    const names = jobs.map(({ change }) => change)
    await finish(db, changes, names)
    database.exec('commit')
    return outcomes
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

async function runAlone(db: Db, database: DatabaseSync, changes: Changes, job: Job): Promise<Outcome> {
  const change = changeIn(changes, job.change)
  database.exec('savepoint job')
  try {
    const run = () => change(db, ...job.args)
    const value = job.once ? await runOnce(db, job.once, run) : await run()
    database.exec('release job')
    return { id: job.id, value }
  } catch (error) {
    // A full or broken disk ends the whole transaction, and with it what the jobs before this one did.
    if (!database.isTransaction || isReadOnly(error)) throw error
    database.exec('rollback to job; release job')
    return { id: job.id, failure: packError(error) }
  }
}
