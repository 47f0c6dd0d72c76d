import { KILOGRAM_GRAMS, UNIT_GRAMS } from './words.ts'

// Figures as people write them, in files and forms. What cannot be read is undefined.

/**
 * With a point or a comma before the fraction.
 *
 * @param factor into the unit wanted, of which the result is a whole number
 */
export function numberOf(text: string, factor: number): number | undefined {
  // 1.250,50 or 1,250.50; with three digits behind its only comma it is more than a thousand, but for 0,250.
  const isContinental = /^(?:\d{1,9}(?:\.\d{3})*,\d{1,2}|0,\d+)$/.test(text)
  if (!isContinental && !/^\d{1,9}(?:,\d{3})*(?:\.\d+)?$/.test(text)) return undefined
  const plain = isContinental ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '')
  return Math.round(Number(plain) * factor)
}

/** Money, with or without the sign of a currency: "$150". @param factor 100 for cents */
export function amountOf(text: string, factor: number): number | undefined {
  const figures = text.replace(/^(?:US)?[$€£]/, '')
  return numberOf((/[$€£]$/.test(figures) ? figures.slice(0, -1) : figures).trim(), factor)
}

/** In grams: "22.5 lb". @param unit of one that tells none, in grams */
export function weightOf(text: string, unit: number): number | undefined {
  const [, figures = '', told = ''] = /^([\d.,]+)\s*([a-z]*)\.?$/i.exec(text) ?? []
  const grams = told === '' ? unit : UNIT_GRAMS.get(told.toLowerCase())
  if (!grams) return undefined
  // Thousands of kilograms weighs nobody: 1,250 kg is a kitten.
  const plain = grams === KILOGRAM_GRAMS ? figures.replace(/^(\d{1,3}),(\d{3})$/, '$1.$2') : figures
  return numberOf(plain, grams)
}
