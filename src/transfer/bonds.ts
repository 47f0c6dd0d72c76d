import { changes } from '../db/change.ts'
import type { Writer } from '../db/write.ts'
import { quoted, type Refusal, Refused } from './animal.ts'
import { refusalFor } from './import-batch.ts'
import type { Outcome } from './plan.ts'

interface Bonding {
  keyId: number | null
  organizationId: number | undefined
  clock: () => number
  onRefused(refusal: Refusal): void
}

/**
 * Bonds imported animals, once all of them are there. All of a bond
 * say the same of it, so that one of them is enough.
 */
export async function bondAll(
  bonded: Outcome['bonded'],
  write: Writer['write'],
  { keyId, organizationId, clock, onRefused }: Bonding,
): Promise<void> {
  const ids = new Map(bonded.map(({ id, petId }) => [id, petId]))
  const done = new Set<number>()
  for (const { line, id, petId, with: others } of bonded) {
    if (done.has(petId)) continue
    const bondedWith = others.flatMap((other) => ids.get(other) ?? [])
    for (const one of bondedWith) done.add(one)
    try {
      const lacking = others.filter((other) => !ids.has(other))
      if (lacking.length > 0)
        throw new Refused({
          code: 'bond_lacking',
          value: quoted(lacking.join(', ')),
          message: `It came without its bond: ${lacking.join(', ')} did not come.`,
        })
      const by = { keyId, organizationId }
      await write(changes.updatePet, { bondedWith }, { id: petId, by, now: clock() })
    } catch (error) {
      const { reason, why } = refusalFor(error)
      onRefused({ line, id, reason: `bondedWith: ${reason}`, why })
    }
  }
}
