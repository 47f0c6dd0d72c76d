import { changes } from '../db/change.ts'
import { isUniqueViolation } from '../db/violation.ts'
import type { Writer } from '../db/write.ts'
import { ApiError } from '../errors.ts'
import type { Refusal } from './animal.ts'
import { fingerprintFor } from './own-ids.ts'
import { type Judged, type Outcome, outcomeOfTrial, type Plan } from './plan.ts'
import { type Summary, sumOf } from './summary.ts'

export interface JudgedBatch {
  animals: Judged[]
  refused: Refusal[]
  /** How often each was left out. */
  leftOut: Map<string, number>
}

interface Bringing extends Omit<Plan, 'now' | 'organizationId' | 'mayBeKnown'> {
  /** Of the key: all animals are its. */
  keyOrganization: number | undefined
  /** Whether to add animals of a file that came before. */
  again?: boolean
  /** Where the animals have ids in it. */
  idColumn?: string | undefined
  clock: () => number
  onRefused(refusal: Refusal): void
  onBatch(done: Summary): void
}

/** Counts what is done as it is done. */
export async function bringIn(
  { animals, refused, leftOut }: JudgedBatch,
  write: Writer['write'],
  options: Bringing,
  done: Summary,
): Promise<Pick<Outcome, 'bonded' | 'photographed'>> {
  const all = [...refused]
  const told: Pick<Outcome, 'bonded' | 'photographed'> = { bonded: [], photographed: [] }
  try {
    for (let rest = animals; rest.length > 0; ) {
      const { fingerprint: whole } = options
      const fingerprint =
        options.idColumn === undefined && whole ? fingerprintFor(options.fileOf, whole) : undefined
      const { source, fileOf, keyId, update, dryRun, keyOrganization: organizationId } = options
      const own = { source, fileOf, keyId, organizationId, update, dryRun }
      const mayBeKnown = options.again === true || done.added > 0
      const plan: Plan = { ...own, fingerprint, mayBeKnown, now: options.clock() }
      const attempt = () => write(changes.importBatch, rest, plan)
      const outcome = await attempt()
        // Somebody else brings the same animals in at the same time: once more, they are known.
        .catch((error) => (isTaken(error) ? attempt() : Promise.reject(error)))
        .catch(outcomeOfTrial)
      done.added += outcome.added
      done.updated += outcome.updated
      done.unchanged += outcome.unchanged
      all.push(...outcome.refused)
      told.bonded.push(...outcome.bonded)
      told.photographed.push(...outcome.photographed)
      for (const name of outcome.leftOut) leftOut.set(name, (leftOut.get(name) ?? 0) + 1)
      rest = rest.slice(outcome.taken)
    }
  } finally {
    done.refused += all.length
    done.leftOut = sumOf(done.leftOut, leftOut)
    all.sort((one, other) => one.line - other.line).forEach(options.onRefused)
    options.onBatch(done)
  }
  return told
}

/** An id or a number was free, and was given to another animal before this one had it. */
function isTaken(error: unknown): boolean {
  return isUniqueViolation(error) || (error instanceof ApiError && error.code === 'external_id_exists')
}
