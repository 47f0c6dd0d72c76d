import type { OutgoingHttpHeaders } from 'node:http'

/** A complete answer of the bare server. */
export interface Answer {
  status: number
  headers: OutgoingHttpHeaders
  body: string
}

/** Answers by method and path; ANY is for all other paths. */
export type Answers = Record<string, Answer>

export const ANY = '*'
