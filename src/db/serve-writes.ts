import type { DatabaseSync } from 'node:sqlite'
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { runOnce } from './once.ts'
import { openSettled, type Writable } from './open-sqlite.ts'
import type { Db } from './tables.ts'
import { isDiskFailure, isReadOnly } from './violation.ts'
import type { Changes } from './writer.ts'
import { type Job, type Outcome, packError } from './writer-messages.ts'

/** More changes than this wait for the next transaction, so that none waits long for its neighbours. */
const MOST_IN_A_GROUP = 512

/** The writer thread's whole life: take what waits, run it, commit, answer; `null` ends it. */
export function serveWrites(port: MessagePort, file: string, changes: Changes): void {
  const queue: Job[] = []
  let store: Writable | undefined
  let busy = false

  async function commit(jobs: Job[]): Promise<Outcome[]> {
    try {
      store ??= await openSettled(file)
      return await commitGroup(store, changes, jobs)
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
      port.postMessage(await commit(queue.splice(0, MOST_IN_A_GROUP)))
    }
    busy = false
  })
}

/** Runs jobs in one transaction; a job that throws is undone alone. Without a commit all of them failed. */
async function commitGroup({ db, database }: Writable, changes: Changes, jobs: Job[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  try {
    database.exec('begin immediate')
    for (const job of jobs) outcomes.push(await runAlone(db, database, changes, job))
    database.exec('commit')
    return outcomes
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

async function runAlone(db: Db, database: DatabaseSync, changes: Changes, job: Job): Promise<Outcome> {
  const change = changes[job.change]
  if (!change) throw new Error(`unknown change ${job.change}`)
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
