import { blockOf } from './bits.ts'
import type { IndexState } from './state.ts'

/** An animal that has changed since the index was brought up to date, as it is now. */
export interface RecentAnimal {
  /** Undefined for one that is gone. */
  version: number | undefined
  tokens: ReadonlySet<string> | undefined
  /** By the name of an order, where it stands in it. */
  keys: ReadonlyMap<string, string>
}

/** What the index does not know yet, as of one moment. */
export interface Recent {
  state: IndexState
  animals: ReadonlyMap<number, RecentAnimal>
  inBlock(block: number): ReadonlyMap<number, RecentAnimal>
}

const NONE: ReadonlyMap<number, RecentAnimal> = new Map()

export function recentOf(state: IndexState, animals: Map<number, RecentAnimal>): Recent {
  const blocks = new Map<number, Map<number, RecentAnimal>>()
  for (const [id, animal] of animals) {
    const block = blockOf(id)
    blocks.set(block, (blocks.get(block) ?? new Map()).set(id, animal))
  }
  return { state, animals, inBlock: (block) => blocks.get(block) ?? NONE }
}
