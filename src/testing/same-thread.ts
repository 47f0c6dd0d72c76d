import { MessageChannel } from 'node:worker_threads'
import { changes } from '../changes.ts'
import { type StartWriter, serveWrites } from '../db/writer.ts'

/**
 * Runs the writer in the thread of the test, with the same messages, groups and transactions as in
 * production. Starting a writer thread would take half a second.
 */
export const sameThread: StartWriter = (served, { onOutcomes, onExit }) => {
  const { port1, port2 } = new MessageChannel()
  const ended = Promise.withResolvers<void>()
  serveWrites(port2, served, changes)
  port1.on('message', onOutcomes)
  port1.on('close', () => {
    onExit(undefined)
    ended.resolve()
  })
  return {
    post: (jobs) => port1.postMessage(jobs),
    end() {
      port1.postMessage(null)
      return ended.promise
    },
  }
}
