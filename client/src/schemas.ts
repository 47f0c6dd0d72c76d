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
  | 'other_organization'
  | 'pet_not_found'
  | 'category_not_found'
  | 'breed_not_found'
  | 'color_not_found'
  | 'organization_not_found'
  | 'photo_not_found'
  | 'order_not_found'
  | 'application_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'category_exists'
  | 'category_in_use'
  | 'breed_exists'
  | 'color_exists'
  | 'organization_exists'
  | 'organization_in_use'
  | 'external_id_exists'
  | 'invalid_status_transition'
  | 'too_many_photos'
  | 'order_open'
  | 'order_closed'
  | 'application_closed'
  | 'pet_not_available'
  | 'bonded'
  | 'idempotency_key_in_use'
  | 'endpoint_removed'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'invalid_image'
  | 'idempotency_key_reused'
  | 'rate_limit_exceeded'
  | 'api_key_banned'
  | 'headers_too_large'
  | 'internal_error'
  | 'service_unavailable'

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold'

/** The breed, as the shelter names it. */
export interface Breed {
  /** At least one character is not a space. No control characters or lone surrogates. */
  primary: string
  /** At least one character is not a space. No control characters or lone surrogates. */
  secondary?: string | undefined
  mixed?: boolean | undefined
  unknown?: boolean | undefined
}

/** What is known of it; absent where it is not known. */
export interface Traits {
  spayedNeutered?: boolean | undefined
  houseTrained?: boolean | undefined
  declawed?: boolean | undefined
  specialNeeds?: boolean | undefined
  vaccinated?: boolean | undefined
}

/** With whom it can live; absent where it is not known. */
export interface GoodWith {
  children?: boolean | undefined
  dogs?: boolean | undefined
  cats?: boolean | undefined
}

/** What an adoption costs. */
export interface Fee {
  /** In the smallest unit of the currency: cents, for example. */
  amount: number
  /** Its code in ISO 4217: EUR. */
  currency: string
}

/** Whom to ask about it. Everybody sees this. */
export interface Contact {
  /** At least one character is not a space. No control characters or lone surrogates. */
  name?: string | undefined
  email?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  phone?: string | undefined
}

/** Where it is. Keys with `read` access see the coordinates to 0.01°. */
export interface Place {
  /** At least one character is not a space. No control characters or lone surrogates. */
  city?: string | undefined
  /** A state or province. At least one character is not a space. No control characters or lone surrogates. */
  region?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  postcode?: string | undefined
  /** Its code in ISO 3166: NL. */
  country?: string | undefined
  /** In degrees; with a longitude. */
  latitude?: number | undefined
  /** In degrees; with a latitude. */
  longitude?: number | undefined
}

/** For keys with `write` access alone: others never see any of it. */
export interface Staff {
  /** At least one character is not a space. No control characters or lone surrogates. */
  microchip?: string | undefined
  /** When it came. */
  intakeDate?: string | undefined
  /**
   * How it came: stray, surrender, transfer. At least one character is not a space. No control characters or
   * lone surrogates.
   */
  intakeKind?: string | undefined
  /**
   * At least one character is not a space. No lone surrogates, and of control characters only line ends and
   * tabs.
   */
  intakeNote?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  kennel?: string | undefined
  /**
   * At least one character is not a space. No lone surrogates, and of control characters only line ends and
   * tabs.
   */
  notes?: string | undefined
}

/**
 * Addresses of the photo at most 300, 600, 1200 and 2400 pixels wide, as WebP, for everybody and for good:
 * what is there never changes. With `?format=jpeg` each gives a JPEG of 1200.
 */
export interface PhotoSizes {
  small: string
  medium: string
  large: string
  full: string
}

export interface Photo {
  id: number
  /**
   * What it shows, for those who cannot see it. At least one character is not a space. No control characters
   * or lone surrogates.
   */
  alt?: string
  /** In pixels, of the full size. */
  width: number
  /** In pixels, of the full size. */
  height: number
  sizes: PhotoSizes
}

