import type { Texts } from '../../texts/texts.ts'

/** A photo, as the history has it. */
interface Photo {
  id: number
  alt?: string
}

type Words = Texts['console']['animal']['history']['photos']

/** What happened to the photos of an animal, in sentences. */
export function photosTold({ from, to }: { from?: unknown; to?: unknown }, words: Words): string[] {
  const [before, after] = [photosIn(from), photosIn(to)]
  const added = without(after, before)
  const removed = without(before, after)
  const [stayed, now] = [without(before, removed), without(after, added)]
  const isMoved = stayed.some(({ id }, index) => id !== now[index]?.id)
  const altOf = new Map(stayed.map(({ id, alt }) => [id, alt]))
  const described = now.filter(({ id, alt }) => alt !== altOf.get(id))
  return [
    ...(added.length > 0 ? [words.added(added.length)] : []),
    ...(removed.length > 0 ? [words.removed(removed.length)] : []),
    ...(isMoved ? [words.moved] : []),
    ...(described.length > 0 ? [words.described(described.length)] : []),
  ]
}

const photosIn = (value: unknown): Photo[] => (Array.isArray(value) ? value : [])

function without(photos: readonly Photo[], others: readonly Photo[]): Photo[] {
  const ids = new Set(others.map(({ id }) => id))
  return photos.filter(({ id }) => !ids.has(id))
}
