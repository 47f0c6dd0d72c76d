const WIDTH = 24

/** @param share that is done, from 0 to 1 */
export function bar(share: number): string {
  const filled = Math.round(Math.min(share, 1) * WIDTH)
  return '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
}
