import assert from 'node:assert/strict'
import type { RunningProcess } from '../../src/testing/process.ts'
import { until } from '../../src/testing/redis.ts'
import { isAlive } from './service.ts'

/** What a process did since it was asked last. */
export interface Measure {
  /** Longest turn of the event loop, in processor time. */
  longestMs: number
  mostBytes: number
  /** After the garbage was collected. */
  keptBytes: number
}

/** Settings of a process that is to be measured. */
export const PROBED = {
  NODE_OPTIONS: `--import=${import.meta.resolve('./probe.ts')} --max-semi-space-size=2`,
}

export async function measure(running: Pick<RunningProcess, 'child' | 'output'>): Promise<Measure> {
  const told = (): string[] => running.output.stderr.match(/^probe .*$/gm) ?? []
  const before = told().length
  running.child.kill('SIGWINCH')
  await until(() => {
    assert.ok(isAlive(running), 'the process ended')
    return told().length > before && running.output.stderr.endsWith('\n')
  })
  return JSON.parse(told().at(-1)?.slice('probe '.length) ?? '')
}
