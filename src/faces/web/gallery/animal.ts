import type { Pet } from '../../../pets/schema.ts'

/** An animal as everybody sees it. */
export type Animal = Omit<Pet, 'staff'> & {
  publishedAt?: string
  statusChangedAt?: string
  updatedAt?: string
}
