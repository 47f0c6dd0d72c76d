import type { Contestant, Sending } from './contest.ts'
import type { Exchange } from './load.ts'
import {
  ANIMALS,
  answersOf,
  anyAnswer,
  ask,
  type Door,
  LIMITS,
  LONGEST_ANIMAL,
  NEW_PET,
  pagesFrom,
  places,
  type Request,
  record,
  recordAlike,
  STATUSES,
  unseen,
} from './requests.ts'
import { addDirectly, type Service } from './servers.ts'

export const SAME_PAGE = 'list, the same page'
export const FILTERS = 'list, changing filters'
export const CREATE = 'create'
export const UNASKED = 'list, pages never asked before'
export const UNASKED_FIELDS = 'list, pages never asked before, three members'

/** What is measured, and how much of the bare server is to be reached. */
export const MEASUREMENTS: Record<string, number | undefined> = {
  [SAME_PAGE]: 0.8,
  'list, 304': 0.8,
  [FILTERS]: undefined,
  [UNASKED]: 0.4,
  'find one': 0.6,
  [CREATE]: 0.5,
  patch: undefined,
  order: undefined,
}

/** More than can be given away in a second; each order needs one of its own. */
const ANIMALS_A_SECOND = 30_000

/** With 39 limits for each cursor: more pages than a load can ask for. */
const CURSORS = 960

export interface Adoptable extends Contestant {
  /** Animals that the service said it has added, and those added to its file. */
  added(): number
}

const get = (path: string, headers = {}): Request => ({ method: 'GET', path, headers })
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

interface Kind {
  /** Without it orders are not measured. */
  file?: string
  newPet?: string
  /** The longest animal in an answer, in bytes. */
  longest?: number
}

/** The service with ANIMALS animals in it. */
export function adoptable(name: string, service: Service, key: string, kind: Kind = {}): Adoptable {
  const { file, newPet = NEW_PET, longest = LONGEST_ANIMAL } = kind
  const { port, pid } = service
  const door: Door = { port, key }
  let added = ANIMALS
  const pages = new Map<string, Promise<Exchange[]>>()

  const recorded = async (requests: Request[]): Promise<Sending & { recorded: number }> => {
    const exchanges = await record(door, requests)
    return { exchanges, answers: answersOf(exchanges), recorded: requests.length }
  }

  const neverAsked = async (query = ''): Promise<Sending> => {
    const found = pages.get(query) ?? unaskedPages(door, query, longest)
    pages.set(query, found)
    // A commit, after which a page of an earlier round has to be made anew like any other.
    await ask(door, renamed(1, String(performance.now())))
    const answers = await anyAnswer(door, get(`/v1/pets?limit=20${query}`))
    return { exchanges: await found, once: true, answers }
  }

  const create = async (): Promise<Sending> => {
    const sending = await recorded([{ method: 'POST', path: '/v1/pets', body: newPet }])
    const after = ({ answers }: { answers: number }) => {
      added += sending.recorded + answers
    }
    return { ...sending, after }
  }

  const order = async (seconds: number): Promise<Sending | undefined> => {
    if (file === undefined) return undefined
    const count = Math.ceil(ANIMALS_A_SECOND * seconds)
    addDirectly(file, count, "'available'")
    const ids = range(count).map((id) => added + id)
    added += count
    const exchanges = await recordAlike(door, ids.map(placeOrder))
    return { exchanges, once: true, answers: answersOf(exchanges.slice(0, 1)) }
  }

  const known = async (): Promise<Sending> => {
    const [page] = await record(door, [get('/v1/pets')])
    return recorded([get('/v1/pets', { 'if-none-match': page?.etag ?? '' })])
  }

  const sendings: Record<string, (seconds: number) => Promise<Sending | undefined>> = {
    [SAME_PAGE]: () => recorded([get('/v1/pets')]),
    'list, 304': known,
    [FILTERS]: () => recorded(filtered('/v1/pets?limit=')),
    [UNASKED]: () => neverAsked(),
    [UNASKED_FIELDS]: () => neverAsked('&fields=id,name,status'),
    'find one': () => recorded(range(256).map((id) => get(`/v1/pets/${id}`))),
    [CREATE]: create,
    // Each animal gets one name after the other, so that every patch changes something.
    patch: () => recorded(['Ada', 'Bob'].flatMap((name) => range(256).map((id) => renamed(id, name)))),
    order,
  }
  return {
    name,
    port,
    pid,
    readyMs: [service.readyMs],
    prepare: async (measurement, seconds) => sendings[measurement]?.(seconds),
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

function placeOrder(petId: number): Request {
  const adopter = { name: 'A. Adopter', email: 'adopter@example.org' }
  return { method: 'POST', path: '/v1/store/orders', body: JSON.stringify({ petId, adopter }) }
}

async function unaskedPages(door: Door, query: string, longest: number): Promise<Exchange[]> {
  const orders = [query, `&sort=id${query}`].map((order) => places(door, order, CURSORS))
  return unseen(door, pagesFrom((await Promise.all(orders)).flat(), LIMITS), LIMITS.length, longest)
}
