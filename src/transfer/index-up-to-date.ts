import type { Writer } from '../db/write.ts'

/** Brings the index of the search up to date, so that a store that nobody serves is searchable too. */
export async function bringIndexUpToDate({ write }: Pick<Writer, 'write'>): Promise<void> {
  while (await write('indexAnimals'));
}
