/** Items that wait: one queue per key, served in turn. */
export class RoundRobin<Item> {
  /** The order of the queues is the order of their turns. */
  readonly #queues = new Map<string, Item[]>()

  add(key: string, item: Item): void {
    const queue = this.#queues.get(key)
    if (queue) queue.push(item)
    else this.#queues.set(key, [item])
  }

  /** Takes the first item that fits from the first queue with such an item. That queue moves to the end. */
  takeNext(fits: (item: Item) => boolean = () => true): Item | undefined {
    for (const [key, queue] of this.#queues) {
      const index = queue.findIndex(fits)
      if (index < 0) continue
      this.#queues.delete(key)
      if (queue.length > 1) this.#queues.set(key, queue.toSpliced(index, 1))
      return queue[index]
    }
    return undefined
  }

  /** Takes all items of a queue that fit. */
  takeAll(key: string, fits: (item: Item) => boolean = () => true): Item[] {
    const { true: taken = [], false: rest } = Object.groupBy(this.#queues.get(key) ?? [], (item) =>
      fits(item) ? 'true' : 'false',
    )
    if (rest) this.#queues.set(key, rest)
    else this.#queues.delete(key)
    return taken
  }

  /** Takes all items of all queues that fit. */
  takeEvery(fits: (item: Item) => boolean): Item[] {
    return [...this.#queues.keys()].flatMap((key) => this.takeAll(key, fits))
  }

  remove(key: string, item: Item): void {
    const queue = this.#queues.get(key) ?? []
    const index = queue.indexOf(item)
    if (index >= 0) queue.splice(index, 1)
    if (queue.length === 0) this.#queues.delete(key)
  }
}
