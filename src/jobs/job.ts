import type { Context } from '../context.ts'

/** What the service does beside its requests. */
export interface Job {
  /** Whether there is anything to do. Every process asks it often: it only reads. */
  isDue(context: Context): Promise<boolean>
  /**
   * Does it in steps, each a change of its own. A process that was held up may come back when another one has
   * taken over: to do a step twice has to be the same as to do it once.
   *
   * @param mayGoOn asked before each step: false once the lease is lost or the service stops
   */
  run(context: Context, mayGoOn: () => Promise<boolean>): Promise<void>
}

/** By the names under which they stand in the store. */
export type Jobs = Record<string, Job>

/** Goes on while a step says that there is more. */
export async function inSteps(step: () => Promise<boolean>, mayGoOn: () => Promise<boolean>): Promise<void> {
  while ((await mayGoOn()) && (await step()));
}
