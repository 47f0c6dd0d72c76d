import type { Generated } from 'kysely'

// The tables of animals and of the data of animals. All times are Unix times in milliseconds.

export interface CategoryTable {
  id: Generated<number>
  name: string
  /** The name as `fold` returns it, for comparisons; unique. */
  folded_name: string
  description: string | null
}

/** Suggested names of breeds and colors. */
export interface VocabularyTable {
  id: Generated<number>
  kind: 'breed' | 'color'
  category_id: number
  name: string
  /** The name as `fold` returns it; unique in its category and kind. */
  folded_name: string
}

export interface PetTable {
  id: Generated<number>
  name: string
  category_id: number
  status: string | null
  /** The shelter's own id for the animal; unique in its organization, or among the animals without one. */
  external_id: string | null
  organization_id: number | null
  /** JSON objects with the members that have no column, in display order. See src/pets/row.ts. */
  profile: string | null
  public_part: string | null
  staff_part: string | null
  /** JSON: the photos in display order; null for none. */
  photos: string | null
  /** For a copy of an animal of another installation: its page there. */
  source: Generated<string | null>
  /** When the stored age group expires. Null without an age group, or if the age group never ends. */
  age_due_at: number | null
  /** When the animal first became available, and when its status last changed. Null if unknown. */
  published_at: number | null
  status_changed_at: number | null
  created_at: number
  /** The key that added the animal. */
  created_by: number | null
  updated_at: number
  /** A new random number with each change: a count, as in older releases, would repeat after a restore. */
  version: number
}

/** The owner and the files of a photo. The row of the owner contains the description. */
export interface PhotoTable {
  id: Generated<number>
  /** Exactly one of the two ids is set. */
  pet_id: number | null
  organization_id: number | null
  /** A random value for the names of the files. Each upload draws a new one, so photos share no file. */
  hash: string
  /** SHA-256 of the uploaded bytes, in hexadecimal. Detects a repeated upload. */
  digest: string
  /** 1 until all files of the photo exist. */
  pending: number
  created_at: number
}

/** A removed photo whose files may still exist. */
export interface RemovedPhotoTable {
  hash: string
  removed_at: number
}

export interface PetChangeTable {
  id: Generated<number>
  pet_id: number
  /** The organization of the animal at the time of the change. This organization may see the whole change. */
  organization_id: number | null
  at: number
  key_id: number
  /** JSON: {member: {from, to}}. `from` is absent for an added member, and `to` for a removed one. */
  changes: string
}

/** The origin of an imported animal. With this row, a later import finds the animal and updates it. */
export interface PetSourceTable {
  id: Generated<number>
  /** A name for the program that exported the animal, or for the file. */
  source: string
  /** The id of the animal in the source. Unique per source and organization. */
  source_id: string
  pet_id: number
  /** The organization that imported the file; null for a file of the operator. */
  organization_id: number | null
}

/** The address of an imported photo. The row outlives the photo, so a later import does not add it again. */
export interface PhotoSourceTable {
  id: Generated<number>
  pet_id: number
  /** SHA-256 of the address, in hexadecimal. Unique per animal. */
  address_hash: string
  /** The id of the photo, which may have been removed. */
  photo_id: number
}

/** Counts of animals, maintained by triggers on pet. */
export interface InventoryTable {
  /** 0 for animals without an organization. */
  organization_id: number
  category_id: number
  /** `unlisted` for animals without a status. */
  status: string
  pets: number
}

/** The entry of an animal in the search index. On SQLite, its tokens are in another table. */
export interface PetSearchTable {
  pet_id: number
  /** The name in the form that lists sort by. */
  name: string
  /** When the animal was published, in Unix milliseconds. 0 if it was never published. */
  published: number
  updated: number
  /** Age group and birth date as one sort key. A higher key means a younger animal. */
  age: string
  /** Shelter ID and kennel as sort keys, for staff. */
  number: string
  kennel: string
  /** The day from which days in care count, as a number of days since 1970, for staff. */
  intake: number
  /** The token of the animal's place. Null if the animal has no place. */
  place: string | null
  /** The values that facets count, as the animal has them. One line per filter: a JSON array, or empty. */
  counted: string
  /** On PostgreSQL only. */
  tokens: string
}

/** On SQLite only: an FTS5 table with the tokens of animals. */
export interface PetTokensTable {
  rowid: number
  tokens: string
}

/** The tokens of all places that belong, or once belonged, directly to an animal. */
export interface SearchPlaceTable {
  place: string
}

/** The animals that the current transaction has changed. Triggers on pet add them. */
export interface SearchChangeTable {
  pet_id: number
  /** On SQLite only: the newest row has the highest number. */
  seq: Generated<number>
  /** On PostgreSQL only: the transaction that changed the animal. */
  transaction: Generated<string>
}

/** Organizations that moved. The index must still be updated for their animals with ids above `behind`. */
export interface SearchMoveTable {
  organization_id: number
  behind: number
}

/** An installation whose animals are copied. */
export interface FollowedTable {
  id: Generated<number>
  /** The address without /v1. */
  url: string
  /** The key with which the animals are read. Never shown. */
  api_key: string
  /** The organization that gets the copies. Null: one organization for each of the source. */
  organization_id: number | null
  /** The position in the feed of the source. Null if all animals must be copied again. */
  after: string | null
  /** The process that follows this source, until `leased_until`. */
  holder: string | null
  leased_until: Generated<number>
  /** Whether following ends: the copies are being removed. */
  ending: Generated<number>
  /** When the source was last read successfully, and the age of the latest change that was copied then. */
  read_at: number | null
  lag_ms: number | null
  last_error: string | null
  created_at: number
}

export interface FollowedPetTable {
  id: Generated<number>
  pet_id: number
  followed_id: number
  source_id: number
  source_created_at: number | null
}
