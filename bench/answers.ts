import type { OutgoingHttpHeaders } from 'node:http'

/** What the bare server answers with, ready to be sent. */
export interface Answer {
  status: number
  headers: OutgoingHttpHeaders
  body: string
}

/** By method and address; the one for ANY is for every address that has none of its own. */
export type Answers = Record<string, Answer>

export const ANY = '*'
