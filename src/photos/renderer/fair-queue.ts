import { ApiError } from '../../errors.ts'
import { openRoundRobin, type RoundRobin } from '../../limits/round-robin.ts'
import { openShare, type Party, queueKeyOf } from '../../limits/shares.ts'

/** The client that a photo is rendered for. */
export interface RenderClient {
  /** The queue serves parties in turn. */
  party: Party
  /** True for an upload, which goes before missing sizes of stored photos. */
  isUpload: boolean
  /** Returns true when the client no longer waits. The queue then drops the photo without reading it. */
  isGone?: () => boolean
}

/** Steps before a photo is read. An error in a step drops the photo. */
export interface RenderSteps {
  /** Runs as soon as the photo is in the queue. Other photos do not wait for this step. */
  prepare?: (() => Promise<void>) | undefined
  /** Runs when it is the photo's turn. */
  onTurn?: (() => Promise<void>) | undefined
}

interface QueuedPhoto {
  isGone: () => boolean
  go(): Promise<void>
  drop(): void
}

/** After this many uploads in a row, one missing size is made, so uploads never block visitors. */
const MAX_IN_A_ROW = 4

/** Reads one photo after another. Parties take turns, so others wait for only one photo of a busy party. */
export function fairQueue() {
  const waiting = { upload: openRoundRobin<QueuedPhoto>(), rendition: openRoundRobin<QueuedPhoto>() }
  const shares = { upload: openShare('newPhotos'), rendition: openShare('photoSizes') }
  let isBusy = false
  let inARow = 0

  function next(): QueuedPhoto | undefined {
    const order =
      inARow < MAX_IN_A_ROW ? (['upload', 'rendition'] as const) : (['rendition', 'upload'] as const)
    for (const kind of order) {
      const photo = takePresent(waiting[kind])
      if (!photo) continue
      inARow = kind === 'upload' ? inARow + 1 : 0
      return photo
    }
    return undefined
  }

  async function work(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (let photo = next(); photo; photo = next()) await photo.go()
    isBusy = false
  }

  /** @throws {ApiError} as `Share.take`, `read` and the steps; request_timeout when the client went away */
  return async function enqueue<Result>(
    { party, isUpload, isGone = () => false }: RenderClient,
    read: () => Promise<Result>,
    { prepare, onTurn }: RenderSteps = {},
  ): Promise<Result> {
    const kind = isUpload ? 'upload' : 'rendition'
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const key = queueKeyOf(party)
    // Drops the photos of disconnected clients first, to make room.
    for (const photo of waiting[kind].takeAll(key, ({ isGone }) => isGone())) photo.drop()
    const place = shares[kind].take(party)
    const release = () => place[Symbol.dispose]()
    try {
      if (prepare) await prepare()
    } catch (error) {
      release()
      throw error
    }
    waiting[kind].add(key, {
      // If the queue is idle, the client gets its photo even if it has closed its side of the connection.
      isGone: isBusy ? isGone : () => false,
      go: async () => {
        try {
          await onTurn?.()
          resolve(await read())
        } catch (error) {
          reject(error)
        } finally {
          release()
        }
      },
      drop() {
        release()
        // No client reads this answer, and it is not an error of the service.
        reject(new ApiError('request_timeout'))
      },
    })
    void work()
    return promise
  }
}

/** Drops the photos whose clients have left, and takes the next of the others. */
function takePresent(waiting: RoundRobin<QueuedPhoto>): QueuedPhoto | undefined {
  for (const photo of waiting.takeEvery(({ isGone }) => isGone())) photo.drop()
  return waiting.takeNext()
}
