import type { Point } from '../../places/distance.ts'
import { latitudesAround } from '../../places/distance.ts'

/*
 * Where an animal is, as squares of three grids: of a tenth of a degree, of one degree and of two. What is
 * near a point is in few of them. How near it is exactly, each animal tells.
 */

/** By how many squares make a degree, the finest first. */
const GRIDS = { cell: 10, area: 1, zone: 0.5 } as const
type Grid = keyof typeof GRIDS

const tokenOf = (grid: Grid, latitude: number, longitude: number): string =>
  `${grid}:${latitude},${longitude}`

export function cellsOf(point: Partial<Point> | undefined): string[] {
  const { latitude, longitude } = point ?? {}
  if (latitude === undefined || longitude === undefined) return []
  return (Object.keys(GRIDS) as Grid[]).map((grid) =>
    tokenOf(grid, Math.floor(latitude * GRIDS[grid]), Math.floor(longitude * GRIDS[grid])),
  )
}

/** Of more cells a search would take longer than one that looks at each animal. */
const MAX_CELLS = 60
const METERS_OF_A_DEGREE = 111_195

/** The cells within some metres of a point; undefined where these are too many, as at the poles. */
export function cellsNear(point: Point, meters: number): string[] | undefined {
  for (const grid of Object.keys(GRIDS) as Grid[]) {
    const found = cellsIn(grid, point, meters)
    if (found) return found
  }
  return undefined
}

function cellsIn(grid: Grid, point: Point, meters: number): string[] | undefined {
  const size = GRIDS[grid]
  const [south, north] = latitudesAround(point, meters + 1)
  // The public coordinates of an animal are rounded by up to this.
  const rounding = 0.006
  const [first, last] = [Math.floor((south - rounding) * size), Math.floor((north + rounding) * size)]
  const farthest = Math.max(Math.abs(south), Math.abs(north)) + rounding
  // Around a pole all longitudes are near.
  if (farthest >= 89) return undefined
  const reach = (meters + 1) / METERS_OF_A_DEGREE / Math.cos((farthest * Math.PI) / 180) + rounding
  const [west, east] = [
    Math.floor((point.longitude - reach) * size),
    Math.floor((point.longitude + reach) * size),
  ]
  if ((last - first + 1) * (east - west + 1) > MAX_CELLS) return undefined
  const found: string[] = []
  for (let latitude = first; latitude <= last; latitude += 1)
    for (let longitude = west; longitude <= east; longitude += 1)
      found.push(tokenOf(grid, latitude, around(longitude, 360 * size)))
  return [...new Set(found)]
}

/** Beyond the date line it goes on at the other side. */
const around = (at: number, whole: number): number =>
  ((((at + whole / 2) % whole) + whole) % whole) - whole / 2
