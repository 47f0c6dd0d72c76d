import type { Generated, Kysely } from 'kysely'
import type { Access } from '../access.ts'
import type { Plan } from '../plans.ts'

/** The database, or a transaction in it: what every store function takes first. */
export type Db = Kysely<Tables>

export interface Tables {
  category: CategoryTable
  pet: PetTable
  pet_change: PetChangeTable
  pet_source: PetSourceTable
  adoption_order: AdoptionOrderTable
  inventory: InventoryTable
  idempotency: IdempotencyTable
  api_key: ApiKeyTable
  api_key_secret: ApiKeySecretTable
  counter: CounterTable
  secret: SecretTable
}

/** What this installation keeps to itself, by name; in hexadecimal. */
interface SecretTable {
  name: string
  value: string
}

interface CategoryTable {
  id: Generated<number>
  name: string
  /** The name as it is compared: unique. */
  folded_name: string
  description: string | null
}

interface PetTable {
  id: Generated<number>
  name: string
  /** An int64: as a bigint where a number would not be exact. */
  category_id: number | bigint
  status: string | null
  created_at: number
  /** The key that added it. */
  created_by: number | null
  updated_at: number
  /** Grows by one with every change. */
  version: Generated<number>
}

interface PetChangeTable {
  id: Generated<number>
  pet_id: number
  at: number
  key_id: number
  /** JSON: {member: {from, to}}; a member that was absent is absent there too. */
  changes: string
}

/** Where an imported animal came from, so that it is known when it comes again. */
interface PetSourceTable {
  id: Generated<number>
  /** A name for the program or the file. */
  source: string
  /** The id the animal has there; unique in its source. */
  source_id: string
  pet_id: number
}

interface AdoptionOrderTable {
  id: Generated<number>
  /** An int64: as a bigint where a number would not be exact. */
  pet_id: number | bigint
  status: string
  /** JSON; null once it was erased. */
  adopter: string | null
  /** The key that placed it: with admin keys the only one that sees it. */
  placed_by: number
  placed_at: number
  /** Of the latest decision; in a closed order, when it was closed. */
  decided_at: number | null
}

/** Kept by triggers on pet. */
interface InventoryTable {
  category_id: number
  /** unlisted stands for animals without one. */
  status: string
  pets: number
}

/** What requests with an Idempotency-Key led to. */
interface IdempotencyTable {
  scope: string
  fingerprint: string
  /** JSON. */
  result: string | null
  expires_at: number
}

/** Times are Unix times in milliseconds, in every table. */
interface ApiKeyTable {
  id: Generated<number>
  name: string
  plan: Plan
  access: Access
  /** Only an enterprise key has its own figures. */
  per_minute: number | null
  per_day: number | null
  created_at: number
  revoked_at: number | null
}

interface ApiKeySecretTable {
  /** SHA-256 of the whole key, in hexadecimal. The key itself is nowhere. */
  hash: string
  key_id: number
  created_at: number
  /** Set by a rotation: from then on this secret no longer opens the key. */
  expires_at: number | null
}

/**
 * What a caller may at most have used of its windows: written before it is used, so a crash forgets
 * nothing.
 */
interface CounterTable {
  caller: string
  minute_started_at: number
  minute_used: number
  day_started_at: number
  day_used: number
  banned_until: number
  ban_seconds: number
  /** From then on the row says nothing any more. */
  expires_at: number
}
