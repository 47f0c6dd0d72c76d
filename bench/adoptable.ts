import type { Contestant, Sending } from './contest.ts'
import type { Exchange } from './load.ts'
import {
  ANIMALS,
  answersOf,
  anyAnswer,
  ask,
  type Door,
  LIMITS,
  NEW_PET,
  pagesFrom,
  places,
  type Request,
  record,
  STATUSES,
  unseen,
} from './requests.ts'
import type { Service } from './servers.ts'

export const SAME_PAGE = 'list, the same page'
export const FILTERS = 'list, changing filters'
export const CREATE = 'create'
const UNASKED = 'list, pages never asked before'

/** What is measured, and how much of the bare server is to be reached. */
export const MEASUREMENTS: Record<string, number | undefined> = {
  [SAME_PAGE]: 0.8,
  'list, 304': 0.8,
  [FILTERS]: undefined,
  [UNASKED]: 0.4,
  'find one': 0.6,
  [CREATE]: 0.5,
  patch: undefined,
}

/** With 39 limits for each cursor: more pages than a load can ask for. */
const CURSORS = 960

export interface Adoptable extends Contestant {
  /** Animals that the service said it has added, and those added to its file. */
  added(): number
}

const get = (path: string, headers = {}): Request => ({ method: 'GET', path, headers })
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** The service with ANIMALS animals in it. */
export function adoptable(name: string, service: Service, key: string): Adoptable {
  const { port, pid } = service
  const door: Door = { port, key }
  let added = ANIMALS
  let pages: Promise<Exchange[]> | undefined

  const recorded = async (requests: Request[]): Promise<Sending & { recorded: number }> => {
    const exchanges = await record(door, requests)
    return { exchanges, answers: answersOf(exchanges), recorded: requests.length }
  }

  const neverAsked = async (): Promise<Sending> => {
    pages ??= unaskedPages(door)
    // A commit, after which a page of an earlier round has to be made anew like any other.
    await ask(door, renamed(1, String(performance.now())))
    return { exchanges: await pages, once: true, answers: await anyAnswer(door, get('/v1/pets?limit=20')) }
  }

  const create = async (): Promise<Sending> => {
    const sending = await recorded([{ method: 'POST', path: '/v1/pets', body: NEW_PET }])
    const after = ({ answers }: { answers: number }) => {
      added += sending.recorded + answers
    }
    return { ...sending, after }
  }

  const known = async (): Promise<Sending> => {
    const [page] = await record(door, [get('/v1/pets')])
    return recorded([get('/v1/pets', { 'if-none-match': page?.etag ?? '' })])
  }

  const sendings: Record<string, () => Promise<Sending>> = {
    [SAME_PAGE]: () => recorded([get('/v1/pets')]),
    'list, 304': known,
    [FILTERS]: () => recorded(filtered('/v1/pets?limit=')),
    [UNASKED]: neverAsked,
    'find one': () => recorded(range(256).map((id) => get(`/v1/pets/${id}`))),
    [CREATE]: create,
    // Each animal gets one name after the other, so that every patch changes something.
    patch: () => recorded(['Ada', 'Bob'].flatMap((name) => range(256).map((id) => renamed(id, name)))),
  }
  return {
    name,
    port,
    pid,
    readyMs: [service.readyMs],
    prepare: async (measurement) => sendings[measurement]?.(),
    stop: service.stop,
    added: () => added,
  }
}

/** A list's first page in every size and status. */
export function filtered(address: string): Request[] {
  const filters = ['', ...STATUSES.map((status) => `&status=${status}`)]
  return LIMITS.flatMap((limit) => filters.map((filter) => get(`${address}${limit}${filter}`)))
}

export function renamed(id: number, name: string): Request {
  return { method: 'PATCH', path: `/v1/pets/${id}`, body: JSON.stringify({ name }) }
}

async function unaskedPages(door: Door): Promise<Exchange[]> {
  const orders = ['', '&sort=id'].map((order) => places(door, order, CURSORS))
  return unseen(door, pagesFrom((await Promise.all(orders)).flat(), LIMITS), LIMITS.length)
}
