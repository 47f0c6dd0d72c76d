import type { Answer } from './answer.ts'
import { nextParameter } from './answer.ts'
import { AdoptableError } from './error.ts'
import type { Event, EventType, Pet } from './schemas.ts'

export interface EventParameters {
  /** The id of the last event that you have; `latest` for events from now on. Default: all events of the log. */
  after?: string | undefined
  /** Only events of these types. */
  types?: EventType[] | undefined
  /** Seconds between two requests when there are no more events. Default 5. */
  pollSeconds?: number | undefined
}

/** A copy of all animals. The mirror waits for each call, and calls one at a time. */
export interface MirrorTarget {
  /** Adds or replaces up to 100 animals. */
  onUpsert(pets: Pet[]): void | Promise<void>
  /** Removes the animals with these ids, if the copy has them. */
  onRemove(ids: number[]): void | Promise<void>
  /** Called after all animals were copied, with their ids: remove every other animal. */
  onCopied(ids: ReadonlySet<number>): void | Promise<void>
  /** Called when the copy has all changes up to this event. Store the id to continue there after a restart. */
  onProgress?(after: string): void | Promise<void>
}

export interface MirrorParameters extends MirrorTarget {
  /** The id that `onProgress` got last. Without it, all animals are copied first. */
  after?: string | undefined
  /** Seconds between two requests when nothing has changed. Default 5. */
  pollSeconds?: number | undefined
}

/** The requests of the feed and the mirror. */
export interface Feed {
  listEvents(query: {
    after?: string | undefined
    type?: EventType[] | undefined
    limit: number
  }): Promise<Answer<Event[]>>
  listPets(query: { id: number[]; limit: number }): Promise<Answer<Pet[]>>
  allPets(): AsyncIterable<Pet>
  pause(): Promise<void>
}

const MAX_EVENTS = 1_000
const MAX_PETS = 100

/** The events after which an animal may look different. */
const PET_EVENTS: EventType[] = [
  'pet.created',
  'pet.updated',
  'pet.status_changed',
  'pet.deleted',
  'photo.added',
  'photo.removed',
]

/** Pages of the feed. At the end of the log, pauses and asks again. */
export async function* eventPages(
  feed: Feed,
  { after, types }: EventParameters,
): AsyncGenerator<{ events: Event[]; next: string }, never> {
  for (;;) {
    const { events, next } = await readPage(feed, after, types)
    yield { events, next }
    if (next === after) await feed.pause()
    after = next
  }
}

async function readPage(feed: Feed, after: string | undefined, type: EventType[] | undefined) {
  const answer = await feed.listEvents({ after, type, limit: MAX_EVENTS })
  const next = nextParameter(answer.headers, 'after')
  if (next !== undefined) return { events: answer.data, next }
  const { status, requestId } = answer
  throw new AdoptableError('unexpected_answer', 'The events have no next page.', { status, requestId })
}

/** Copies all animals, then follows the feed. Copies them again when the feed no longer has the next event. */
export async function mirrorPets(feed: Feed, { after, ...target }: MirrorParameters): Promise<never> {
  for (;;) {
    try {
      after ??= await copyPets(feed, target)
      await followPets(feed, target, after)
    } catch (error) {
      if (!(error instanceof AdoptableError) || error.code !== 'events_expired') throw error
      after = undefined
    }
  }
}

/** @returns the event from which to follow the feed. It is read before the copy, so no change is missed */
async function copyPets(feed: Feed, target: MirrorTarget): Promise<string> {
  const { next } = await readPage(feed, 'latest', PET_EVENTS)
  const ids = new Set<number>()
  let batch: Pet[] = []
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await target.onUpsert(batch)
    batch = []
  }
  for await (const pet of feed.allPets()) {
    ids.add(pet.id)
    batch.push(pet)
    if (batch.length === MAX_PETS) await flush()
  }
  await flush()
  await target.onCopied(ids)
  await target.onProgress?.(next)
  return next
}

async function followPets(feed: Feed, target: MirrorTarget, after: string): Promise<void> {
  let position = after
  for await (const { events, next } of eventPages(feed, { after, types: PET_EVENTS })) {
    const ids = [...new Set(events.flatMap(({ data: { petId } }) => petId ?? []))]
    for (let from = 0; from < ids.length; from += MAX_PETS)
      await updatePets(feed, target, ids.slice(from, from + MAX_PETS))
    if (next !== position) await target.onProgress?.(next)
    position = next
  }
}

/** Reads animals again, because an event does not contain them. */
async function updatePets(feed: Feed, target: MirrorTarget, ids: number[]): Promise<void> {
  const { data: pets } = await feed.listPets({ id: ids, limit: MAX_PETS })
  const found = new Set(pets.map(({ id }) => id))
  const removed = ids.filter((id) => !found.has(id))
  if (pets.length > 0) await target.onUpsert(pets)
  if (removed.length > 0) await target.onRemove(removed)
}
