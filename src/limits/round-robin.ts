export type RoundRobin<Item> = ReturnType<typeof openRoundRobin<Item>>

/** Items that wait: one queue per key, served in turn. */
export function openRoundRobin<Item>() {
  /** The order of the queues is the order of their turns. */
  const queues = new Map<string, Item[]>()

  /** Takes all items of a queue that fit. */
  function takeAll(key: string, fits: (item: Item) => boolean = () => true): Item[] {
    const { true: taken = [], false: rest } = Object.groupBy(queues.get(key) ?? [], (item) =>
      fits(item) ? 'true' : 'false',
    )
    if (rest) queues.set(key, rest)
    else queues.delete(key)
    return taken
  }

  return {
    takeAll,

    add(key: string, item: Item): void {
      const queue = queues.get(key)
      if (queue) queue.push(item)
      else queues.set(key, [item])
    },

    /** Takes the first item that fits from the first queue with such an item. That queue moves to the end. */
    takeNext(fits: (item: Item) => boolean = () => true): Item | undefined {
      for (const [key, queue] of queues) {
        const index = queue.findIndex(fits)
        if (index < 0) continue
        queues.delete(key)
        if (queue.length > 1) queues.set(key, queue.toSpliced(index, 1))
        return queue[index]
      }
      return undefined
    },

    /** Takes all items of all queues that fit. */
    takeEvery: (fits: (item: Item) => boolean): Item[] =>
      [...queues.keys()].flatMap((key) => takeAll(key, fits)),

    remove(key: string, item: Item): void {
      const queue = queues.get(key) ?? []
      const index = queue.indexOf(item)
      if (index >= 0) queue.splice(index, 1)
      if (queue.length === 0) queues.delete(key)
    },
  }
}
