import { type AsyncHook, createHook } from 'node:async_hooks'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'

// node:test tracks every promise back to its test, so it can name the test of an uncaught error. That takes
// an eighth of the time of all tests, and is needed only while a file adds its tests.

let tracking: AsyncHook | undefined

/** The first hook that is enabled is that of node:test, which offers no other access to it. */
const hooks: AsyncHook = Object.getPrototypeOf(createHook({}))
const { enable } = hooks
hooks.enable = function catchFirst(this: AsyncHook) {
  tracking = this
  hooks.enable = enable
  return this.enable()
}

let running = ''

/** Ends the process, because the test may wait forever. The other processes run the remaining files. */
function endRun(error: unknown): void {
  console.error(`nobody caught an error of ${running}; to see of which test, run the file alone:`, error)
  process.exit(1)
}
process.prependListener('uncaughtException', endRun).prependListener('unhandledRejection', endRun)

/** Runs a test file in this process, as a suite with its name. */
export async function runFile(path: string): Promise<void> {
  running = path
  tracking?.enable()
  await suite(path, async () => {
    await import(pathToFileURL(path).href)
    tracking?.disable()
  })
}
