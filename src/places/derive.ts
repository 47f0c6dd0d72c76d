import type { Point } from './distance.ts'
import { locate } from './gazetteer.ts'
import type { Where } from './place-keys.ts'

/** A place as somebody told it, with its coordinates or without. */
export type Told = { [Name in keyof Where]: Where[Name] | null } & {
  latitude?: number | null | undefined
  longitude?: number | null | undefined
}

export const WHERE = ['city', 'region', 'postcode', 'country'] as const

/** Coordinates are a courtesy: whatever keeps the lists from being read, a place is kept as it was told. */
function known(where: Told): Promise<Point | undefined> {
  return locate(withoutNulls(where)).catch(() => undefined)
}

/** Of a new place; undefined where it has some already, or nobody knows. */
export async function coordinatesOf(place: Told | undefined): Promise<Point | undefined> {
  if (!place || has(place)) return undefined
  return known(place)
}

/**
 * What becomes of the coordinates of a place when it is told anew: those that somebody gave stay, and those
 * of the postcode or city that it was in move along.
 *
 * @returns undefined where nothing changes; null where nobody knows any more
 */
export async function coordinatesAfter(before: Told, patch: Told): Promise<Point | null | undefined> {
  if (has(patch) || WHERE.every((name) => patch[name] === undefined)) return undefined
  if (typeof before.latitude === 'number') {
    const point = await known(before)
    if (point?.latitude !== before.latitude || point.longitude !== before.longitude) return undefined
  }
  const after = Object.fromEntries(
    WHERE.map((name) => [name, patch[name] === undefined ? before[name] : patch[name]]),
  )
  return (await known(after)) ?? null
}

function has({ latitude, longitude }: Told): boolean {
  return latitude !== undefined || longitude !== undefined
}

function withoutNulls(where: Told): Where {
  return Object.fromEntries(WHERE.map((name) => [name, where[name] ?? undefined]))
}
