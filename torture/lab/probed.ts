import assert from 'node:assert/strict'
import type { RunningProcess } from '../../src/testing/process.ts'
import { until } from '../../src/testing/redis.ts'
import { isAlive } from './service.ts'

/** Measured since the previous call. */
export interface Measurement {
  /** Longest turn of the event loop, in milliseconds of processor time. */
  longestMs: number
  maxBytes: number
  /** Heap and external memory after a garbage collection. */
  retainedBytes: number
}

/** Settings of a process that `measure` measures. */
export const PROBED = {
  NODE_OPTIONS: `--import=${import.meta.resolve('./probe.ts')} --max-semi-space-size=2`,
}

export async function measure(running: Pick<RunningProcess, 'child' | 'output'>): Promise<Measurement> {
  const reports = (): string[] => running.output.stderr.match(/^probe .*$/gm) ?? []
  const countBefore = reports().length
  running.child.kill('SIGWINCH')
  await until(() => {
    assert.ok(isAlive(running), 'the process ended')
    return reports().length > countBefore && running.output.stderr.endsWith('\n')
  })
  return JSON.parse(reports().at(-1)?.slice('probe '.length) ?? '')
}
