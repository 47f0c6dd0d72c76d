import type { EventType } from './schema.ts'

interface PhotoChange {
  type: EventType
  /** The photo that was added or removed. Absent if only texts or the order changed. */
  photoId?: number
}

/** Compares the photos of an animal or organization before and after a change. */
export function photoChanges(
  kind: 'pet' | 'organization',
  before: readonly { id: number }[],
  after: readonly { id: number }[],
): PhotoChange[] {
  const [beforeIds, afterIds] = [before, after].map((photos) => new Set(photos.map(({ id }) => id)))
  const moved = [
    ...after.filter(({ id }) => !beforeIds?.has(id)).map(({ id }) => ({ type: 'photo.added', photoId: id })),
    ...before
      .filter(({ id }) => !afterIds?.has(id))
      .map(({ id }) => ({ type: 'photo.removed', photoId: id })),
  ] as PhotoChange[]
  return moved.length > 0 ? moved : [{ type: `${kind}.updated` }]
}
