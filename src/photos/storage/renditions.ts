/** The longest side of a stored picture, in pixels. */
export const FULL_SIDE = 2_400

/** The renditions of every photo: the maximum width in pixels, and the media type. */
const RENDITIONS = {
  small: { width: 300, type: 'image/webp' },
  medium: { width: 600, type: 'image/webp' },
  large: { width: 1_200, type: 'image/webp' },
  full: { width: FULL_SIDE, type: 'image/webp' },
  /** For programs and link previews that do not support WebP. */
  jpeg: { width: 1_200, type: 'image/jpeg' },
} as const

export type Rendition = keyof typeof RENDITIONS
export const ALL_RENDITIONS = Object.keys(RENDITIONS) as Rendition[]
/** The renditions in `sizes` of a photo. */
export const SIZES = ['small', 'medium', 'large', 'full'] as const satisfies Rendition[]
/** The renditions that are made before a photo is added. The others are made later. */
export const FIRST_RENDITIONS = ['full', 'small'] as const satisfies Rendition[]

export const renditionOf = (rendition: Rendition): { width: number; type: string } => RENDITIONS[rendition]

const NAMES = Object.fromEntries(
  ALL_RENDITIONS.map((rendition) => [
    rendition,
    `${RENDITIONS[rendition].width}.${rendition === 'jpeg' ? 'jpg' : 'webp'}`,
  ]),
) as Record<Rendition, string>

/** @param hash as in the row of the photo */
export const fileName = (hash: string, rendition: Rendition): string => `${hash}-${NAMES[rendition]}`

const FILE_NAME = /^([0-9a-f]{32})-(\d+\.\w+)$/

/** Parses a file name. @returns undefined for other names */
export function readFileName(name: string): { hash: string; rendition: Rendition } | undefined {
  const [, hash, rest] = FILE_NAME.exec(name) ?? []
  const rendition = ALL_RENDITIONS.find((rendition) => NAMES[rendition] === rest)
  return hash && rendition ? { hash, rendition } : undefined
}
