import { type PatchableSchema, pathId, Type, toPatchSchema } from '../http/type.ts'
import { AltText } from './storage/stored-photo.ts'

/** Photos of one animal or organization. */
export const MAX_PHOTOS = 20

export const PhotoQuery = Type.Object({ alt: Type.Optional(AltText) })

/** Null removes the text. */
export type PhotoPatch = { alt?: string | null; position?: number }
export const PhotoPatch = Type.Unsafe<PhotoPatch>(
  Type.Object(
    {
      alt: toPatchSchema(AltText as PatchableSchema),
      position: Type.Optional(
        Type.Integer({
          description: 'Position among the photos; 1 is the main photo.',
          minimum: 1,
          maximum: MAX_PHOTOS,
        }),
      ),
    },
    {
      title: 'PhotoPatch',
      description: 'Changes to a photo. Members that are absent stay as they are.',
    },
  ),
)

const photoId = pathId('Identifier of the photo.')

/** The path, its parameter, and the words in summaries and operation ids, for each kind of owner. */
export const PATHS = {
  pet: {
    path: '/pets/:petId/photos',
    owner: { petId: pathId('Identifier of the animal.') },
    of: 'an animal',
    operation: 'Pet',
  },
  organization: {
    path: '/organizations/:organizationId/photos',
    owner: { organizationId: pathId('Identifier of the organization.') },
    of: 'an organization',
    operation: 'Organization',
  },
} as const

export type OwnerPath = { petId?: string; organizationId?: string }
export type PhotoPath = OwnerPath & { photoId: string }

export const ownerPath = (owner: object) => Type.Unsafe<OwnerPath>(Type.Object({ ...owner }))
export const photoPath = (owner: object) => Type.Unsafe<PhotoPath>(Type.Object({ ...owner, photoId }))
