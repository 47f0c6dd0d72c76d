import { type Rules, removable } from '../http/merge-patch.ts'
import { Type } from '../http/type.ts'
import { AltText } from './storage/kept.ts'

/** Of one animal or organization. */
export const MAX_PHOTOS = 20

export const PhotoQuery = Type.Object({ alt: Type.Optional(AltText) })

/** Null removes the text. */
export type PhotoPatch = { alt?: string | null; position?: number }
export const PhotoPatch = Type.Unsafe<PhotoPatch>(
  Type.Object(
    {
      alt: removable(AltText as Rules),
      position: Type.Optional(
        Type.Integer({
          description: 'Its position among the photos; 1 is the main one.',
          minimum: 1,
          maximum: MAX_PHOTOS,
        }),
      ),
    },
    {
      title: 'PhotoPatch',
      description: 'What to change of a photo; members that are absent stay as they are.',
    },
  ),
)

const identifier = (description: string) =>
  Type.Unsafe<string>({ type: 'integer', format: 'int64', description })
const photoId = identifier('Identifier of the photo.')

/** The paths of each kind of owner: its name in them, and the operations of its photos. */
export const PATHS = {
  pet: {
    path: '/pets/:petId/photos',
    owner: { petId: identifier('Identifier of the animal.') },
    of: 'an animal',
    operation: 'Pet',
  },
  organization: {
    path: '/organizations/:organizationId/photos',
    owner: { organizationId: identifier('Identifier of the organization.') },
    of: 'an organization',
    operation: 'Organization',
  },
} as const

export type OwnerPath = { petId?: string; organizationId?: string }
export type PhotoPath = OwnerPath & { photoId: string }

export const ownerPath = (owner: object) => Type.Unsafe<OwnerPath>(Type.Object({ ...owner }))
export const photoPath = (owner: object) => Type.Unsafe<PhotoPath>(Type.Object({ ...owner, photoId }))
