import { ApiError } from '../../errors.ts'
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

/** The waiting photos of each party. The order of the parties is the order of their turns. */
type Lanes = Map<string, QueuedPhoto[]>

/** After this many uploads in a row, one missing size is made, so uploads never block visitors. */
const MAX_IN_A_ROW = 4

/**
 * Reads one photo after another. Parties take turns, so other parties wait for only one photo of a busy party
 * at a time.
 */
export function fairQueue() {
  const lanes: { upload: Lanes; rendition: Lanes } = { upload: new Map(), rendition: new Map() }
  const shares = { upload: openShare('newPhotos'), rendition: openShare('photoSizes') }
  let isBusy = false
  let inARow = 0

  function next(): QueuedPhoto | undefined {
    const order =
      inARow < MAX_IN_A_ROW ? (['upload', 'rendition'] as const) : (['rendition', 'upload'] as const)
    for (const kind of order) {
      const photo = takeNext(lanes[kind])
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
    const waiting = dropGone(lanes[kind].get(key) ?? [])
    if (waiting.length > 0) lanes[kind].set(key, waiting)
    else lanes[kind].delete(key)
    const place = shares[kind].take(party)
    const release = () => place[Symbol.dispose]()
    try {
      if (prepare) await prepare()
    } catch (error) {
      release()
      throw error
    }
    const queue = lanes[kind].get(key) ?? []
    queue.push({
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
    lanes[kind].set(key, queue)
    void work()
    return promise
  }
}

function dropGone(queue: QueuedPhoto[]): QueuedPhoto[] {
  for (const photo of queue) if (photo.isGone()) photo.drop()
  return queue.filter((photo) => !photo.isGone())
}

/** Takes the first photo of the party whose turn it is, and moves that party to the end. */
function takeNext(lanes: Lanes): QueuedPhoto | undefined {
  for (const [key, queue] of lanes) {
    lanes.delete(key)
    const [first, ...rest] = dropGone(queue)
    if (rest.length > 0) lanes.set(key, rest)
    if (first) return first
  }
  return undefined
}
