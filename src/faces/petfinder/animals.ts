import { randomInt } from 'node:crypto'
import type { Context } from '../../context.ts'
import * as organizations from '../../organizations/store.ts'
import type { Found } from '../../pets/collect.ts'
import { countMatches } from '../../pets/count.ts'
import { type Asked, find } from '../../pets/find.ts'
import type { Finder } from '../../pets/finder.ts'
import type { Position } from '../../pets/order.ts'
import { scopeOf } from '../../pets/query.ts'
import type { Show } from '../../pets/row.ts'
import { type Shown, STATUSES, toAnimal } from './animal.ts'
import { type List, PICKED, renamed } from './asked.ts'
import type { Given } from './given.ts'
import { totals } from './totals.ts'
import type { Categories } from './types.ts'
import { MOST_PASSED, walks } from './walks.ts'

// Pages of animals by their number.

/** So often a page goes on where a search ended early. */
const MOST_ROUNDS = 10

export interface Page {
  animals: Found[]
  total: number
}

/** Lists of animals as old clients page through them. */
export function animalLists(finder: Finder, context: Pick<Context, 'version'>) {
  const steady = (): number => performance.now()
  const known = walks(steady)
  const totalOf = totals(context, steady)

  /** From a place on, up to a number of animals; fewer where there are no more. */
  async function read(query: Asked, place: number, count: number, show: Show): Promise<Found[]> {
    const list = scopeOf(query, 'public')
    const from = known.nearest(list, place)
    let after: Position | undefined = from.position
    let skip = place - from.place
    const animals: Found[] = []
    for (let round = 0; round < MOST_ROUNDS && animals.length < count; round += 1) {
      const start = { query: { ...query, limit: count - animals.length }, picked: PICKED, after, skip }
      const { found, next, left = 0 } = await find(finder, start, show)
      animals.push(...found.slice(0, count - animals.length))
      after = animals.length < count ? next : animals.at(-1)?.position
      skip = left
      if (after) known.keep(list, place + animals.length - left, after)
      if (next === undefined) break
    }
    return animals
  }

  return async (list: List, given: Given, show: Show): Promise<Page> => {
    const { query, sort, page, limit } = list
    if (!query) return { animals: [], total: 0 }
    try {
      const total = await totalOf(scopeOf(query, 'public'), () => countMatches(finder, query))
      const place = (page - 1) * limit
      if (place >= total) return { animals: [], total }
      if (sort === 'random') return { animals: await some(query, total, limit), total }
      if (sort === '-distance') return { animals: await farthest(query, total, place), total }
      requireReach(place - known.nearest(scopeOf(query, 'public'), place).place)
      return { animals: await read(query, place, limit, show), total }
    } catch (error) {
      throw renamed(error)
    }

    function requireReach(distance: number): void {
      if (distance > MOST_PASSED)
        given.refuse('page', `This page is too far: read the pages before it one after the other, or filter.`)
      given.require()
    }

    /** The nearest from the end on. */
    async function farthest(query: Asked, total: number, place: number): Promise<Found[]> {
      const [from, to] = [Math.max(total - place - limit, 0), total - place]
      requireReach(from - known.nearest(scopeOf(query, 'public'), from).place)
      return (await read(query, from, to - from, show)).reverse()
    }

    /** Neighbours from anywhere among the newest on, in any order: another choice each time. */
    async function some(query: Asked, total: number, limit: number): Promise<Found[]> {
      const reach = Math.min(total, MOST_PASSED)
      const count = Math.min(limit, reach)
      const from = randomInt(reach)
      const found = await read(query, from, Math.min(count, reach - from), show)
      if (found.length < count) found.push(...(await read(query, 0, count - found.length, show)))
      for (let left = found.length; left > 1; left -= 1) {
        const other = randomInt(left)
        ;[found[left - 1], found[other]] = [found[other] as Found, found[left - 1] as Found]
      }
      return found
    }
  }
}

/** Those that these clients see, as they know them, each with what is shown of its organization. */
export async function toAnimals(
  { db, config }: Pick<Context, 'db' | 'config'>,
  found: Pick<Found, 'json'>[],
  { typeOf }: Categories,
) {
  const pets = found.map(({ json }) => JSON.parse(json) as Shown)
  const ids = new Set(pets.flatMap(({ organizationId }) => organizationId ?? []))
  const owners = new Map((await organizations.findMany(db, [...ids])).map((owner) => [owner.id, owner]))
  return pets.flatMap((pet) => {
    const type = typeOf.get(pet.categoryId)
    const owner = owners.get(pet.organizationId ?? 0)
    const isShown = pet.status !== undefined && Object.hasOwn(STATUSES, pet.status)
    return type && isShown ? [toAnimal(pet, { type, owner, origin: config.origin })] : []
  })
}
