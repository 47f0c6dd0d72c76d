import { MIGRATIONS } from '../db/migrations/all.ts'
import { doubtful, type Finding, good, wrong } from './finding.ts'

/** Compares the migrations that a store has seen with those of this release. */
export function schemaFinding(engine: 'sqlite' | 'postgres', seen: string[]): Finding {
  const known = Object.keys(MIGRATIONS[engine]).sort()
  const [newer, older] = [
    seen.find((name) => !known.includes(name)),
    known.find((name) => !seen.includes(name)),
  ]
  if (newer) {
    return wrong(
      'schema',
      `a newer release has changed it (${newer})`,
      'run that release, or restore a backup',
    )
  }
  if (!older) return good('schema', `${known.at(-1)}, that of this release`)
  return doubtful(
    'schema',
    `${seen.at(-1) ?? 'none'}, an older one`,
    'the next start renews it: back up before',
  )
}
