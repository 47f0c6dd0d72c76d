/** Coordinates in degrees. */
export interface Point {
  latitude: number
  longitude: number
}

export const METERS_PER_MILE = 1_609.344
/** The mean radius of the Earth (IUGG). */
const EARTH_METERS = 6_371_008.8
/** The length of one degree along a meridian. */
const DEGREE_METERS = (EARTH_METERS * Math.PI) / 180

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** The great-circle distance in whole meters (haversine), also across the date line and at the poles. */
export function metersBetween(one: Point, other: Point): number {
  const north = Math.sin(radians(other.latitude - one.latitude) / 2)
  const east = Math.sin(radians(other.longitude - one.longitude) / 2)
  const cosines = Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude))
  return Math.round(2 * EARTH_METERS * Math.asin(Math.min(1, Math.hypot(north, east * Math.sqrt(cosines)))))
}

/** The range of latitudes of all points within a distance. */
export function latitudesAround({ latitude }: Point, meters: number): [from: number, to: number] {
  const degrees = meters / DEGREE_METERS
  return [latitude - degrees, latitude + degrees]
}
