import type { Fetched } from './fetch-photos.ts'
import type { NotUnderstood } from './left-out.ts'

export interface Summary {
  added: number
  updated: number
  unchanged: number
  refused: number
  /** How often animals had something that has no place here, by its name in the file. */
  leftOut: Record<string, number>
  /** Where the file has what was not understood, the first ones; all are counted in `leftOut`. */
  notUnderstood?: NotUnderstood[]
  /** Animals of the source that the file has no more, where something is done about them. */
  removed?: number
  photos?: Fetched
}

/** A file could not be read to its end, or the store no longer be written: what was done before stays. */
export class EndedEarly extends Error {
  readonly done: Summary

  constructor(done: Summary, cause: Error) {
    super(cause.message, { cause })
    this.done = done
  }
}

export function linesIn({ added, updated, unchanged, refused }: Summary): number {
  return added + updated + unchanged + refused
}

/** Columns may have any name, also one that every object has. */
export function sumOf(counts: Record<string, number>, more: Map<string, number>): Record<string, number> {
  const sum = new Map(Object.entries(counts))
  for (const [name, count] of more) sum.set(name, (sum.get(name) ?? 0) + count)
  return Object.fromEntries(sum)
}
