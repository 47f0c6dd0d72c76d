/** The side that nothing kept is longer than, in pixels. */
export const FULL_SIDE = 2_400

/** What is made of every photo: how wide it is at most, and what it is. The one list. */
const RENDITIONS = {
  small: { width: 300, type: 'image/webp' },
  medium: { width: 600, type: 'image/webp' },
  large: { width: 1_200, type: 'image/webp' },
  full: { width: FULL_SIDE, type: 'image/webp' },
  /** For programs and previews that know no WebP. */
  jpeg: { width: 1_200, type: 'image/jpeg' },
} as const

export type Rendition = keyof typeof RENDITIONS
export const ALL_RENDITIONS = Object.keys(RENDITIONS) as Rendition[]
/** Those that a photo is announced with. */
export const SIZES = ['small', 'medium', 'large', 'full'] as const satisfies Rendition[]
/** What is there before a photo is; the others follow. */
export const FIRST_RENDITIONS = ['full', 'small'] as const satisfies Rendition[]

export const renditionOf = (rendition: Rendition): { width: number; type: string } => RENDITIONS[rendition]

const NAMES = Object.fromEntries(
  ALL_RENDITIONS.map((rendition) => [
    rendition,
    `${RENDITIONS[rendition].width}.${rendition === 'jpeg' ? 'jpg' : 'webp'}`,
  ]),
) as Record<Rendition, string>

/** @param hash as the photo's row has it */
export const fileName = (hash: string, rendition: Rendition): string => `${hash}-${NAMES[rendition]}`

const FILE_NAME = /^([0-9a-f]{32})-(\d+\.\w+)$/

/** What a file's name says, if it is one of ours. */
export function readFileName(name: string): { hash: string; rendition: Rendition } | undefined {
  const [, hash, rest] = FILE_NAME.exec(name) ?? []
  const rendition = ALL_RENDITIONS.find((rendition) => NAMES[rendition] === rest)
  return hash && rendition ? { hash, rendition } : undefined
}