/** The first one is the main one. */
export type Photos = Photo[]

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
  /**
   * The number its shelter gave it: unique in its organization. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  externalId?: string
  /** Identifier of the organization it belongs to: that of the key that adds it, or the one sent. */
  organizationId?: number
  /**
   * What kind of animal it is, finer than its category: Guinea Pig. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  species?: string
  breed?: Breed
  /** Its colors, the most seen first. */
  colors?: string[]
  /** Its hair. */
  coat?: 'hairless' | 'short' | 'medium' | 'long' | 'wire' | 'curly'
  /** From 1950-01-01 to today. The age follows from it. */
  birthDate?: string
  /** Whether the birth date is known, and not a guess; only with a `birthDate`. */
  birthDateExact?: boolean
  /** With a `birthDate` it follows from that: another one is refused. */
  age?: 'baby' | 'young' | 'adult' | 'senior'
  /** Its sex. */
  sex?: 'female' | 'male' | 'unknown'
  /** Among animals of its kind. */
  size?: 'small' | 'medium' | 'large' | 'extra_large'
  /** Its weight in grams. */
  weightGrams?: number
  /**
   * What people should know of it: plain text with line ends, returned as sent. At least one character is not
   * a space. No lone surrogates, and of control characters only line ends and tabs.
   */
  description?: string
  traits?: Traits
  goodWith?: GoodWith
  /** Words to find it by, each once whatever the case of its letters. */
  tags?: string[]
  fee?: Fee
  /**
   * Identifiers of the animals that are adopted together with it, and name it too: what one has, all have.
   */
  bondedWith?: number[]
  /** Addresses of videos, with https. */
  videos?: string[]
  contact?: Contact
  place?: Place
  staff?: Staff
  photos?: Photos
  /** In a list with `near`: how far it is from there, along the great circle. */
  distanceMeters?: number
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
  code:
    | 'missing'
    | 'invalid_type'
    | 'invalid_value'
    | 'out_of_range'
    | 'too_long'
    | 'unknown_category'
    | 'unknown_organization'
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
  /**
   * The number its shelter gave it: unique in its organization. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  externalId?: string | undefined
  /** Identifier of the organization it belongs to: that of the key that adds it, or the one sent. */
  organizationId?: number | undefined
  /**
   * What kind of animal it is, finer than its category: Guinea Pig. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  species?: string | undefined
  breed?: Breed | undefined
  /** Its colors, the most seen first. */
  colors?: string[] | undefined
  /** Its hair. */
  coat?: 'hairless' | 'short' | 'medium' | 'long' | 'wire' | 'curly' | undefined
  /** From 1950-01-01 to today. The age follows from it. */
  birthDate?: string | undefined
  /** Whether the birth date is known, and not a guess; only with a `birthDate`. */
  birthDateExact?: boolean | undefined
  /** With a `birthDate` it follows from that: another one is refused. */
  age?: 'baby' | 'young' | 'adult' | 'senior' | undefined
  /** Its sex. */
  sex?: 'female' | 'male' | 'unknown' | undefined
  /** Among animals of its kind. */
  size?: 'small' | 'medium' | 'large' | 'extra_large' | undefined
  /** Its weight in grams. */
  weightGrams?: number | undefined
  /**
   * What people should know of it: plain text with line ends, returned as sent. At least one character is not
   * a space. No lone surrogates, and of control characters only line ends and tabs.
   */
  description?: string | undefined
  traits?: Traits | undefined
  goodWith?: GoodWith | undefined
  /** Words to find it by, each once whatever the case of its letters. */
  tags?: string[] | undefined
  fee?: Fee | undefined
  /**
   * Identifiers of the animals that are adopted together with it, and name it too: what one has, all have.
   */
  bondedWith?: number[] | undefined
  /** Addresses of videos, with https. */
  videos?: string[] | undefined
  contact?: Contact | undefined
  place?: Place | undefined
  staff?: Staff | undefined
}

export interface FacetValue {
  /** As the newest of these animals has it. */
  value: string
  /** How many of the matching animals have it. */
  count: number
}

/** How many animals have each value. */
export interface PetFacets {
  /** How many animals were counted. */
  matches: number
  /** Whether there are more: then the newest 10,000 were counted, or as many as one request may read. */
  approximate: boolean
  /** By filter: the 100 values that most have, those that most have first. */
  facets: Record<string, FacetValue[]>
}

/** The breed, as the shelter names it. */
export interface BreedPatch {
  /** At least one character is not a space. No control characters or lone surrogates. */
  primary?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  secondary?: string | null | undefined
  mixed?: boolean | null | undefined
  unknown?: boolean | null | undefined
}

