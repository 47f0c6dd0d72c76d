import assert from 'node:assert/strict'

const BORDER = 4

/** Whether a module of a mask is inverted, by the number of the mask (ISO/IEC 18004, table 10). */
const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/**
 * Reads the text of a QR code in a page, like a scanner without error correction. Knows codes of one block
 * with up to 29 modules a side, which have about 40 letters.
 */
export function readQrCode(page: string): string {
  const [, side, path = ''] = /<svg class="qr" viewBox="0 0 (\d+) \1"[^>]*><path d="([^"]*)"/.exec(page) ?? []
  const size = Number(side) - 2 * BORDER
  assert.ok(size >= 21 && size <= 29, `${side} modules`)
  const dark = new Set<string>()
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    dark.add(`${Number(x) - BORDER} ${Number(y) - BORDER}`)
  const isDark = (x: number, y: number): number => Number(dark.has(`${x} ${y}`))
  // Reads the three bits of the mask next to the first corner, which are stored inverted in part.
  const mask = ((isDark(2, 8) << 2) | (isDark(3, 8) << 1) | isDark(4, 8)) ^ 0b101
  const isPattern = (x: number, y: number): boolean =>
    (x < 9 && y < 9) ||
    (x >= size - 8 && y < 9) ||
    (x < 9 && y >= size - 8) ||
    x === 6 ||
    y === 6 ||
    (size > 21 && Math.max(Math.abs(x - size + 7), Math.abs(y - size + 7)) <= 2)
  const bits: number[] = []
  // Pairs of columns from the right, up and down in turns. The column of the timing pattern is skipped.
  for (let [right, isUp] = [size - 1, true]; right > 0; right -= right === 8 ? 3 : 2, isUp = !isUp)
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = isUp ? size - 1 - step : step
        if (!isPattern(x, y)) bits.push(isDark(x, y) ^ Number(MASKS[mask]?.(x, y)))
      }
  const read = (from: number, count: number): number =>
    Number.parseInt(bits.slice(from, from + count).join(''), 2)
  assert.equal(read(0, 4), 0b0100, 'the text is stored as bytes')
  return Buffer.from(Array.from({ length: read(4, 8) }, (_, index) => read(12 + 8 * index, 8))).toString()
}
