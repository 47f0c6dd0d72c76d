import type { Readable } from 'node:stream'

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

const suffixOf = (rendition: Rendition): string =>
  `${RENDITIONS[rendition].width}.${rendition === 'jpeg' ? 'jpg' : 'webp'}`

/** @param hash as in the row of the photo */
export const fileName = (hash: string, rendition: Rendition): string => `${hash}-${suffixOf(rendition)}`

const FILE_NAME = /^([0-9a-f]{32})-(\d+\.\w+)$/

/** Parses a file name. @returns undefined for other names */
export function readFileName(name: string): { hash: string; rendition: Rendition } | undefined {
  const [, hash, rest] = FILE_NAME.exec(name) ?? []
  const rendition = ALL_RENDITIONS.find((rendition) => suffixOf(rendition) === rest)
  return hash && rendition ? { hash, rendition } : undefined
}

/** A range of bytes. Both ends are included and counted from 0. */
export interface ByteRange {
  first: number
  last: number
}

export interface OpenFile {
  /** The size of the whole file in bytes. */
  size: number
  /** The requested bytes. The stream fails if not all of them can be read. */
  bytes: Readable
}

/** Stores the files of photos in a folder or a bucket. `fileName` names the files. */
export interface PhotoStore {
  /** A folder on this machine for incomplete files. */
  workFolder: string
  /** Creates the work folder again if it was cleaned up. Absent if a missing one means a lost store. */
  recreateWorkFolder?(): Promise<void>
  /** Moves a file into the store, durably. A file under `name` is always complete. */
  put(name: string, file: string): Promise<void>
  /** @returns undefined when the file does not exist */
  read(name: string, span?: ByteRange): Promise<OpenFile | undefined>
  /** @returns bytes; undefined when the file does not exist */
  size(name: string): Promise<number | undefined>
  /** Removes files. Missing files are not an error. */
  remove(names: string[]): Promise<void>
  /** Lists all files in any order, with their age in milliseconds by the clock that dated them. */
  list(): AsyncIterable<{ name: string; ageMs: number }>
}
