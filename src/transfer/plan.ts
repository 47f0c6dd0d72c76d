import type { Adding } from '../pets/insert.ts'
import type { NewPet } from '../pets/schema.ts'
import type { Point } from '../places/distance.ts'
import type { Photographed, PhotoList, Refusal } from './animal.ts'
import type { Origin } from './store.ts'

// What an import gives to the store, and what it hears of it.

/** What `POST /v1/pets` would take, and what is taken back of an animal that is there already. */
export type Read = NewPet & { takenBack?: string[] }

/** An animal as it may be added, and where it was read. */
export interface Judged {
  line: number
  sourceId: string | undefined
  pet: Read
  /** Not for adoption in its source. */
  unlisted: boolean
  bond?: Bond | undefined
  photos?: PhotoList | undefined
  /** In our own form: a number that is taken is a mistake. Other programs may give one several times. */
  isOurs: boolean
  /** Of its postcode or city, where the file has no coordinates. */
  point?: Point | undefined
}

/** With whom an animal is adopted, by the ids of the file. */
export interface Bond {
  line: number
  id: string
  with: string[]
}

export interface Outcome {
  added: number
  updated: number
  /** Was imported before, and is still the same. */
  unchanged: number
  refused: Refusal[]
  /** How many of the animals these were, from the first on. */
  taken: number
  /** Those that are bonded, whose others may come later. */
  bonded: (Bond & { petId: number })[]
  photographed: Photographed[]
  /** Names of members that were left out, each time. */
  leftOut: string[]
}

export interface Plan extends Adding, Origin {
  /** The organization of the key, if it belongs to one. */
  organizationId?: number | undefined
  /** Whether an animal that was imported before is changed; else it is refused. */
  update: boolean
  dryRun: boolean
  /** Of a file whose animals have no ids: it is known when it comes again. */
  fingerprint?: string | undefined
  /** Whether the file may be known: it is by now, or its animals are to be added once more. */
  mayBeKnown: boolean
}

const TRIED = 'this was only tried: '

/** Takes a batch back that was only tried. Of an error from another thread only the message is left. */
export class Tried extends Error {
  constructor(outcome: Outcome) {
    super(TRIED + JSON.stringify(outcome))
  }
}

/** What a batch would have done. @throws what is no such error */
export function outcomeOfTrial(error: unknown): Outcome {
  const { message = '' } = error as { message?: string }
  if (!message.startsWith(TRIED)) throw error
  return JSON.parse(message.slice(TRIED.length))
}
