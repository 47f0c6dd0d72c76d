/** The number of digits after the decimal point of a currency; 2 for an unknown one. */
export function fractionDigitsOf(currency: string | undefined): number {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency ?? '' })
    return format.resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}
