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
  imported_file: ImportedFileTable
  adoption_order: AdoptionOrderTable
  inventory: InventoryTable
  idempotency: IdempotencyTable
  api_key: ApiKeyTable
  api_key_secret: ApiKeySecretTable
  counter: CounterTable
  secret: SecretTable
  claim: ClaimTable
  installation: InstallationTable
  known_time: KnownTimeTable
  job: JobTable
}

/** On PostgreSQL alone: which process may write counters. No copy has it. */
interface ClaimTable {
  /** Always 1. */
  id: number
  /** Chosen by the process that claimed the database last. */
  token: string
}

/** What a store knows of itself: one row. */
interface InstallationTable {
  only_row: number
  /** Null before the first start. */
  id: string | null
  /** Where the store lay at its last start; null in a backup, which may lie anywhere. */
  home: string | null
  /** Where its counters are shared; null while they are not. */
  counter_store: string | null
}

/** What this installation keeps to itself, by name; in hexadecimal. */
interface SecretTable {
  name: string
  value: string
}

/** One row: how much time has passed as far as this store can know. Decision 13. */
interface KnownTimeTable {
  name: 'known'
  at: number
  /** What was known when a start last counted the time for which the service was stopped. */
  credited_at: number
  /** 1 while bytes of what was erased may be left in the files. */
  scrub_due: Generated<number>
}

/** What is done beside the requests, once it was done for the first time. Decision 19. */
interface JobTable {
  name: string
  /** The process that holds the lease, by a name drawn for this one time; null while nobody does. */
  holder: string | null
  /** Raised by whatever happens to the row: a lease under which it stands still is over. */
  beat: number
  /** Before then nobody takes it; 0 unless it failed. */
  due_at: number
  /** Of tries in a row. */
  failures: Generated<number>
  /** When it last went well. */
  ended_at: number | null
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
  /** JSON objects of its other members, in the order in which they are shown; src/pets/row.ts tells which. */
  profile: string | null
  public_part: string | null
  staff_part: string | null
  /** From when on its age group is no longer right; null where that follows from nothing, or never ends. */
  age_due_at: number | null
  created_at: number
  /** The key that added it. */
  created_by: number | null
  updated_at: number
  /** Drawn anew with every change, so that none comes back after a restore; older releases counted. */
  version: number
}

interface PetChangeTable {
  id: Generated<number>
  pet_id: number
  at: number
  key_id: number
  /** JSON: {member: {from, to}}; a member that was absent is absent there too. */
  changes: string
}

/** A file whose animals have no ids that tell them apart: it is known when it comes again. */
interface ImportedFileTable {
  fingerprint: string
  first_pet_id: number
  /** Unix time in milliseconds; 0 where that was not kept yet. */
  imported_at: number
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
  /** JSON, without the adopter of an order: that stands in the order alone. */
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