/** What is known of it; absent where it is not known. */
export interface TraitsPatch {
  spayedNeutered?: boolean | null | undefined
  houseTrained?: boolean | null | undefined
  declawed?: boolean | null | undefined
  specialNeeds?: boolean | null | undefined
  vaccinated?: boolean | null | undefined
}

/** With whom it can live; absent where it is not known. */
export interface GoodWithPatch {
  children?: boolean | null | undefined
  dogs?: boolean | null | undefined
  cats?: boolean | null | undefined
}

/** What an adoption costs. */
export interface FeePatch {
  /** In the smallest unit of the currency: cents, for example. */
  amount?: number | null | undefined
  /** Its code in ISO 4217: EUR. */
  currency?: string | null | undefined
}

/** Whom to ask about it. Everybody sees this. */
export interface ContactPatch {
  /** At least one character is not a space. No control characters or lone surrogates. */
  name?: string | null | undefined
  email?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  phone?: string | null | undefined
}

/** Where it is. Keys with `read` access see the coordinates to 0.01°. */
export interface PlacePatch {
  /** At least one character is not a space. No control characters or lone surrogates. */
  city?: string | null | undefined
  /** A state or province. At least one character is not a space. No control characters or lone surrogates. */
  region?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  postcode?: string | null | undefined
  /** Its code in ISO 3166: NL. */
  country?: string | null | undefined
  /** In degrees; with a longitude. */
  latitude?: number | null | undefined
  /** In degrees; with a latitude. */
  longitude?: number | null | undefined
}

/** For keys with `write` access alone: others never see any of it. */
export interface StaffPatch {
  /** At least one character is not a space. No control characters or lone surrogates. */
  microchip?: string | null | undefined
  /** When it came. */
  intakeDate?: string | null | undefined
  /**
   * How it came: stray, surrender, transfer. At least one character is not a space. No control characters or
   * lone surrogates.
   */
  intakeKind?: string | null | undefined
  /**
   * At least one character is not a space. No lone surrogates, and of control characters only line ends and
   * tabs.
   */
  intakeNote?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  kennel?: string | null | undefined
  /**
   * At least one character is not a space. No lone surrogates, and of control characters only line ends and
   * tabs.
   */
  notes?: string | null | undefined
}

/** What to change of an animal (RFC 7396); members that are absent stay as they are, and null removes one. */
export interface PetPatch {
  /**
   * The animal's name: stored and returned exactly as sent. At least one character is not a space. No control
   * characters or lone surrogates.
   */
  name?: string | undefined
  /** Identifier of the category the animal belongs to. */
  categoryId?: number | undefined
  status?: PetStatus | undefined
  /**
   * The number its shelter gave it: unique in its organization. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  externalId?: string | null | undefined
  /** Identifier of the organization it belongs to: that of the key that adds it, or the one sent. */
  organizationId?: number | null | undefined
  /**
   * What kind of animal it is, finer than its category: Guinea Pig. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  species?: string | null | undefined
  breed?: BreedPatch | undefined
  /** Its colors, the most seen first. */
  colors?: string[] | null | undefined
  /** Its hair. */
  coat?: 'hairless' | 'short' | 'medium' | 'long' | 'wire' | 'curly' | null | undefined
  /** From 1950-01-01 to today. The age follows from it. */
  birthDate?: string | null | undefined
  /** Whether the birth date is known, and not a guess; only with a `birthDate`. */
  birthDateExact?: boolean | null | undefined
  /** With a `birthDate` it follows from that: another one is refused. */
  age?: 'baby' | 'young' | 'adult' | 'senior' | null | undefined
  /** Its sex. */
  sex?: 'female' | 'male' | 'unknown' | null | undefined
  /** Among animals of its kind. */
  size?: 'small' | 'medium' | 'large' | 'extra_large' | null | undefined
  /** Its weight in grams. */
  weightGrams?: number | null | undefined
  /**
   * What people should know of it: plain text with line ends, returned as sent. At least one character is not
   * a space. No lone surrogates, and of control characters only line ends and tabs.
   */
  description?: string | null | undefined
  traits?: TraitsPatch | undefined
  goodWith?: GoodWithPatch | undefined
  /** Words to find it by, each once whatever the case of its letters. */
  tags?: string[] | null | undefined
  fee?: FeePatch | undefined
  /**
   * Identifiers of the animals that are adopted together with it, and name it too: what one has, all have.
   */
  bondedWith?: number[] | null | undefined
  /** Addresses of videos, with https. */
  videos?: string[] | null | undefined
  contact?: ContactPatch | undefined
  place?: PlacePatch | undefined
  staff?: StaffPatch | undefined
}

