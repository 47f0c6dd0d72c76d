// Made by `npm run generate -w client`; changes here are lost.

/** What went wrong: of every error, by the catalogue of the service. */
export type ErrorCode =
  | 'invalid_json'
  | 'validation_failed'
  | 'invalid_parameter'
  | 'invalid_cursor'
  | 'bad_request'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'insufficient_access'
  | 'pet_not_found'
  | 'category_not_found'
  | 'order_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'category_exists'
  | 'category_in_use'
  | 'invalid_status_transition'
  | 'order_open'
  | 'order_closed'
  | 'pet_not_available'
  | 'idempotency_key_in_use'
  | 'endpoint_removed'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'rate_limit_exceeded'
  | 'api_key_banned'
  | 'headers_too_large'
  | 'internal_error'
  | 'service_unavailable'

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold'

/** An animal. Without a status it is not listed yet. */
export interface Pet {
  /** Unique identifier, assigned by the service. */
  id: number
  /**
   * The animal's name: stored and returned exactly as sent. At least one character is not a space. No control
   * characters or lone surrogates.
   */
  name: string
  /** Identifier of the category the animal belongs to. */
  categoryId: number
  status?: PetStatus
}

/** A page of animals. */
export type Pets = Pet[]

/** What is wrong with one part of the request. */
export interface ErrorDetail {
  /** The member of the body (RFC 6901). */
  pointer?: string
  /** The query parameter. */
  parameter?: string
  /** What is wrong; there may be more. */
  code: 'missing' | 'invalid_type' | 'invalid_value' | 'out_of_range' | 'too_long' | 'unknown_category'
  message: string
}

export interface ErrorBody {
  /**
   * Machine-readable error code; it never changes for a condition. There may be more: treat one that you do
   * not know by its status.
   */
  code: ErrorCode
  /** What went wrong and what to do, for a person. */
  message: string
  /** The HTTP status code of the response. */
  status: number
  /** Every problem of the request; only with a 400. */
  details?: ErrorDetail[]
}

/** An animal to add. Members other than these are ignored. */
export interface NewPet {
  /**
   * The animal's name: stored and returned exactly as sent. At least one character is not a space. No control
   * characters or lone surrogates.
   */
  name: string
  /** Identifier of the category the animal belongs to. */
  categoryId: number
  status?: PetStatus | undefined
}

/** What to change of an animal (RFC 7396); members that are absent stay as they are. */
export interface PetPatch {
  /**
   * The animal's name: stored and returned exactly as sent. At least one character is not a space. No control
   * characters or lone surrogates.
   */
  name?: string | undefined
  /** Identifier of the category the animal belongs to. */
  categoryId?: number | undefined
  status?: PetStatus | undefined
}

export interface PetChange {
  at: string
  /** The API key that made the change. */
  keyId: number
  /** Each changed member, with its value before, if it had one, and after. */
  changes: Record<string, { from?: unknown; to: unknown }>
}

/** The changes of an animal, newest first, at most 100. */
export type PetHistory = PetChange[]

/** A kind of animal. */
export interface Category {
  id: number
  /**
   * Unique, whatever the case of its letters. At least one character is not a space. No control characters or
   * lone surrogates.
   */
  name: string
  /** At least one character is not a space. No control characters or lone surrogates. */
  description?: string
}

/** By id. */
export type Categories = Category[]

/** A category to add. Members other than these are ignored. */
export interface NewCategory {
  /**
   * Unique, whatever the case of its letters. At least one character is not a space. No control characters or
   * lone surrogates.
   */
  name: string
  /** At least one character is not a space. No control characters or lone surrogates. */
  description?: string | undefined
}

/** What to change of a category (RFC 7396); members that are absent stay as they are, null removes one. */
export interface CategoryPatch {
  /**
   * Unique, whatever the case of its letters. At least one character is not a space. No control characters or
   * lone surrogates.
   */
  name?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  description?: string | null | undefined
}

export interface Counts {
  /** Animals that wait for a home. */
  available: number
  /** Animals that somebody wants. */
  pending: number
  /** Animals that found a home. */
  sold: number
  /** Animals without a status. */
  unlisted: number
}

export interface CategoryCounts {
  categoryId: number
  /** Animals that wait for a home. */
  available: number
  /** Animals that somebody wants. */
  pending: number
  /** Animals that found a home. */
  sold: number
  /** Animals without a status. */
  unlisted: number
}

/** How many animals stand in each status. */
export interface Inventory {
  overall: Counts
  /** Every category, by id. */
  categories: CategoryCounts[]
}

/** Open while placed or approved; closed once completed or cancelled. */
export type OrderStatus = 'placed' | 'approved' | 'completed' | 'cancelled'

/** Who wants the animal: shown only to the key that placed the order and to admin keys. */
export interface Adopter {
  /** At least one character is not a space. No control characters or lone surrogates. */
  name: string
  email: string
  /** At least one character is not a space. No control characters or lone surrogates. */
  phone?: string | undefined
  /**
   * At least one character is not a space. No lone surrogates, and of control characters only line ends and
   * tabs.
   */
  message?: string | undefined
}

/** Somebody wants an animal. The adopter is erased some time after the order was closed. */
export interface Order {
  /** Unique identifier, assigned by the service. */
  id: number
  /** Identifier of the animal. */
  petId: number
  status: OrderStatus
  placedAt: string
  adopter?: Adopter
  /** When it was approved, and later closed. */
  decidedAt?: string
}

/** A page of orders, newest first. */
export type Orders = Order[]

/** An order to place. Members other than these are ignored. */
export interface NewOrder {
  /** Identifier of an animal that is available. */
  petId: number
  adopter: Adopter
}

/** What to decide about an order (RFC 7396). Members other than this are ignored. */
export interface OrderPatch {
  status?: OrderStatus | undefined
}
