import { Worker } from 'node:worker_threads'
import { entryOf } from '../entry.ts'
import type { Point } from './distance.ts'
import { hashOf, keysOf, type Where } from './place-keys.ts'

/** Hashes in their order, each with where it is. */
export interface Gazetteer {
  hashes: Float64Array
  latitudes: Float32Array
  longitudes: Float32Array
}

let loading: Promise<Gazetteer> | undefined

/** So precise are the sources, in degrees: about ten metres. */
const DIGITS = 4

/**
 * Where a postcode or a city lies: of a city the middle, of a name that many have the one where most people
 * live. Nothing is asked of another machine. The lists are read by a thread of their own when the first place
 * is looked up, since that takes a while; what stays are three arrays of some megabytes.
 *
 * @returns undefined where nobody knows
 */
export async function locate(where: Where): Promise<Point | undefined> {
  const keys = keysOf(where)
  if (keys.length === 0) return undefined
  const { hashes, latitudes, longitudes } = await gazetteer()
  for (const key of keys) {
    const at = indexIn(hashes, hashOf(key))
    if (at === undefined) continue
    const rounded = (degrees: number | undefined): number => Number(degrees?.toFixed(DIGITS))
    return { latitude: rounded(latitudes[at]), longitude: rounded(longitudes[at]) }
  }
  return undefined
}

function gazetteer(): Promise<Gazetteer> {
  loading ??= read().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

function read(): Promise<Gazetteer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entryOf('gazetteer-thread', import.meta.url))
    worker.once('message', resolve).once('error', reject)
    worker.once('exit', () => reject(new Error('the list of places was not read')))
  })
}

function indexIn(sorted: Float64Array, wanted: number): number | undefined {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] as number) < wanted) from = middle + 1
    else to = middle
  }
  return sorted[from] === wanted ? from : undefined
}
