/** Choices that a seed decides about: the same every time. */
export interface Random {
  /** True with this probability. */
  often(probability: number): boolean
  /** From `least` to `most`, both included. */
  whole(least: number, most: number): number
  pick<Item>(list: readonly Item[]): Item
  weighed<Item>(list: readonly (readonly [weight: number, item: Item])[]): Item
  shuffled<Item>(list: readonly Item[]): Item[]
}

/** On the generator mulberry32, which has enough states for any stream here. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0

  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (least: number, most: number): number => least + Math.floor(fraction() * (most - least + 1))
  const pick = <Item>(list: readonly Item[]): Item => list[whole(0, list.length - 1)] as Item
  return {
    often: (probability) => fraction() < probability,
    whole,
    pick,
    weighed(list) {
      let left = fraction() * list.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of list) {
        left -= weight
        if (left < 0) return item
      }
      return pick(list)[1]
    },
    shuffled: (list) =>
      list
        .map((item) => ({ item, place: fraction() }))
        .sort((one, two) => one.place - two.place)
        .map(({ item }) => item),
  }
}
