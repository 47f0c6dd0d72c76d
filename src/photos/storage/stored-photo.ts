import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { publicOrigin } from '../../http/face.ts'
import { BETA, line, type Static, Type } from '../../http/type.ts'
import { fileName, SIZES } from './photo-files.ts'

/** The path under which the service serves the files. */
export const PHOTOS_PATH = '/photos'

export const AltText = line(500, 'Description of the photo for people who cannot see it (alt text).')

const Address = Type.String({ format: 'uri' })

export const Photo = Type.Object(
  {
    id: Type.Integer({ format: 'int64' }),
    alt: Type.Optional(AltText),
    width: Type.Integer({ description: 'Width of the full size in pixels.' }),
    height: Type.Integer({ description: 'Height of the full size in pixels.' }),
    sizes: Type.Object(Object.fromEntries(SIZES.map((size) => [size, Address])) as Sizes, {
      title: 'PhotoSizes',
      description:
        'Public addresses of the photo as WebP, at most 300, 600, 1200 and 2400 pixels wide. The files ' +
        'never change. With `?format=jpeg` each address gives a JPEG at most 1200 pixels wide.',
    }),
  },
  { title: 'Photo', description: 'A photo of an animal or organization.', ...BETA },
)
type Sizes = Record<(typeof SIZES)[number], typeof Address>
export type Photo = Static<typeof Photo>

export const Photos = Type.Array(Photo, {
  title: 'Photos',
  description: 'Photos in order. The first one is the main photo.',
  ...BETA,
})

/** A photo in the JSON array in the row of its animal or organization. */
export interface StoredPhoto {
  id: number
  hash: string
  width: number
  height: number
  alt?: string
  /** For a photo of a copy: the base URL at its source, which serves the files. */
  at?: string
}

export const parsePhotos = (text: string | null | undefined): StoredPhoto[] => (text ? JSON.parse(text) : [])

/** The URL that all photo URLs in the response to this request begin with. */
export function photosBaseUrl(config: Config, request: FastifyRequest): string {
  return config.photosPublicUrl ?? publicOrigin(config, request) + PHOTOS_PATH
}

/** The base URL of photos in cached pages; by default a path, as pages are served under several hosts. */
export function photosBaseForPages({ photosPublicUrl }: Pick<Config, 'photosPublicUrl'>): string {
  return photosPublicUrl ?? PHOTOS_PATH
}

/** @param at the base URL, from `photosBaseUrl` */
export function toPhoto({ id, hash, width, height, alt, at: source }: StoredPhoto, at: string): Photo {
  const base = source ?? at
  const sizes = Object.fromEntries(SIZES.map((size) => [size, `${base}/${fileName(hash, size)}`]))
  return { id, ...(alt !== undefined && { alt }), width, height, sizes: sizes as Photo['sizes'] }
}

/** @returns undefined if there are no photos */
export function toPhotos(text: string | null | undefined, at: string): Photo[] | undefined {
  return text ? parsePhotos(text).map((photo) => toPhoto(photo, at)) : undefined
}

/** The origins from which browsers load photos of other installations. @param owners what a page shows */
export function photoOrigins(owners: readonly { photos?: Photo[] | undefined }[]): string[] {
  const addresses = owners.flatMap(({ photos = [] }) => photos.map(({ sizes }) => sizes.small))
  return [
    ...new Set(addresses.flatMap((address) => (address.startsWith('/') ? [] : new URL(address).origin))),
  ]
}
