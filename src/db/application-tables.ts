import type { Generated } from 'kysely'

/** Somebody would like to adopt an animal. Times are Unix times in milliseconds. */
export interface ApplicationTable {
  id: Generated<number>
  pet_id: number
  /** Whose animal it is; of a closed one, whose it was. */
  organization_id: number | null
  status: string
  /** Why it was declined, where nobody decided about it itself. */
  reason: string | null
  /** JSON: the applicant, their message and answers; null once they were erased. */
  applicant: string | null
  /** For staff, and erased with the applicant. */
  note: string | null
  /** For the applicant, and erased with them. */
  reply: string | null
  /** SHA-256 of the private link, in hexadecimal; null where there is none. */
  link_hash: string | null
  /** Null for one that came from the form, which needs no key. */
  placed_by: number | null
  received_at: number
  /** Null while it is open. */
  decided_at: number | null
  /** The key; null where the applicant withdrew. */
  decided_by: number | null
  /** When nothing could come of it any more, or its adoption was complete: the erasure counts from here. */
  closed_at: number | null
  /** That an approval placed, while it is not cancelled. */
  order_id: number | null
}
