/** In degrees. */
export interface Point {
  latitude: number
  longitude: number
}

/** The mean radius of the earth in metres, as the IUGG has it. */
const EARTH_METERS = 6_371_008.8
/** Of a degree along a meridian. */
const DEGREE_METERS = (EARTH_METERS * Math.PI) / 180

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** Along the great circle, in whole metres; exact over the date line and at the poles (haversine). */
export function metersBetween(one: Point, other: Point): number {
  const north = Math.sin(radians(other.latitude - one.latitude) / 2)
  const east = Math.sin(radians(other.longitude - one.longitude) / 2)
  const cosines = Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude))
  return Math.round(2 * EARTH_METERS * Math.asin(Math.min(1, Math.hypot(north, east * Math.sqrt(cosines)))))
}

/** The latitudes between which every point lies that is so near. */
export function latitudesAround({ latitude }: Point, meters: number): [from: number, to: number] {
  const degrees = meters / DEGREE_METERS
  return [latitude - degrees, latitude + degrees]
}
