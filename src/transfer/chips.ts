import { foldMicrochip } from '../pets/microchips.ts'
import type { SameChip } from './report.ts'
import type { ValidAnimal } from './validate.ts'

/** The microchips in the lines of a file so far. */
export class ChipIndex {
  readonly #lines = new Map<string, number>()

  /** @returns the animals whose chip an earlier line has, by their lines */
  find(animals: readonly ValidAnimal[]): Map<number, SameChip> {
    const found = new Map<number, SameChip>()
    for (const { line, pet } of animals) {
      const chip = foldMicrochip(pet)
      if (chip === undefined) continue
      const otherLine = this.#lines.get(chip)
      if (otherLine === undefined) this.#lines.set(chip, line)
      else found.set(line, { line, otherLine })
    }
    return found
  }
}
