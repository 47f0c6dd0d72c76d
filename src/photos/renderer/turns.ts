import { ApiError, Overload } from '../../errors.ts'

/** Who asks for a photo to be read. */
export interface Asking {
  /** Callers take turns, whatever each of them asks for. */
  caller: string
  /** Goes before what is made later of photos that are there. */
  isUpload: boolean
  /** Whether nobody waits for it any more: it is then dropped before it begins. */
  isGone?: () => boolean
}

interface Waiting {
  isGone: () => boolean
  go(): Promise<void>
  drop(): void
}

/** The first of each caller's own, by their names, in the order of their turns. */
type Lanes = Map<string, Waiting[]>

/**
 * So many of one caller wait for their turn at most. A page of photos that are not made yet asks for all of
 * them at once, which an uploading program need not do.
 */
const MAX_OF_ONE = { upload: 8, rendition: 20 } as const
/** So many wait at most of all callers, of whom there may be as many as there are addresses. */
const MAX_OF_ALL = 64
/** After so many uploads something else has its turn: who uploads all day keeps no visitor out. */
const MAX_IN_A_ROW = 4

/**
 * One thing is done after the other, and callers take turns: one who asks for much waits for himself, and the
 * others wait for one of his at a time.
 */
export function takeTurns() {
  const lanes: { upload: Lanes; rendition: Lanes } = { upload: new Map(), rendition: new Map() }
  let isBusy = false
  let inARow = 0

  function next(): Waiting | undefined {
    const order =
      inARow < MAX_IN_A_ROW ? (['upload', 'rendition'] as const) : (['rendition', 'upload'] as const)
    for (const kind of order) {
      const found = nextOf(lanes[kind])
      if (!found) continue
      inARow = kind === 'upload' ? inARow + 1 : 0
      return found
    }
    return undefined
  }

  async function work(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (let one = next(); one; one = next()) await one.go()
    isBusy = false
  }

  /** @throws {ApiError} service_unavailable when too many wait; request_timeout when the caller went away */
  return async function inTurn<Result>(
    { caller, isUpload, isGone = () => false }: Asking,
    run: () => Promise<Result>,
  ): Promise<Result> {
    const kind = isUpload ? 'upload' : 'rendition'
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    enter(lanes[kind], caller, MAX_OF_ONE[kind], {
      // Whoever need not wait gets what it asks for, even if it has closed its side of the connection.
      isGone: isBusy ? isGone : () => false,
      go: () => run().then(resolve, reject),
      // Nobody reads that, and nothing is wrong with the service.
      drop: () => reject(new ApiError('request_timeout')),
    })
    void work()
    return promise
  }
}

/** @throws {ApiError} service_unavailable */
function enter(lanes: Lanes, caller: string, most: number, waiting: Waiting): void {
  let own = lanes.get(caller) ?? []
  // Whose clients are gone hold no place.
  if (own.length >= most) own = withoutGone(own)
  if (own.length >= most) throw tooMany('Too many of your photos', caller)
  let all = 0
  for (const { length } of lanes.values()) all += length
  if (all >= MAX_OF_ALL) throw tooMany('Too many photos', 'everybody')
  own.push(waiting)
  lanes.set(caller, own)
}

function withoutGone(own: Waiting[]): Waiting[] {
  for (const one of own) if (one.isGone()) one.drop()
  return own.filter((one) => !one.isGone())
}

/** Takes the first of the caller whose turn it is, who then goes behind the others. */
function nextOf(lanes: Lanes): Waiting | undefined {
  for (const [caller, own] of lanes) {
    lanes.delete(caller)
    const [first, ...rest] = withoutGone(own)
    if (rest.length > 0) lanes.set(caller, rest)
    if (first) return first
  }
  return undefined
}

function tooMany(what: string, whose: string): ApiError {
  const message = `${what} wait to be read. Wait for the seconds in Retry-After, then send this again.`
  return new ApiError('service_unavailable', {
    message,
    cause: new Overload(`too many photos of ${whose} wait`),
  })
}