export interface PetChange {
  at: string
  /** The API key that made the change. */
  keyId: number
  /** Each changed member, with its value before and after, where it had one. */
  changes: Record<string, { from?: unknown; to?: unknown }>
}

/** The changes of an animal, newest first, at most 100. */
export type PetHistory = PetChange[]

/** What to change of a photo; members that are absent stay as they are. */
export interface PhotoPatch {
  /**
   * What it shows, for those who cannot see it. At least one character is not a space. No control characters
   * or lone surrogates.
   */
  alt?: string | null | undefined
  /** Its position among the photos; 1 is the main one. */
  position?: number | undefined
}

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

/** A name for the breed of an animal. */
export interface SuggestedBreed {
  id: number
  /** Identifier of the category it is for. */
  categoryId: number
  /**
   * Unique in its category, whatever the case of its letters. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  name: string
}

/** A page of names, by id. */
export type SuggestedBreeds = SuggestedBreed[]

/** A name for a breed to add. Members other than these are ignored. */
export interface NewSuggestedBreed {
  /** Identifier of the category it is for. */
  categoryId: number
  /**
   * Unique in its category, whatever the case of its letters. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  name: string
}

/** A name for the color of an animal. */
export interface SuggestedColor {
  id: number
  /** Identifier of the category it is for. */
  categoryId: number
  /**
   * Unique in its category, whatever the case of its letters. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  name: string
}

/** A page of names, by id. */
export type SuggestedColors = SuggestedColor[]

/** A name for a color to add. Members other than these are ignored. */
export interface NewSuggestedColor {
  /** Identifier of the category it is for. */
  categoryId: number
  /**
   * Unique in its category, whatever the case of its letters. At least one character is not a space. No
   * control characters or lone surrogates.
   */
  name: string
}

/** Where it is. */
export interface Address {
  /** At least one character is not a space. No control characters or lone surrogates. */
  street?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  city?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  region?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  postcode?: string | undefined
  /** Its code in ISO 3166: NL. */
  country?: string | undefined
}

/** When it is open, in words. */
export interface Hours {
  /** At least one character is not a space. No control characters or lone surrogates. */
  monday?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  tuesday?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  wednesday?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  thursday?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  friday?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  saturday?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  sunday?: string | undefined
}

/** Its pages elsewhere. */
export interface Social {
  /** With https. */
  facebook?: string | undefined
  /** With https. */
  instagram?: string | undefined
  /** With https. */
  tiktok?: string | undefined
  /** With https. */
  x?: string | undefined
  /** With https. */
  youtube?: string | undefined
  /** With https. */
  mastodon?: string | undefined
  /** With https. */
  bluesky?: string | undefined
  /** With https. */
  linkedin?: string | undefined
}

/** What applicants are asked. */
export interface ApplicationQuestion {
  /** Its own among the questions; answers belong to it. */
  id: string
  /** What is asked. At least one character is not a space. No control characters or lone surrogates. */
  text: string
  /** What an answer is: words, yes or no, or one of the options. */
  kind: 'text' | 'yesNo' | 'choice'
  /** Of a choice, and of nothing else. */
  options?: string[] | undefined
  /** Whether it has to be answered. */
  required: boolean
}

/** A shelter or rescue, as a list has it. */
export interface ListedOrganization {
  /** Unique identifier, assigned by the service. */
  id: number
  /** Short, unique whatever the case of its letters, and for good. */
  code: string
  /** What people call it. At least one character is not a space. No control characters or lone surrogates. */
  name: string
  email?: string
  /** At least one character is not a space. No control characters or lone surrogates. */
  phone?: string
  address?: Address
  /** In degrees; with a longitude. */
  latitude?: number
  /** In degrees; with a latitude. */
  longitude?: number
  /** Its own pages, with https. */
  website?: string
  /**
   * What it is there for. At least one character is not a space. No lone surrogates, and of control
   * characters only line ends and tabs.
   */
  mission?: string
  /**
   * What it asks of those who adopt. At least one character is not a space. No lone surrogates, and of
   * control characters only line ends and tabs.
   */
  adoptionPolicy?: string
  /** Where people apply, with https. */
  adoptionUrl?: string
  hours?: Hours
  social?: Social
  /** What its form asks those who would like to adopt, in this order; everybody may see it. */
  applicationQuestions?: ApplicationQuestion[]
  photos?: Photos
  createdAt: string
  updatedAt: string
  /** From the place in `near`, along the great circle. */
  distanceMeters?: number
}

/** A page of organizations. */
export type Organizations = ListedOrganization[]

/** A shelter or rescue to add. Without a code it gets one, of its region or country and a number. */
export interface NewOrganization {
  /** Short, unique whatever the case of its letters, and for good. */
  code?: string | undefined
  /** What people call it. At least one character is not a space. No control characters or lone surrogates. */
  name: string
  email?: string | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  phone?: string | undefined
  address?: Address | undefined
  /** In degrees; with a longitude. */
  latitude?: number | undefined
  /** In degrees; with a latitude. */
  longitude?: number | undefined
  /** Its own pages, with https. */
  website?: string | undefined
  /**
   * What it is there for. At least one character is not a space. No lone surrogates, and of control
   * characters only line ends and tabs.
   */
  mission?: string | undefined
  /**
   * What it asks of those who adopt. At least one character is not a space. No lone surrogates, and of
   * control characters only line ends and tabs.
   */
  adoptionPolicy?: string | undefined
  /** Where people apply, with https. */
  adoptionUrl?: string | undefined
  hours?: Hours | undefined
  social?: Social | undefined
  /** What its form asks those who would like to adopt, in this order; everybody may see it. */
  applicationQuestions?: ApplicationQuestion[] | undefined
}

/** A shelter or rescue. */
export interface Organization {
  /** Unique identifier, assigned by the service. */
  id: number
  /** Short, unique whatever the case of its letters, and for good. */
  code: string
  /** What people call it. At least one character is not a space. No control characters or lone surrogates. */
  name: string
  email?: string
  /** At least one character is not a space. No control characters or lone surrogates. */
  phone?: string
  address?: Address
  /** In degrees; with a longitude. */
  latitude?: number
  /** In degrees; with a latitude. */
  longitude?: number
  /** Its own pages, with https. */
  website?: string
  /**
   * What it is there for. At least one character is not a space. No lone surrogates, and of control
   * characters only line ends and tabs.
   */
  mission?: string
  /**
   * What it asks of those who adopt. At least one character is not a space. No lone surrogates, and of
   * control characters only line ends and tabs.
   */
  adoptionPolicy?: string
  /** Where people apply, with https. */
  adoptionUrl?: string
  hours?: Hours
  social?: Social
  /** What its form asks those who would like to adopt, in this order; everybody may see it. */
  applicationQuestions?: ApplicationQuestion[]
  photos?: Photos
  createdAt: string
  updatedAt: string
}

/** Where it is. */
export interface AddressPatch {
  /** At least one character is not a space. No control characters or lone surrogates. */
  street?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  city?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  region?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  postcode?: string | null | undefined
  /** Its code in ISO 3166: NL. */
  country?: string | null | undefined
}

/** When it is open, in words. */
export interface HoursPatch {
  /** At least one character is not a space. No control characters or lone surrogates. */
  monday?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  tuesday?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  wednesday?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  thursday?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  friday?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  saturday?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  sunday?: string | null | undefined
}

/** Its pages elsewhere. */
export interface SocialPatch {
  /** With https. */
  facebook?: string | null | undefined
  /** With https. */
  instagram?: string | null | undefined
  /** With https. */
  tiktok?: string | null | undefined
  /** With https. */
  x?: string | null | undefined
  /** With https. */
  youtube?: string | null | undefined
  /** With https. */
  mastodon?: string | null | undefined
  /** With https. */
  bluesky?: string | null | undefined
  /** With https. */
  linkedin?: string | null | undefined
}

/**
 * What to change of an organization (RFC 7396); members that are absent stay as they are, null removes one.
 */
export interface OrganizationPatch {
  /** What people call it. At least one character is not a space. No control characters or lone surrogates. */
  name?: string | undefined
  email?: string | null | undefined
  /** At least one character is not a space. No control characters or lone surrogates. */
  phone?: string | null | undefined
  address?: AddressPatch | undefined
  /** In degrees; with a longitude. */
  latitude?: number | null | undefined
  /** In degrees; with a latitude. */
  longitude?: number | null | undefined
  /** Its own pages, with https. */
  website?: string | null | undefined
  /**
   * What it is there for. At least one character is not a space. No lone surrogates, and of control
   * characters only line ends and tabs.
   */
  mission?: string | null | undefined
  /**
   * What it asks of those who adopt. At least one character is not a space. No lone surrogates, and of
   * control characters only line ends and tabs.
   */
  adoptionPolicy?: string | null | undefined
  /** Where people apply, with https. */
  adoptionUrl?: string | null | undefined
  hours?: HoursPatch | undefined
  social?: SocialPatch | undefined
  /** What its form asks those who would like to adopt, in this order; everybody may see it. */
  applicationQuestions?: ApplicationQuestion[] | null | undefined
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
  /** The animals that are adopted with it. */
  alsoPetIds?: number[]
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
  /** All animals that it is bonded with: they are adopted together, or not at all. */
  alsoPetIds?: number[] | undefined
  adopter: Adopter
}

/** What to decide about an order (RFC 7396). Members other than this are ignored. */
export interface OrderPatch {
  status?: OrderStatus | undefined
}

/** Open while received or in_review; approved once its order is placed. */
export type ApplicationStatus = 'received' | 'in_review' | 'approved' | 'declined' | 'withdrawn'

/** Who would like to adopt: shown only to those who decide about it. */
export interface Applicant {
  /** At least one character is not a space. No control characters or lone surrogates. */
  name: string
  email: string
  /** At least one character is not a space. No control characters or lone surrogates. */
  phone?: string | undefined
  /**
   * At least one character is not a space. No lone surrogates, and of control characters only line ends and
   * tabs.
   */
  address?: string | undefined
}

/** An answer, with its question as it was asked. */
export interface ApplicationAnswer {
  /** At least one character is not a space. No control characters or lone surrogates. */
  question: string
  /**
   * At least one character is not a space. No lone surrogates, and of control characters only line ends and
   * tabs.
   */
  answer: string
}

/**
 * Somebody would like to adopt an animal. Who it is and what was written is erased some time after it was
 * declined or withdrawn, or its adoption complete.
 */
export interface Application {
  /** Unique identifier, assigned by the service. */
  id: number
  /** Identifier of the animal. */
  petId: number
  status: ApplicationStatus
  /**
   * Why it was declined by the service: somebody else has adopted the animal, or its record was removed.
   * There may be more.
   */
  reason?: 'adopted' | 'animal_removed'
  applicant?: Applicant
  /**
   * At least one character is not a space. No lone surrogates, and of control characters only line ends and
   * tabs.
   */
  message?: string
  /** What was asked and answered. */
  answers?: ApplicationAnswer[]
  /** When it came. */
  receivedAt: string
  /** When it was approved, declined or withdrawn. */
  decidedAt?: string
  /** The key that decided; absent where the applicant did. */
  decidedBy?: number
  /** The order that its approval placed. */
  orderId?: number
  /**
   * What staff write for each other. At least one character is not a space. No lone surrogates, and of
   * control characters only line ends and tabs.
   */
  note?: string
  /**
   * What staff write to the applicant, such as why it was declined. At least one character is not a space. No
   * lone surrogates, and of control characters only line ends and tabs.
   */
  reply?: string
}

/** A page of applications, newest first. */
export type Applications = Application[]

/** Somebody would like to adopt an animal. Members other than these are ignored. */
export interface NewApplication {
  /** Identifier of an animal that is available or pending. */
  petId: number
  applicant: Applicant
  /**
   * At least one character is not a space. No lone surrogates, and of control characters only line ends and
   * tabs.
   */
  message?: string | undefined
  /** What was asked and answered. */
  answers?: ApplicationAnswer[] | undefined
}

/** What to decide about an application (RFC 7396). Members other than these are ignored. */
export interface ApplicationPatch {
  status?: ApplicationStatus | undefined
  /**
   * What staff write for each other. At least one character is not a space. No lone surrogates, and of
   * control characters only line ends and tabs.
   */
  note?: string | null | undefined
  /**
   * What staff write to the applicant, such as why it was declined. At least one character is not a space. No
   * lone surrogates, and of control characters only line ends and tabs.
   */
  reply?: string | null | undefined
}
