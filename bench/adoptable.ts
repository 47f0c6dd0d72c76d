import { megabytesOf } from '../torture/lab/proc.ts'
import type { Contestant, Sending } from './contest.ts'
import type { Exchange } from './load.ts'
import {
  ANIMALS,
  addAnimals,
  answersOf,
  anyAnswer,
  ask,
  createUnseen,
  type Door,
  get,
  LIMITS,
  NEW_PET,
  post,
  type Request,
  record,
  STATUSES,
} from './requests.ts'
import { makeKey, type Service, type Store, startService } from './servers.ts'

export const SAME_PAGE = 'list, the same page'
export const FILTERS = 'list, changing filters'
export const CREATE = 'create'
const UNSEEN = 'list, pages not requested before'

/** Measurements, and the target ratio to the bare server. */
export const MEASUREMENTS: Record<string, number | undefined> = {
  [SAME_PAGE]: 0.8,
  'list, 304': 0.8,
  [FILTERS]: undefined,
  [UNSEEN]: 0.4,
  'find one': 0.6,
  [CREATE]: 0.5,
  patch: undefined,
}

/** Each cursor can be combined with 39 limits, so there are more pages than a load can request. */
const CURSORS = 960

export interface Adoptable extends Contestant {
  door: Door
  /** Number of animals at the start, plus those that the service has created since. */
  added(): number
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Starts adoptable, and adds the animals. */
export async function startAdoptable(name: string, store: Store): Promise<Adoptable> {
  const key = await makeKey(store)
  const service = await startService(store)
  const startMb = megabytesOf(service.pid, 'now')
  await addAnimals({ port: service.port, key })
  return { ...adoptable(name, service, key), startMb }
}

/** A contestant for a service with ANIMALS animals. */
export function adoptable(name: string, service: Omit<Service, 'longestTurnMs'>, key: string): Adoptable {
  const { port, pid, readyMs, stop } = service
  const door: Door = { port, key }
  let added = ANIMALS
  let pages: Promise<Exchange[]> | undefined

  const recorded = async (requests: Request[]): Promise<Sending & { recorded: number }> => {
    const exchanges = await record(door, requests)
    return { exchanges, answers: answersOf(exchanges), recorded: requests.length }
  }

  const unseenPages = async (): Promise<Sending> => {
    pages ??= createUnseen(door, CURSORS)
    // A commit invalidates the cached pages of earlier rounds.
    await ask(door, renamed(1, String(performance.now())))
    return { exchanges: await pages, once: true, answers: await anyAnswer(door, get('/v1/pets?limit=20')) }
  }

  const create = async (): Promise<Sending> => {
    const sending = await recorded([post('/v1/pets', NEW_PET)])
    const after = ({ answers }: { answers: number }) => {
      added += sending.recorded + answers
    }
    return { ...sending, after }
  }

  const notModified = async (): Promise<Sending> => {
    const [page] = await record(door, [get('/v1/pets')])
    return recorded([get('/v1/pets', { 'if-none-match': page?.etag ?? '' })])
  }

  const preparations: Record<string, () => Promise<Sending>> = {
    [SAME_PAGE]: () => recorded([get('/v1/pets')]),
    'list, 304': notModified,
    [FILTERS]: () => recorded(filtered('/v1/pets?limit=')),
    [UNSEEN]: unseenPages,
    'find one': () => recorded(range(256).map((id) => get(`/v1/pets/${id}`))),
    [CREATE]: create,
    // Names alternate, so every patch changes something.
    patch: () => recorded(['Ada', 'Bob'].flatMap((name) => range(256).map((id) => renamed(id, name)))),
  }
  const prepare = async (measurement: string) => preparations[measurement]?.()
  return { name, port, pid, door, readyMs, prepare, stop, added: () => added }
}

/** First pages of a list in every size and status. */
export function filtered(address: string): Request[] {
  const filters = ['', ...STATUSES.map((status) => `&status=${status}`)]
  return LIMITS.flatMap((limit) => filters.map((filter) => get(`${address}${limit}${filter}`)))
}

export function renamed(id: number, name: string): Request {
  return { method: 'PATCH', path: `/v1/pets/${id}`, body: JSON.stringify({ name }) }
}
