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
