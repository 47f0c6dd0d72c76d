export interface Spread {
  median: number
  least: number
  most: number
}

/** For an even number of values the median is the mean of the two middle ones. */
export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (place: number) => sorted[place] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  }
}
