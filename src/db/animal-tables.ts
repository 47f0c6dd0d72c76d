import type { Generated } from 'kysely'

// The tables of animals and what belongs to them. Times are Unix times in milliseconds.

export interface CategoryTable {
  id: Generated<number>
  name: string
  /** The name as it is compared: unique. */
  folded_name: string
  description: string | null
}

/** Names of breeds and colors, as suggestions. */
export interface VocabularyTable {
  id: Generated<number>
  kind: 'breed' | 'color'
  category_id: number
  name: string
  /** The name as it is compared: unique in its category. */
  folded_name: string
}

export interface PetTable {
  id: Generated<number>
  name: string
  category_id: number
  status: string | null
  /** The number that its shelter gave it, unique in the organization, or among those of none. */
  external_id: string | null
  organization_id: number | null
  /** JSON objects of its other members, in the order in which they are shown; src/pets/row.ts tells which. */
  profile: string | null
  public_part: string | null
  staff_part: string | null
  /** JSON: its photos in their order, as KeptPhoto of src/photos/storage/kept.ts; null for none. */
  photos: string | null
  /** From when on its age group is no longer right; null where that follows from nothing, or never ends. */
  age_due_at: number | null
  /** When it was available first, and when its status became what it is; null where that was not kept. */
  published_at: number | null
  status_changed_at: number | null
  created_at: number
  /** The key that added it. */
  created_by: number | null
  updated_at: number
  /** Drawn anew with every change, so that none comes back after a restore; older releases counted. */
  version: number
}

/** Whose a photo is, and what its files are called. What is shown of it stands in the row of its owner. */
export interface PhotoTable {
  id: Generated<number>
  /** One of the two. */
  pet_id: number | null
  organization_id: number | null
  /** Its files are named by it; drawn with each upload, so that no two photos share a file. */
  hash: string
  /** SHA-256 of what was sent, in hexadecimal: the same picture is not taken twice. */
  digest: string
  /** 1 while some of its files are still to be made. */
  pending: number
  created_at: number
}

/** A photo that is gone, while its files may still be there. */
export interface RemovedPhotoTable {
  hash: string
  removed_at: number
}

export interface PetChangeTable {
  id: Generated<number>
  pet_id: number
  at: number
  key_id: number
  /** JSON: {member: {from, to}}; a member that was absent is absent there too. */
  changes: string
}

/** A file whose animals have no ids that tell them apart: it is known when it comes again. */
export interface ImportedFileTable {
  fingerprint: string
  first_pet_id: number
  /** Unix time in milliseconds; 0 where that was not kept yet. */
  imported_at: number
}

/** Where an imported animal came from, so that it is known when it comes again. */
export interface PetSourceTable {
  id: Generated<number>
  /** A name for the program or the file. */
  source: string
  /** The id the animal has there; unique in its source, for each organization. */
  source_id: string
  pet_id: number
  /** Whose file had the id; null for an operator's, which may have animals of many. */
  organization_id: number | null
}

/** The address that a photo of an imported animal came from. It stays when the photo is removed. */
export interface PhotoSourceTable {
  id: Generated<number>
  pet_id: number
  /** SHA-256 of the address, in hexadecimal; unique for an animal. */
  address_hash: string
  /** Of a photo that may be gone. */
  photo_id: number
}

/** Kept by triggers on pet. */
export interface InventoryTable {
  /** 0 for those of none. */
  organization_id: number
  category_id: number
  /** unlisted stands for animals without one. */
  status: string
  pets: number
}

/** What is searched of an animal beside its tokens. Derived from it. */
export interface PetSearchTable {
  pet_id: number
  /** Its name as it is sorted. */
  name: string
  /** When it was published, in Unix milliseconds; 0 for never. */
  published: number
  updated: number
  /** Its age group and birth date: the higher, the younger. */
  age: string
  /** The token of where it is; null for nowhere. */
  place: string | null
  /** A JSON array of its values, as they are written, which facets count. */
  counted: string
  /** In PostgreSQL alone. */
  tokens: string
}

/** In SQLite alone: the tokens of animals, a table of FTS5. */
export interface PetTokensTable {
  rowid: number
  tokens: string
}

/** Tokens of all places where an animal has been that has one of its own. */
export interface SearchPlaceTable {
  place: string
}

/** Animals that the transaction under way has changed. Kept by triggers on pet. */
export interface SearchChangeTable {
  pet_id: number
  /** In SQLite alone: the newest is the highest. */
  seq: Generated<number>
  /** In PostgreSQL alone: which one. */
  transaction: Generated<string>
}

/** Organizations that moved. Their animals behind an id are still to be brought up to date. */
export interface SearchMoveTable {
  organization_id: number
  behind: number
}
