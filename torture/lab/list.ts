/** Splits the lines at `¦`, so many short texts need few lines of source. */
export const list = (...lines: string[]): string[] => lines.join('¦').split('¦')
