import { MessageChannel } from 'node:worker_threads'
import { changes } from '../changes.ts'
import { serveWrites } from '../db/serve-writes.ts'
import type { StartWriter } from '../db/writer.ts'

/**
 * The writer without its thread, which takes half a second to load: the same messages, groups and
 * transactions, in the thread of the test.
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
