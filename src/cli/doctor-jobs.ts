import { doubtful, type Finding, good, wrong } from './finding.ts'

/** Of a job, as its row says; numbers as the driver gives them. */
export interface SeenJob {
  name: string
  failures: number | bigint | string
  ended_at: number | bigint | string | null
}

export const JOBS = 'select name, failures, ended_at from job order by name'

/** One failure may pass by itself; whoever fails so often waits for an operator. */
const MANY_FAILURES = 5

/** What is done beside the requests, each job with a finding of its own where it fails. */
export function jobFindings(jobs: SeenJob[]): Finding[] {
  const failing = jobs.filter(({ failures }) => Number(failures) > 0)
  if (failing.length === 0) return [good('jobs', 'none fails')]
  return failing.map(({ name, failures, ended_at }) => {
    const last = ended_at === null ? 'never yet' : new Date(Number(ended_at)).toISOString()
    const found = `${name} has failed (times in a row: ${failures}; went well: ${last})`
    const advice = 'the log of the service says why; it is tried again by itself'
    return Number(failures) < MANY_FAILURES ? doubtful('jobs', found, advice) : wrong('jobs', found, advice)
  })
}
