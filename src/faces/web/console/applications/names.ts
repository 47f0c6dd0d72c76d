import type { Context } from '../../../../context.ts'
import * as pets from '../../../../pets/store.ts'
import type { Texts } from '../../texts/texts.ts'

export interface Named {
  name: string
  bondedWith: number[]
  status: string | undefined
}

/** Of the animals that applications are about; those whose record is removed are absent. */
export async function animalsOf(
  { db }: Pick<Context, 'db'>,
  petIds: readonly number[],
): Promise<Map<number, Named>> {
  const found = await pets.findMany(db, [...new Set(petIds)])
  return new Map(
    found.map(({ id, name, status, bondedWith = [] }) => [
      id,
      { name, status, bondedWith: bondedWith as number[] },
    ]),
  )
}

export const nameOf = (
  animals: ReadonlyMap<number, Named>,
  petId: number,
  { applications }: Texts['console'],
): string => animals.get(petId)?.name ?? applications.gone(petId)
