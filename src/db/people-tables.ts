import type { Generated } from 'kysely'
import type { Role } from '../access.ts'

// The tables of people who sign in, and of programs that do. Times are Unix times in milliseconds.

/** Somebody who signs in. One who was removed has no row: the key through which they acted stays. */
export interface StaffTable {
  id: Generated<number>
  /** Of a row in api_key without a secret: what they do is done by that key. */
  key_id: number
  email: string
  /** The address as it is compared: unique. */
  folded_email: string
  name: string
  role: Role
  /** Null for one who belongs to the whole installation. */
  organization_id: number | null
  /** As argon2id made it, in the form of PHC strings; null until they have chosen one. */
  password: string | null
  created_at: number
}

export interface StaffSessionTable {
  /** SHA-256 of the cookie's token, in hexadecimal. The token itself is nowhere. */
  hash: string
  staff_id: number
  created_at: number
  /** When it was used, some minutes late at most. */
  seen_at: number
}

/** A link that makes a password, once. */
export interface StaffLinkTable {
  /** SHA-256 of the link's token, in hexadecimal. */
  hash: string
  /** Null for the link that makes the first account. */
  staff_id: number | null
  kind: 'first' | 'invitation' | 'reset'
  expires_at: number
}

/** How often somebody has tried to sign in, by account and by address. */
export interface SignInTryTable {
  slot: number
  started_at: number
  tries: number
  blocked_until: number
  wait_ms: number
}

/** For an hour it stands for a client. No copy has it: programs ask for another one. */
export interface AccessTokenTable {
  /** SHA-256 of the token, in hexadecimal. */
  hash: string
  secret_hash: string
  /** Unix time in milliseconds. */
  expires_at: number
}
