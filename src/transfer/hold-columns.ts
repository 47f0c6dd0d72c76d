import type { Fields } from './animal.ts'
import { readStatus } from './statuses.ts'
import { FLAGS, fold, isNothing } from './word-lists.ts'

// Shelters record holds, deaths and departures in separate columns, in addition to the status. An animal with
// such a value is not published, even if its status says available.

/** If a heading has one of these words, any value except a no keeps the animal unpublished. */
const HOLD = wordsIn(
  'hold, holds, quarantine, quarantined, bite, rabies, evidence, court, deceased, died, death, euthanized, ' +
    'euthanised, euthanasia, outcome, adopted, reserved, not available, not adoptable, not for adoption, ' +
    'do not publish, do not show, do not list, do not adopt, cuarentena, retenido, retenida, fallecido, fallecida, ' +
    'fallecimiento, muerto, muerta, muerte, defuncion, eutanasia, sacrificado, sacrificada, adoptado, adoptada, ' +
    'reservado, reservada, no disponible, no adoptable, no publicar',
)
/** If a column has one of these headings, any value except a yes keeps the animal unpublished. */
const OFFERS = new Set(
  (
    'adoptable, is adoptable, available, public, publish, published, available for adoption, available to adopt, ' +
    'ready for adoption, ready to adopt, show on website, publish on website, on website, disponible, publicar, ' +
    'publicado, publicada, visible, listo para adopcion, en adopcion'
  ).split(', '),
)

const wordOf = (heading: string): string => fold(heading).replaceAll('?', '').trim()
const isOffer = (heading: string): boolean => OFFERS.has(wordOf(heading))

function wordsIn(words: string): RegExp {
  return new RegExp(`\\b(?:${words.replaceAll(', ', '|')})\\b`)
}

export const isHoldColumn = (heading: string): boolean => HOLD.test(wordOf(heading)) || isOffer(heading)

/** A longer value is not shown after the status. */
const MAX_SHOWN = 40

/**
 * The status, followed by the values of other columns that contradict it. Such a status is not understood, so
 * it publishes no animal.
 *
 * @param status undefined in a table without a status
 */
export function withHolds(status: string | undefined, fields: Fields): string | undefined {
  if (status === '' || ['sold', 'died'].includes(readStatus(status ?? '') ?? '')) return status
  const holds = Object.entries(fields).flatMap(([heading, cell]) => {
    const text = typeof cell === 'string' ? cell.trim() : ''
    if (isNothing(text) || !isHoldColumn(heading)) return []
    const answer = FLAGS.get(text)
    const isHeld = isOffer(heading) ? answer !== true : answer !== false && !/^[0\s:/.-]*$/.test(text)
    if (!isHeld) return []
    // Leaves out dates and numbers, because each of them would make a different status.
    if (/\p{L}/u.test(text) && text.length <= MAX_SHOWN) return `${heading}: ${text}`
    // "Adoptable" alone would mean the opposite.
    return isOffer(heading) ? `not ${heading}` : heading
  })
  if (holds.length === 0) return status
  return status === undefined ? 'not for adoption' : [status, ...holds].join(', ')
}
