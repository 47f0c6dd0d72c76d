import { randomInt } from 'node:crypto'

/** All have as many digits, and none is one of the counts that older releases gave. */
const [LEAST, MOST] = [2 ** 47, 2 ** 48]

/**
 * Names the state of an animal. It is drawn with every change, not counted: after a restore, another change
 * gives the animal another name. Decision 7.
 */
export function drawVersion(): number {
  return randomInt(LEAST, MOST)
}
