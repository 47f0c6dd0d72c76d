import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { publicOrigin } from '../../http/link.ts'
import { ONE_LINE } from '../../http/text.ts'
import { type Static, Type } from '../../http/type.ts'
import { fileName, SIZES } from './renditions.ts'

const BETA = { 'x-stability': 'beta' } as const

/** The path under which the service gives the files itself. */
export const PHOTOS_PATH = '/photos'

/** What a photo shows, in words. */
export const AltText = Type.String({
  description: 'What it shows, for those who cannot see it.',
  minLength: 1,
  maxLength: 500,
  pattern: ONE_LINE,
})

const Address = Type.String({ format: 'uri' })

export const Photo = Type.Object(
  {
    id: Type.Integer({ format: 'int64' }),
    alt: Type.Optional(AltText),
    width: Type.Integer({ description: 'In pixels, of the full size.' }),
    height: Type.Integer({ description: 'In pixels, of the full size.' }),
    sizes: Type.Object(Object.fromEntries(SIZES.map((size) => [size, Address])) as Sizes, {
      title: 'PhotoSizes',
      description:
        'Addresses of the photo at most 300, 600, 1200 and 2400 pixels wide, as WebP, for everybody and for ' +
        'good: what is there never changes. With `?format=jpeg` each gives a JPEG of 1200.',
    }),
  },
  { title: 'Photo', ...BETA },
)
type Sizes = Record<(typeof SIZES)[number], typeof Address>
export type Photo = Static<typeof Photo>

export const Photos = Type.Array(Photo, {
  title: 'Photos',
  description: 'The first one is the main one.',
  ...BETA,
})

/** A photo as the row of its animal or organization has it, in a JSON array in their order. */
export interface KeptPhoto {
  id: number
  hash: string
  width: number
  height: number
  alt?: string
}

export const keptPhotos = (text: string | null | undefined): KeptPhoto[] => (text ? JSON.parse(text) : [])

/** The address that those of photos begin with, as a client of this request reaches it. */
export function photosAt(config: Config, request: FastifyRequest): string {
  return config.photosPublicUrl ?? publicOrigin(config, request) + PHOTOS_PATH
}

/** The same for a page of our own: beside itself, under whatever host it was reached. */
export function photosBeside({ photosPublicUrl }: Pick<Config, 'photosPublicUrl'>): string {
  return photosPublicUrl ?? PHOTOS_PATH
}

/** @param at as `photosAt` gives it */
export function toPhoto({ id, hash, width, height, alt }: KeptPhoto, at: string): Photo {
  const sizes = Object.fromEntries(SIZES.map((size) => [size, `${at}/${fileName(hash, size)}`]))
  return { id, ...(alt !== undefined && { alt }), width, height, sizes: sizes as Photo['sizes'] }
}

/** Undefined for none. */
export function toPhotos(text: string | null | undefined, at: string): Photo[] | undefined {
  return text ? keptPhotos(text).map((photo) => toPhoto(photo, at)) : undefined
}
