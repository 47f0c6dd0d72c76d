// Clients of this face count in miles.

const METERS_IN_A_MILE = 1_609.344

/** To four decimals. */
export function toMiles(meters: number | undefined): number | null {
  return meters === undefined ? null : Number((meters / METERS_IN_A_MILE).toFixed(4))
}

export const toMeters = (miles: number): number => miles * METERS_IN_A_MILE
