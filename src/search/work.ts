import type { Clause } from './question.ts'

/** What a question may still read. */
export interface Work {
  /** Rows of the index. */
  left: number
  /** Bytes of what each clause found in the blocks that were read last, for one block. */
  sizes: Map<Clause, number>
}

export const work = (rows: number): Work => ({ left: rows, sizes: new Map() })

/** To look at an animal itself costs as much as so many rows of the index. */
export const ROWS_TO_LOOK_AT = 30
