import { words } from './word-lists.ts'

// Reads words, numbers and dates as people and programs write them.

export const POUND_GRAMS = 453.592_37
export const KILOGRAM_GRAMS = 1_000

export const UNIT_GRAMS = words<number>({
  ...{ pounds: POUND_GRAMS, pound: POUND_GRAMS, lbs: POUND_GRAMS, lb: POUND_GRAMS },
  ...{ kilograms: KILOGRAM_GRAMS, kilogram: KILOGRAM_GRAMS, kg: KILOGRAM_GRAMS, kgs: KILOGRAM_GRAMS },
  ...{ ounces: POUND_GRAMS / 16, ounce: POUND_GRAMS / 16, oz: POUND_GRAMS / 16 },
  ...{ grams: 1, gram: 1, g: 1 },
  ...{ libras: POUND_GRAMS, libra: POUND_GRAMS, kilos: KILOGRAM_GRAMS, kilo: KILOGRAM_GRAMS },
})

/**
 * Reads a number with a decimal point or comma.
 *
 * @param factor converts into the target unit; the result is rounded to an integer
 * @returns undefined if the text cannot be read, like all functions below
 */
export function parseNumber(text: string, factor: number): number | undefined {
  // 1.250,50 or 1,250.50. A single comma before three digits separates thousands, except in 0,250.
  const isContinental = /^(?:\d{1,9}(?:\.\d{3})*,\d{1,2}|0,\d+)$/.test(text)
  if (!isContinental && !/^\d{1,9}(?:,\d{3})*(?:\.\d+)?$/.test(text)) return undefined
  const plain = isContinental ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '')
  return Math.round(Number(plain) * factor)
}

/** Reads money with or without a currency sign: "$150". @param factor 100 for cents */
export function parseAmount(text: string, factor: number): number | undefined {
  const figures = text.replace(/^(?:US)?[$€£]/, '')
  return parseNumber((/[$€£]$/.test(figures) ? figures.slice(0, -1) : figures).trim(), factor)
}

/** Reads a weight such as "22.5 lb". @param unit in grams, for a weight without a unit @returns grams */
export function parseWeight(text: string, unit: number): number | undefined {
  const [, figures = '', named = ''] = /^([\d.,]+)\s*([a-z]*)\.?$/i.exec(text) ?? []
  const grams = named === '' ? unit : UNIT_GRAMS.get(named.toLowerCase())
  if (!grams) return undefined
  // No animal weighs thousands of kilograms: 1,250 kg is the weight of a kitten.
  const plain = grams === KILOGRAM_GRAMS ? figures.replace(/^(\d{1,3}),(\d{3})$/, '$1.$2') : figures
  return parseNumber(plain, grams)
}
