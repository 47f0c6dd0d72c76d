/** Choices that follow from a seed, so a run can be repeated. */
export interface Random {
  /** True with this probability. */
  chance(probability: number): boolean
  /** From `min` to `max`, both included. */
  integer(min: number, max: number): number
  pick<Item>(list: readonly Item[]): Item
  weighted<Item>(list: readonly (readonly [weight: number, item: Item])[]): Item
  shuffled<Item>(list: readonly Item[]): Item[]
}

/** Numbers from 0 to less than 1, from the generator mulberry32. */
export function fractionsFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function shuffled<Item>(list: readonly Item[], fraction: () => number): Item[] {
  const places = list.map((item) => ({ item, place: fraction() }))
  return places.sort((one, two) => one.place - two.place).map(({ item }) => item)
}

export function randomFrom(seed: number): Random {
  const fraction = fractionsFrom(seed)
  const integer = (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1))
  const pick = <Item>(list: readonly Item[]): Item => list[integer(0, list.length - 1)] as Item
  return {
    chance: (probability) => fraction() < probability,
    integer,
    pick,
    weighted(list) {
      let left = fraction() * list.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of list) {
        left -= weight
        if (left < 0) return item
      }
      return pick(list)[1]
    },
    shuffled: (list) => shuffled(list, fraction),
  }
}

/** Splits the lines at `¦`, so many short texts need few lines of source. */
export const list = (...lines: string[]): string[] => lines.join('¦').split('¦')
