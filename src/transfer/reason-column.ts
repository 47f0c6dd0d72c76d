/** The headings of the column with the reasons in the file of skipped rows, by language. */
export const REASON_HEADINGS = { en: 'Why it was skipped', es: 'Por qué se omitió' }

const ALL = new Set(Object.values(REASON_HEADINGS))

/**
 * People correct the file of skipped rows and upload it again. Its rows must then be like those of the first
 * file.
 *
 * @returns a function that removes the column with the reasons from the cells of a row
 */
export function reasonRemover(headings: readonly string[] = []): (cells: string[]) => string[] {
  const at = headings.findIndex((heading) => ALL.has(heading.trim()))
  return at < 0 ? (cells) => cells : (cells) => cells.toSpliced(at, 1)
}
