import type { Generated, Kysely } from 'kysely'
import type { Access, Role } from '../access.ts'
import type { Plan } from '../plans.ts'
import type * as animals from './animal-tables.ts'

/** The database or a transaction. Every store function takes it as its first argument. */
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
  adoption_order: AdoptionOrderTable
  adoption_order_pet: AdoptionOrderPetTable
  application: ApplicationTable
  outbox: OutboxTable
  inventory: animals.InventoryTable
  idempotency: IdempotencyTable
  api_key: ApiKeyTable
  api_key_secret: ApiKeySecretTable
  access_token: AccessTokenTable
  staff: StaffTable
  staff_session: StaffSessionTable
  staff_link: StaffLinkTable
  sign_in_try: SignInTryTable
  event: EventTable
  event_log: EventLogTable
  webhook: WebhookTable
  delivery: DeliveryTable
  followed: animals.FollowedTable
  followed_pet: animals.FollowedPetTable
  counter: CounterTable
  secret: SecretTable
  claim: ClaimTable
  installation: InstallationTable
  known_time: KnownTimeTable
  job: JobTable
}

/** On PostgreSQL only: the process that may write counters. Not copied. */
interface ClaimTable {
  /** Always 1. */
  id: number
  /** The token that the latest process to claim the database has chosen. */
  token: string
}

/** The identity of the store. The table has one row. */
interface InstallationTable {
  only_row: number
  /** The id of the installation. Null before the first start. */
  id: string | null
  /** The location of the store at its last start; null in a backup. */
  home: string | null
  /** The Redis that has the shared counters. Null if the counters are not shared. */
  counter_store: string | null
  /** 1 if the service had a mail server at its last start. Otherwise changes add no e-mails to the outbox. */
  sends_email: Generated<number>
}

/** The secrets of the installation, in hexadecimal. */
interface SecretTable {
  name: string
  value: string
}

/** The time that has certainly passed, whatever the clock says. The table has one row. See decision 13. */
interface KnownTimeTable {
  name: 'known'
  at: number
  /** The value of `at` when a start last counted the time during which the service was stopped. */
  credited_at: number
  /** More than 0 while the files may contain bytes of erased data. */
  scrub_due: Generated<number>
  /** More than 0 if the tables of animals may also contain bytes of erased data. */
  animals_scrub_due: Generated<number>
}

/** Background jobs. A job has a row after its first run. See decision 19. */
interface JobTable {
  name: string
  /** A random name for the process that has the lease; null while the job is free. */
  holder: string | null
  /** A number that rises with every change of the row. If it stops rising, the lease has expired. */
  beat: number
  /** The earliest time of the next run, after a failure. Otherwise 0. */
  due_at: number
  /** The number of consecutive failures. */
  failures: Generated<number>
  /** When the job last succeeded. */
  ended_at: number | null
}

/** A shelter or rescue. Members that no query uses are in `profile`. */
interface OrganizationTable {
  id: Generated<number>
  code: string
  folded_code: string
  name: string
  folded_name: string
  country: string | null
  /** Folded for comparisons, as `fold` returns it. */
  region: string | null
  /** Coordinates in millionths of a degree. */
  latitude: number | null
  longitude: number | null
  /** JSON: all members except id, photos and times, in display order. */
  profile: string
  /** JSON: the photos, as in `pet`. */
  photos: string | null
  /** For a copy of an organization of another installation: its page there. */
  source: Generated<string | null>
  created_at: number
  updated_at: number
}

interface AdoptionOrderTable {
  id: Generated<number>
  pet_id: number
  /** JSON: the ids of the animals that are adopted together with `pet_id`; null for none. */
  also_pet_ids: string | null
  status: string
  /** JSON; null after the erasure. */
  adopter: string | null
  /** The key that placed the order. Only this key and admin keys can see it. */
  placed_by: number
  /** The organization of the animal when the order was placed. This value never changes. */
  organization_id: number | null
  placed_at: number
  /** The time of the latest decision. In a closed order, the time of its closing. */
  decided_at: number | null
}

/** A further animal of an order. */
interface AdoptionOrderPetTable {
  id: Generated<number>
  order_id: number
  pet_id: number
}

/** The results of requests with an Idempotency-Key. */
interface IdempotencyTable {
  scope: string
  fingerprint: string
  /** JSON without personal data of adopters and applicants, which only orders and applications have. */
  result: string | null
  expires_at: number
}

/** Times are Unix times in milliseconds, in every table. */
interface ApiKeyTable {
  id: Generated<number>
  name: string
  plan: Plan
  access: Access
  /** The limits of an enterprise key; null for other plans. */
  per_minute: number | null
  per_day: number | null
  /** Null for a key of the whole installation. */
  organization_id: number | null
  created_at: number
  revoked_at: number | null
  /** 1 for the key of a member of staff. It has no secret and is not listed among the API keys. */
  for_staff: Generated<number>
}

interface ApiKeySecretTable {
  /** SHA-256 of the whole key, in hexadecimal. The key itself is not stored. */
  hash: string
  key_id: number
  created_at: number
  /** Set by a rotation. From this time on, the secret is invalid. */
  expires_at: number | null
}

/** Upper bounds of the requests a caller has used. Written before they are used, so a crash loses none. */
interface CounterTable {
  caller: string
  minute_started_at: number
  minute_used: number
  day_started_at: number
  day_used: number
  banned_until: number
  ban_seconds: number
  /** From this time on, the row can be deleted. */
  expires_at: number
}

