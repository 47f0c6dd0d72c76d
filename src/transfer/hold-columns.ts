import type { Fields } from './animal.ts'
import { readStatus } from './statuses.ts'
import { FLAGS, fold, isNothing } from './word-lists.ts'

// Shelters record holds, deaths and departures in separate columns, in addition to the status. An animal with
// such a value is not published, even if its status says available. Either the heading or the value says so.

/** If a heading has one of these words, any value except a no keeps the animal unpublished. */
const HOLD = wordsIn(
  'hold, holds, quarantine, quarantined, bite, bites, rabies observation, rabies suspect, evidence, court, ' +
    'legal, custody, confiscated, seized, impound, impounded, isolation, deceased, died, dod, death, pts, euth, ' +
    'euthanized, euthanised, euthanasia, outcome, adopted, adoption date, date of adoption, adopter, new owner, ' +
    'reserved, rto, reclaimed, reclaim, redeemed, redemption, returned to owner, return to owner, exit, ' +
    'departure, departed, left shelter, date left, date out, release date, released to, transfer date, ' +
    'transferred to, transferred out, transfer out, sanctuary, permanent resident, not available, ' +
    'not adoptable, not for adoption, do not publish, do not show, do not list, do not adopt, cuarentena, ' +
    'aislamiento, retenido, retenida, bloqueado, bloqueada, fallecido, fallecida, fallecimiento, muerto, ' +
    'muerta, muerte, defuncion, eutanasia, sacrificado, sacrificada, adoptado, adoptada, adoptante, ' +
    'fecha de adopcion, salida, reservado, reservada, no disponible, no adoptable, no publicar',
)
/** The same, if these words are the whole heading. */
const HELD = new Set(
  'missing, lost, escaped, stolen, hidden, private, archived, inactive, adoption pending, pending'.split(
    ', ',
  ),
)
/** If a column has one of these headings, any value except a yes keeps the animal unpublished. */
const OFFERS = new Set(
  (
    'adoptable, is adoptable, available, availability, public, publish, published, available for adoption, ' +
    'available to adopt, ready for adoption, ready to adopt, ready, ok to adopt, can be adopted, active, ' +
    'in care, in shelter, on premises, show on website, publish on website, on website, on web, online, ' +
    'list online, listed, post online, posted, display, display online, disponible, publicar, publicado, ' +
    'publicada, visible, activo, activa, listo para adopcion, en adopcion'
  ).split(', '),
)
/** Columns about the past of an animal, or about others. Their values do not hold an animal back. */
const PAST = wordsIn(
  'intake, surrender, surrendered, entry, origin, source, previous, prior, former, owner, owners, mother, ' +
    'father, dam, sire, sibling, siblings, littermates, ingreso, origen, anterior, madre, padre',
)

const PERSON = /\b(?:adopter|adopted by|owner|adoptante|released to)\b/

/** How words begin that keep an animal off the public pages, in English and Spanish. */
const HOLD_WORDS =
  '(?!house|thres)\\w*hold\\b|^held\\b|held (?:for|as|by|until)\\b|court\\b|^dead\\b|^missing$|quarantin|' +
  'seized|confiscat|cruel|neglect|evidence|legal\\b|custody|bite|biting|rabies (?:obs|susp|watch|expos|risk)|' +
  'danger|vicious|euthan|hospice|deceas|unadopt|unavailab|' +
  'reteni|retenc|cuarenten|decomis|maltrat|judicial|mordedur|sospecha de rabia|peligros|eutanasi|fallec'
const BETWEEN = '(?: ?(?:yet|currently|available|ready|up|for|para|en|se|da))*'
const HOLD_TEXTS = [
  new RegExp(`(?<!\\b(?:no|not|never|without|sin|nunca) )\\b(?:${HOLD_WORDS})`),
  // "Not available for adoption", but not "No adoption fee".
  new RegExp(`\\b(?:not|non?|never)${BETWEEN} ?(?:adop(?!\\w* fee)|available|disponible)`),
  /\bdo(?: ?n ?t| not) (?:adopt|publi|show|list|advertise|rehome)|\bno (?:publicar|mostrar)/,
]

/** Reads this many characters of a text. */
const MAX_TEXT = 200

/** Whether a short text, such as a flag, keeps the animal off the public pages. */
export function isHold(text: string): boolean {
  const words = fold(text.slice(0, MAX_TEXT))
  return HOLD_TEXTS.some((hold) => hold.test(words))
}

const wordOf = (heading: string): string => fold(heading).replaceAll('?', '').trim()
const isOffer = (heading: string): boolean => OFFERS.has(wordOf(heading))

function wordsIn(words: string): RegExp {
  return new RegExp(`\\b(?:${words.replaceAll(', ', '|')})\\b`)
}

export const isHoldColumn = (heading: string): boolean =>
  HOLD.test(wordOf(heading)) || HELD.has(wordOf(heading)) || isOffer(heading)

/** Whether a value in a column with any heading keeps the animal unpublished. */
function isHoldValue(heading: string, text: string): boolean {
  if (text.length > MAX_SHOWN || PAST.test(wordOf(heading))) return false
  return isHold(text) || isGone(text)
}

const isGone = (text: string): boolean => ['sold', 'died'].includes(readStatus(text) ?? '')

/** Stands for the status of an animal that is held, in a table without a status. */
export const NOT_OFFERED = 'not for adoption'

/** A longer value is not shown after the status, and holds an animal back only in a column about holds. */
const MAX_SHOWN = 40

/**
 * The status, followed by the values of other columns that contradict it. Such a status is not understood, so
 * it publishes no animal.
 *
 * @param status undefined in a table without a status
 */
export function withHolds(status: string | undefined, fields: Fields): string | undefined {
  if (status === '' || isGone(status ?? '')) return status
  const holds = Object.entries(fields).flatMap(([heading, cell]) => {
    const text = typeof cell === 'string' ? cell.trim() : ''
    if (isNothing(text) || text === status || !isHeldBy(heading, text)) return []
    // Leaves out dates and numbers, because each of them would make a different status, and names of people.
    if (/\p{L}/u.test(text) && text.length <= MAX_SHOWN && !PERSON.test(wordOf(heading)))
      return `${heading}: ${text}`
    // "Adoptable" alone would mean the opposite.
    return isOffer(heading) ? `not ${heading}` : heading
  })
  if (holds.length === 0) return status
  return status === undefined ? NOT_OFFERED : [status, ...holds].join(', ')
}

function isHeldBy(heading: string, text: string): boolean {
  const answer = FLAGS.get(text)
  if (isOffer(heading)) return answer !== true && readStatus(text) !== 'available'
  if (isHoldColumn(heading)) return answer !== false && !/^[0\s:/.-]*$/.test(text)
  return isHoldValue(heading, text)
}
