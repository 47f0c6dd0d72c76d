import type { Context } from '../context.ts'

/** A background job of the service. */
export interface Job {
  /**
   * Returns whether there is work to do. This function must only read, because every process calls it often.
   */
  isDue(context: Context): Promise<boolean>
  /**
   * Does the work in steps, each in its own transaction. Steps must be idempotent, because a suspended
   * process may continue after another process has taken over the job.
   *
   * @param mayContinue must be called before each step; false once the lease is lost or the service stops
   */
  run(context: Context, mayContinue: () => Promise<boolean>): Promise<void>
}

/** Jobs by the names under which the database stores them. */
export type Jobs = Record<string, Job>

/** Repeats a step while it returns true and the job may continue. */
export async function runInSteps(
  step: () => Promise<boolean>,
  mayContinue: () => Promise<boolean>,
): Promise<void> {
  while ((await mayContinue()) && (await step()));
}
