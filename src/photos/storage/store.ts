import type { Readable } from 'node:stream'

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

/** Stores the files of photos in a folder or a bucket. renditions.ts names the files. */
export interface PhotoStore {
  /** A folder on this machine for incomplete files. */
  workFolder: string
  /**
   * Creates the work folder again if the machine may clean it up. Absent if a missing folder means a lost
   * store.
   */
  recreateWorkFolder?(): Promise<void>
  /** Moves a file into the store, durably. A file under `name` is always complete. */
  put(name: string, file: string): Promise<void>
  /** @returns undefined when the file does not exist */
  read(name: string, span?: ByteRange): Promise<OpenFile | undefined>
  /** @returns bytes; undefined when the file does not exist */
  size(name: string): Promise<number | undefined>
  /** Removes files. Missing files are not an error. */
  remove(names: string[]): Promise<void>
  /**
   * Lists all files in any order, each with the time since it was stored, in milliseconds. The clock that
   * dated the files measures it, because other clocks may differ.
   */
  list(): AsyncIterable<{ name: string; ageMs: number }>
}
