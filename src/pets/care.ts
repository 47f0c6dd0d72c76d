/** The dates that say since when an animal is in care. Times are Unix milliseconds or ISO times. */
export interface CareDates {
  intakeDate?: string | undefined
  createdAt?: number | string | null | undefined
  publishedAt?: number | string | null | undefined
}

/**
 * @returns the date from which days in care count: the intake date, or the first day on which the service
 * knew the animal
 */
export function careStart({ intakeDate, createdAt, publishedAt }: CareDates): string | undefined {
  if (intakeDate !== undefined) return intakeDate
  const times = [createdAt, publishedAt].flatMap((time) => (time ? [new Date(time).toISOString()] : []))
  return times.sort()[0]?.slice(0, 10)
}
