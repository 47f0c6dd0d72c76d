/** Texts in as few lines as they need: ¦ stands between them. */
export const list = (...lines: string[]): string[] => lines.join('¦').split('¦')
