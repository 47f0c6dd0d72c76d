import type { Readable } from 'node:stream'

/** Which bytes of a file, the first and the last counted from 0 and both included. */
export interface Span {
  first: number
  last: number
}

/** A file that is being read. */
export interface Reading {
  /** Of the whole file, in bytes. */
  size: number
  /** The bytes that were asked for; it fails where they cannot all be had. */
  bytes: Readable
}

/** Keeps the files of photos: a folder or a bucket. renditions.ts names the files. */
export interface PhotoStore {
  /** Where files are put together before they are put in: of the machine's own. */
  workFolder: string
  /** Makes that folder anew where the machine may tidy it away; absent where its lack is the store's. */
  remakeWorkFolder?(): Promise<void>
  /** Under its name a file is there whole, to stay, or not at all. It is taken from where it was. */
  put(name: string, file: string): Promise<void>
  /** @returns undefined when there is none */
  read(name: string, span?: Span): Promise<Reading | undefined>
  /** In bytes; undefined when there is none. */
  size(name: string): Promise<number | undefined>
  /** Those that are there; that others are not is no error. */
  remove(names: string[]): Promise<void>
  /** Every file, in no order, with when it was put in: Unix time in milliseconds. */
  list(): AsyncIterable<{ name: string; at: number }>
}
