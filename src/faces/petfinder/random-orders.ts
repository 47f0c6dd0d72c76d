import { hash } from 'node:crypto'
import type { SearchResult } from '../../pets/search/find.ts'
import type { Position } from '../../pets/search/matching.ts'
import {
  type AnimalPage,
  type AnimalSource,
  compareIn,
  MAX_SKIPPED,
  type PageOrder,
} from './animal-reader.ts'

// Random order. A client reads a list from a random animal to its end, and then from its beginning. The
// animals of a page are shuffled. The order stays for an hour, even if animals are added.

const HOUR_MS = 3_600_000
/** The maximum number of remembered orders. */
const MAX_ORDERS = 10_000

interface RandomOrder {
  seed: string
  /** The order begins with the animals after this position. Undefined to begin with the newest animal. */
  anchor: Position | undefined
  at: number
}

/**
 * @param clock Unix time in milliseconds
 * @returns a function that reads a page of the newest animals in the random order of a client
 */
export function randomOrders({ read, totalOf }: AnimalSource, clock: () => number) {
  const orders = new Map<string, RandomOrder>()

  async function orderOf(order: PageOrder, client: string, reach: number): Promise<RandomOrder> {
    const key = `${client} ${order.hash}`
    const existing = orders.get(key)
    if (existing && Math.abs(clock() - existing.at) < HOUR_MS) return existing
    // Other processes choose the same order, because it follows from the client, the list and the hour.
    const seed = hash('sha256', `${key} ${Math.floor(clock() / HOUR_MS)}`)
    const from = Math.floor((Number.parseInt(seed.slice(0, 8), 16) / 2 ** 32) * reach)
    const before = { start: { index: 0, position: undefined }, index: from - 1, count: 1 }
    const [last] = from === 0 ? [] : (await read(order, before)).animals
    const [oldest] = orders.keys()
    if (orders.size >= MAX_ORDERS && oldest !== undefined) orders.delete(oldest)
    const chosen = { seed, anchor: last?.position, at: clock() }
    orders.delete(key)
    orders.set(key, chosen)
    return chosen
  }

  return async (order: PageOrder, client: string): Promise<AnimalPage> => {
    const { query, index, limit } = order
    const counted = await totalOf(order)
    const total = { ...counted, count: Math.min(counted.count, MAX_SKIPPED) }
    if (index >= total.count) return { animals: [], total }
    const { seed, anchor } = await orderOf(order, client, total.count)
    const start = { index: 0, position: anchor }
    const { animals, remainingSkip } = await read(order, { start, index, count: limit })
    if (anchor && animals.length < limit) {
      const rest = {
        start: { index: 0, position: undefined },
        index: remainingSkip,
        count: limit - animals.length,
      }
      const { animals: others } = await read(order, rest)
      animals.push(...others.filter(({ position }) => compareIn(query, position, anchor) <= 0))
    }
    return { animals: shuffled(animals, seed), total }
  }
}

function shuffled(animals: SearchResult[], seed: string): SearchResult[] {
  const ranks = new Map(animals.map((animal) => [animal, hash('md5', `${seed} ${animal.id}`)]))
  return animals.sort((one, other) => ((ranks.get(one) ?? '') < (ranks.get(other) ?? '') ? -1 : 1))
}
