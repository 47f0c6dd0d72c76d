import { Counter, Histogram, type Registry } from 'prom-client'

// Counting that costs a request a few additions: prom-client's own checks and joins the labels each time. It
// is told at a scrape only.

interface Options {
  name: string
  help: string
  labelNames: string[]
}

interface Cell {
  /** Since the last scrape. */
  count: number
}

export function counter(registry: Registry, options: Options) {
  const cells: { cell: Cell; labels: string[] }[] = []
  const own = new Counter({
    ...options,
    registers: [registry],
    collect() {
      for (const { cell, labels } of cells) {
        own.labels(...labels).inc(cell.count)
        cell.count = 0
      }
    },
  })
  return remember((...labels): Cell => {
    const cell = { count: 0 }
    cells.push({ cell, labels })
    return cell
  })
}

/** @param options with the upper bounds of the buckets, ascending */
export function histogram(registry: Registry, options: Options & { buckets: number[] }) {
  const { name, help, labelNames, buckets } = options
  const rows: { labels: Record<string, string>; counts: number[]; sum: number }[] = []
  const samples = () =>
    rows.flatMap(({ labels, counts, sum }) => {
      let below = 0
      const filled = counts.map((count, index) => {
        below += count
        const le = buckets[index] ?? '+Inf'
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
      })
      return [
        ...filled,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: below },
      ]
    })
  const get = async () => ({ name, help, type: 'histogram', values: samples(), aggregator: 'sum' })
  // One that is read as any other, from our own numbers.
  Object.assign(new Histogram({ ...options, registers: [registry] }), { get, getForPromString: get })

  return remember((...values) => {
    const labels = Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? '']))
    const row = { labels, counts: [...buckets, 0].map(() => 0), sum: 0 }
    rows.push(row)
    return {
      observe(value: number): void {
        let index = 0
        while (value > (buckets[index] ?? Number.POSITIVE_INFINITY)) index += 1
        row.counts[index] = (row.counts[index] ?? 0) + 1
        row.sum += value
      },
    }
  })
}

/** What was made for these labels before, or is made now. Maps in maps: joining texts would take longer. */
function remember<Made>(make: (...labels: string[]) => Made) {
  const made = new Map<string, Map<string, Map<string, Made>>>()
  return (first: string, second = '', third = ''): Made => {
    const known = made.get(first)?.get(second)?.get(third)
    if (known !== undefined) return known
    const fresh = make(...[first, second, third].filter(Boolean))
    const behind = made.get(first) ?? new Map<string, Map<string, Made>>()
    const last = behind.get(second) ?? new Map<string, Made>()
    made.set(first, behind.set(second, last.set(third, fresh)))
    return fresh
  }
}