interface ApplicationTable {
  id: Generated<number>
  pet_id: number
  /** The organization of the animal. In a closed application, its organization at the time of the closing. */
  organization_id: number | null
  status: string
  /** The reason of an automatic decline. Null if a person decided. */
  reason: string | null
  /** JSON: the applicant, their message and answers; null after the erasure. */
  applicant: string | null
  /** A note for staff. It is erased together with the applicant. */
  note: string | null
  /** A message to the applicant. It is erased together with the applicant. */
  reply: string | null
  /** The language of the form. Null if not sent by the form, or erased; then no e-mails are sent. */
  language: string | null
  /** SHA-256 of the private link, in hexadecimal. Null if the application has no link. */
  link_hash: string | null
  /** The key that sent the application. Null if the application came from the public form. */
  placed_by: number | null
  received_at: number
  /** Null while the application is open. */
  decided_at: number | null
  /** The key that decided. Null if the applicant withdrew the application. */
  decided_by: number | null
  /** When the application was closed or its adoption completed. The erasure comes a fixed time later. */
  closed_at: number | null
  /** The order that the approval placed. Null before an approval, and after the order was cancelled. */
  order_id: number | null
}

/**
 * E-mails about applications that are still to be sent. They have neither addresses nor texts: these are read
 * from the application when the e-mail is sent. A row is removed when its e-mail was sent.
 */
interface OutboxTable {
  id: Generated<number>
  application_id: number
  kind: 'receipt' | 'decision' | 'reply' | 'notice'
  /** The private link; null except for a receipt. */
  link: string | null
  /** Rises if the same e-mail becomes due again before it was sent. */
  version: Generated<number>
  /** How often the mail server has refused the e-mail. */
  attempts: Generated<number>
  created_at: number
  /** The earliest time of the next attempt. Null after the last one. */
  due_at: number | null
}

/** A person who signs in. After a removal, only the key through which the person acted remains. */
interface StaffTable {
  id: Generated<number>
  /** A row in api_key without a secret. Everything this person does is recorded under this key. */
  key_id: number
  email: string
  /** The address in the form for comparisons; unique. It includes the organization until the person joins. */
  folded_email: string
  name: string
  role: Role
  /** Null for staff of the whole installation. */
  organization_id: number | null
  /** An argon2id hash as a PHC string; null until the person has chosen a password. */
  password: string | null
  created_at: number
}

interface StaffSessionTable {
  /** SHA-256 of the cookie's token, in hexadecimal. The token itself is not stored. */
  hash: string
  staff_id: number
  created_at: number
  /** The last use, accurate to some minutes. */
  seen_at: number
}

/** A link with which a person sets a password. The link works only once. */
interface StaffLinkTable {
  /** SHA-256 of the link's token, in hexadecimal. */
  hash: string
  /** Null for the link that creates the first account. */
  staff_id: number | null
  kind: 'first' | 'invitation' | 'reset'
  expires_at: number
}

/** Failed attempts to sign in, by account and by client address. */
interface SignInTryTable {
  slot: number
  started_at: number
  tries: number
  blocked_until: number
  wait_ms: number
}

/** Access tokens of OAuth clients under /v2, for an hour. Not copied: clients can request new ones. */
interface AccessTokenTable {
  /** SHA-256 of the token, in hexadecimal. */
  hash: string
  secret_hash: string
  /** Unix time in milliseconds. */
  expires_at: number
}

/** A change of an animal, category, organization, order, application or photo. See decision 32. */
interface EventTable {
  id: Generated<number>
  type: string
  at: number
  /** The animal, organization or category of the event, such as pet:5. */
  subject: string
  /**
   * The audience of the event. `public`: every key. `internal`: staff of the organization. `confidential`:
   * callers who may see the orders and applications of the organization.
   */
  audience: 'public' | 'internal' | 'confidential'
  organization_id: number | null
  /** JSON: ids, names of changed members, and statuses. It has no personal data. */
  data: string
}

/** The table has one row. */
interface EventLogTable {
  name: 'log'
  /** The last event that was removed because of its age; 0 if none was. */
  removed_to: Generated<number>
  /** The last event whose deliveries were added. */
  queued_to: Generated<number>
}

interface WebhookTable {
  id: Generated<number>
  /** Null for a webhook that gets the events of all organizations. */
  organization_id: number | null
  url: string
  /** JSON: the types of events that are sent. An empty list means all. */
  types: string
  description: string | null
  /** Signs deliveries: whsec_ and 32 bytes in Base64. */
  secret: string
  /** The secret before the last rotation, which signs too until it expires. */
  old_secret: string | null
  old_secret_expires_at: number | null
  enabled: Generated<number>
  /** Why the service has disabled the webhook. Null if a person did. */
  disabled_reason: string | null
  /** The time of the first failure since the last success. */
  failing_since: number | null
  /** No delivery begins before this time, because the endpoint asked for a pause. */
  paused_until: Generated<number>
  created_at: number
  /** The last event when the webhook was enabled or became `behind`. Only later events are added. */
  last_event_id: number
  /** Whether later events wait until fewer deliveries are pending. */
  behind: Generated<number>
}

interface DeliveryTable {
  id: Generated<number>
  webhook_id: number
  /** Null for a test. */
  event_id: number | null
  /** The subject of the event, such as pet:5. Deliveries with the same subject are sent in order. */
  subject: string
  status: 'pending' | 'delivered' | 'failed'
  attempts: Generated<number>
  due_at: number
  /** Until this time, one process is sending the delivery. 0 if none is. */
  leased_until: Generated<number>
  attempted_at: number | null
  /** The HTTP status of the last response. Null if there was none. */
  response_status: number | null
  /** The beginning of the last response, or the reason why there was none. */
  response_body: string | null
  created_at: number
}
