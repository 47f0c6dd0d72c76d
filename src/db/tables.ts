import type { Generated, Kysely } from 'kysely'
import type { Access } from '../access.ts'
import type { Plan } from '../plans.ts'
import type * as animals from './animal-tables.ts'
import type { ApplicationTable } from './application-tables.ts'
import type * as people from './people-tables.ts'

/** The database, or a transaction in it: what every store function takes first. */
export type Db = Kysely<Tables>

export interface Tables {
  vocabulary: animals.VocabularyTable
  organization: OrganizationTable
  category: animals.CategoryTable
  pet: animals.PetTable
  photo: animals.PhotoTable
  removed_photo: animals.RemovedPhotoTable
  pet_search: animals.PetSearchTable
  pet_tokens: animals.PetTokensTable
  search_place: animals.SearchPlaceTable
  search_change: animals.SearchChangeTable
  search_move: animals.SearchMoveTable
  pet_change: animals.PetChangeTable
  pet_source: animals.PetSourceTable
  photo_source: animals.PhotoSourceTable
  imported_file: animals.ImportedFileTable
  adoption_order: AdoptionOrderTable
  adoption_order_pet: AdoptionOrderPetTable
  application: ApplicationTable
  inventory: animals.InventoryTable
  idempotency: IdempotencyTable
  api_key: ApiKeyTable
  api_key_secret: ApiKeySecretTable
  access_token: people.AccessTokenTable
  staff: people.StaffTable
  staff_session: people.StaffSessionTable
  staff_link: people.StaffLinkTable
  sign_in_try: people.SignInTryTable
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

/** A shelter or rescue; what is not compared or looked for is in its profile. */
interface OrganizationTable {
  id: Generated<number>
  code: string
  folded_code: string
  name: string
  folded_name: string
  country: string | null
  /** As it is compared. */
  region: string | null
  /** In millionths of a degree. */
  latitude: number | null
  longitude: number | null
  /** JSON: its members, in the order in which they are shown, but for the id, the photos and the times. */
  profile: string
  /** As an animal has them. */
  photos: string | null
  created_at: number
  updated_at: number
}

interface AdoptionOrderTable {
  id: Generated<number>
  pet_id: number
  /** JSON: the ids of those that are adopted with it; null for none. */
  also_pet_ids: string | null
  status: string
  /** JSON; null once it was erased. */
  adopter: string | null
  /** The key that placed it: with admin keys the only one that sees it. */
  placed_by: number
  /** Whose animal it was when it was placed: with that it stays. */
  organization_id: number | null
  placed_at: number
  /** Of the latest decision; in a closed order, when it was closed. */
  decided_at: number | null
}

/** An animal that an order takes beside its own. */
interface AdoptionOrderPetTable {
  id: Generated<number>
  order_id: number
  pet_id: number
}

/** What requests with an Idempotency-Key led to. */
interface IdempotencyTable {
  scope: string
  fingerprint: string
  /** JSON, without the adopter of an order or who applies: they stand in their own rows alone. */
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
  /** Null for one that belongs to the whole installation. */
  organization_id: number | null
  created_at: number
  revoked_at: number | null
  /** 1 for the one through which a member of staff acts: it has no secret, and is none of the keys listed. */
  for_staff: Generated<number>
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
