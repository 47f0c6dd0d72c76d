import type { Animal, Fields } from './animal.ts'
import { parseDate, parseRoughDate } from './dates.ts'
import { isForLater, type ReadingTime, withoutEnded } from './later.ts'
import { findPromise, notesInName, promiseIn, statementsOf } from './promised.ts'
import { isObject, textOf } from './source-row.ts'
import { foldStatus, readStatus, type StatusChoices, type StatusMeaning } from './statuses.ts'
import { cutTexts, FLAGS, fold, isNothing } from './word-lists.ts'

// Shelters record holds, deaths and departures in separate columns too. An animal with such a value, or a
// value under such a heading, is not published, even if its status says available. Descriptions are not read.

/** If a heading has one of these words, any value except a no keeps the animal unpublished. */
const HOLDS =
  'hold, holds, quarantine, quarantined, bite, bites, rabies observation, rabies suspect, evidence, ' +
  'court, legal, custody, confiscated, seized, impounded, isolation, cruelty, dangerous, vicious, ' +
  'rescue only, transfer only, deceased, died, dead, dod, d o d, doa, death, pts, kill date, kill reason, euth, euthanized, ' +
  'euthanised, euthanasia, outcome, adopted, adoption date, date of adoption, adopter, new owner, ' +
  'reserved, rto, reclaimed, reclaim, redeemed, redemption, returned to owner, return to owner, ' +
  'exit, departure, departed, left shelter, left on, date left, date out, out date, new home, ' +
  'release date, released to, transfer date, transferred to, transferred out, transfer out, transfer to, ' +
  'transport date, transport to, rescue tag, rescue tagged, tagged by, tagged for, pull date, pulled by, ' +
  'sanctuary, permanent resident, permanent foster, perm foster, trial adoption, not available, ' +
  'not adoptable, not for adoption, do not publish, do not sync, do not export, do not show, do not list, do not adopt, hide, ' +
  'exclude from, internal only, non shelter, nonshelter, boarding, bonded, ocultar, cuarentena, aislamiento, retenido, retenida, ' +
  'bloqueado, bloqueada, fallecido, fallecida, fallecimiento, muerto, muerta, muerte, defuncion, ' +
  'eutanasia, sacrificado, sacrificada, adoptado, adoptada, adoptante, fecha de adopcion, ' +
  'f adopcion, salida, baja, reserva, reservado, reservada, no disponible, no adoptable, ' +
  'no publicar, solo rescate, solo protectoras'
const HOLD = wordsIn(HOLDS)
/** Finds the words of HOLDS in headings whose words are run together: "isquarantine", "deceaseddate". */
const HOLD_RUN_TOGETHER = new RegExp(
  `^(?:is|has|on|in|under|animal)?(?:${HOLDS.split(', ').map(squash).join('|')})` +
    '(?:case|date|time|reason|type|kind|status|flag|notes?|until|untildate|start|end|id|code)?$',
)
/** Headings about the length of a stay, which are not holds: "Days in custody". */
const LENGTH_OF_STAY = new RegExp(
  '\\b(?:days?|nights?|weeks?|months?|time|dias?|tiempo) (?:in|en) (?:our |the |el )?' +
    '(?:custody|care|shelter|foster|custodia|refugio)\\b',
  'g',
)
/** A column with the people of fostered animals too, which does not say who has an adopter. */
const FOSTER_OR_ADOPTER = /\bfoster (?:or )?adopter\b|\badopter (?:or )?foster\b/
/** Like HOLDS, but only if one of these is the whole heading. */
const HELD = new Set(
  (
    'missing, lost, escaped, stolen, gone, hidden, private, archived, deleted, inactive, ' +
    'adoption pending, pending, impound, quar, qt, dnp, bloqueo, custodia, archivado, archivada, ' +
    'eliminado, eliminada'
  ).split(', '),
)
/**
 * If a column has one of these headings, in any spelling, the animal is published only with a yes, or with a
 * date that has come: "Adoptable: yes", "Available from: 2026-01-31".
 */
const OFFERS = new Set(
  (
    'adoptable, available, availability, public, publish, published, available for adoption, ' +
    'available to adopt, ready for adoption, ready to adopt, ready, ok to adopt, can be adopted, ' +
    'active, in care, in custody, in shelter, on premises, show on website, show on web, publish on website, ' +
    'publish to web, on website, on web, online, list online, listed, post online, posted, display, ' +
    'display online, visible, visibility, live, go live, disponible, disponibilidad, publicar, ' +
    'publicado, publicada, activo, activa, listo para adopcion, en adopcion'
  )
    .split(', ')
    .map(squash),
)
/** The same in other words: "Cleared for adoption", "Apto para adopción", "Se puede adoptar". */
const OFFER = new RegExp(
  '^(?:is |es )?(?:(?:cleared|eligible|approved|suitable|ready|ok|fit|available|open|up|put|list[oa]|' +
    'apt[oa]|disponible) )?(?:for|to|en|para|para la) (?:adoption|adopt|be adopted|adopcion|adoptar)$|' +
    '^adoption (?:ready|eligible|eligibility|approved|cleared)$|^(?:se )?puede (?:ser )?adopta',
)
/** A question about a yes or no: "Adoptable (sí/no)". */
const ASKED = / (?:y n|yes no|s n|si no)$/
/** Words around such a heading: "Date available", "Ready on". */
const OFFER_BEFORE = /^(?:is|date|fechade|fecha|earliest)/
const OFFER_AFTER = /(?:from|on|after|since|date|asof|desde|apartirde)$/
const OFFER_END = /(?:until|till|through|ends?|expires?|expiry|expiration|hasta)(?:date|on)?$/
/** Columns that say whether to publish, but may also have other contents. Only a no holds the animal back. */
const SHOWN = wordsIn(
  'web, website, webpage, internet, online, publish, published, publishing, allow export, public, display, ' +
    'displayed, show, shown, post, posted, visible, advertise, advertised, available, avail, ' +
    'adoptable, petfinder, adoptapet, still here, in our care, still in care, still in shelter, ' +
    'sigue en el refugio, en el refugio, publicar, mostrar, sitio, pagina',
)
const NOT_SHOWN = wordsIn(
  'not, no, never, don, fee, price, cost, age, photo, photos, picture, video, foto, address, application',
)
const HIDDEN_VALUE = /^(?:off|hidden|private|draft|unpublished|disabled|inactive|oculto|privado|borrador)$/
/** Columns about the health of an animal, and values that keep a sick animal unpublished. */
const HEALTH = /medical|health|salud|veterin|\b(?:condition|vet|medic[oa]|treatment)\b/
const SICK = new RegExp(
  '(?<!\\b(?:no|not|never|non|sin|was|recovered from) )\\b(?:sick|ill\\b|illness|injur|unwell|' +
    'unhealthy|unstable|contagi|infect|uri\\b|kennel cough|ringworm|mange|' +
    '(?:parvo|distemper|panleuk)\\w*\\b(?! ?(?:\\w+ )?(?:vacc|vacun|shot|booster|neg))|' +
    'isolat|(?<!(?:animal|pet|vet|veterinary) )hospital|icu\\b|critical|recovering|enferm|herid|lesionad|infecc|aisla|moquillo|sarna|convalec)|' +
    '\\bnot (?:yet )?(?:cleared|healthy|well|fit)\\b',
)
/** Columns about where the animal is, and places where no animal for adoption is: "Cat ISO", "Quar 2". */
const PLACE =
  /\b(?:sub)?location\b|\b(?:kennel|cage|room|ward|area|building|housing|ubicacion|jaula|sala|zona|modulo)\b/
const HELD_PLACE = new RegExp(
  '\\biso\\b|isolat|aisla|\\bquar|cuarent|\\bqt\\b|rabi[ea]|\\bhold|evidence|euth|eutan|' +
    'freezer|morgue|congelador|owner',
)
/** "Passed" says that an animal has died in "Current status", but not in "Temperament test result". */
const STATE = /\b(?:status|state|stage|disposition|result|situation|estado)\b/
const TEST = /\b(?:test|check|exam|evaluation|assessment|training)/
const LEFT =
  /^(?:transfer(?:red)?|reclaimed|released|escaped|missing|stolen|lost|archived|inactive|deleted)\b/
const PASSED = /^\W*passed\b(?! away)/i
/** Columns about the past of an animal, or about others. Their values do not hold an animal back. */
const PAST = wordsIn(
  'intake, surrender, surrendered, entry, origin, source, previous, prior, former, owner, owners, ' +
    'mother, father, dam, sire, sibling, siblings, littermates, ingreso, origen, anterior, madre, padre',
)

const PERSON = /\b(?:adopter|adopted by|owner|adoptante|released to)\b/

/** How words begin that keep an animal off the public pages, in English and Spanish. */
const HOLD_WORDS =
  '^held$|court\\b|^dead\\b|quarantin|' +
  '^(?:missing|escaped|stolen|lost)(?:$| since\\b| from\\b| on\\b)|' +
  'returned to (?:its |his |her |the )?owner|reclaim|^rto\\b|^nfa\\b|^(?:sick|' +
  'ill|injured|isolation|enferm[oa]|herid[oa]|aislamiento)$|^iso(?:lation)? ?[a-z]?\\d{1,3}$|(?:in|' +
  'en) (?:iso|isolation|aislamiento)\\b|contagi|(?:parvo|ringworm|distemper|panleuk|' +
  'moquillo)\\w* ?(?:pos|\\+)|(?:rescue|transfer) only|seiz(?:ed|ure (?:case|hold))|confiscat|cruel|' +
  'neglect|evidence|legal\\b|custody|bite|biting|biter|bitten|bit (?:an?|the|his|her|its|someone|' +
  'staff|me|child|kid|person|owner|volunteer|vet|visitor|man|woman|boy|girl)\\b(?! (?:shy|bit|nervous|timid))|rabies (?:obs|susp|watch|expos|risk)|danger|vicious|' +
  'euth(?:an|\\b)|hospice|(?<!owner (?:is |was |has )?|owners )deceas|unadopt|unavailab|reteni|retenc|bloquead|cuarenten|decomis|incaut|maltrat|judicial|' +
  'juicio pend|pendiente de juicio|juzgado|mordedur|mordedor|(?:(?:ha|he|haber) )?mordid[oa]|mordio|' +
  'sospecha de rabia|observacion (?:por |de |antir?)?rab|peligros|eutanasi|(?<!(?:duen|propietari|herman)[oa]s? (?:ha )?)fallec|' +
  '(?:lo|la) reclama|devuelt[oa] a su|se (?:ha )?escap[ao]|extraviad'
const BETWEEN =
  '(?: ?(?:yet|currently|available|ready|cleared|suitable|eligible|fit|to|be|up|for|para|en|se|da|' +
  'dar|puede|apt[oa]|list[oa]))*'
const NEGATED = '(?:\\b(?:no|not|never|without|sin|nunca|jamas)|n t)(?: (?:ha|he|has|been|se|known|prior))?'
const HOLD_TEXTS = [
  new RegExp(`(?<!${NEGATED} )\\b(?:${HOLD_WORDS})`),
  // "Not available for adoption", but not "No adoption fee".
  new RegExp(
    `\\b(?:not|non?|never|cannot|can ?n? t)${BETWEEN} ?(?:adop(?!\\w* (?:fee|pending))|avail(?:able)?\\b|disponible|rehoming(?! fee))`,
  ),
  new RegExp(
    '\\b(?:available|adoptable|ready|disponible) (?:for adoption |to go home |para adopcion )?(?:after|once|when|' +
      'tras|despues|soon|shortly|next (?:week|month)|pronto|proximamente|en breve|' +
      '(?:in|en) (?:an?|un[oa]?|one|two|three|four|dos|tres|\\d{1,2}|about) )\\b(?! \\d)',
  ),
  /\bdo(?: ?n ?t| not) (?:adopt|publi|show|list|post|advertise|rehome)|\bno (?:publicar|mostrar)/,
]
/** "Bite history: none known" */
const NONE = /^(?:none|nothing|ningun[oa]?) (?:known|reported|recorded|noted|on record|conocid[oa]s?)$/

/** Reads this many characters of a text. */
const MAX_TEXT = 200

/** Whether a short text, such as a flag, keeps the animal off the public pages. */
export function isHold(text: string): boolean {
  return isHeld(text) || findPromise(text.slice(0, MAX_TEXT)) !== undefined
}

/** "Bella - HOLD", "Duke (bite case)". */
const isHeldInName = (part: string): boolean => isHeld(part) || /\bhold\b/i.test(part)

function isHeld(text: string): boolean {
  const words = fold(text.slice(0, MAX_TEXT))
  return HOLD_TEXTS.some((hold) => hold.test(words))
}

/** In lower case without accents and punctuation. "availableFrom" is two words. */
const wordOf = (heading: string): string =>
  fold(heading.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '))
    .replaceAll('?', '')
    .trim()

function squash(words: string): string {
  return words.replaceAll(' ', '')
}

function wordsIn(words: string): RegExp {
  return new RegExp(`\\b(?:${words.replaceAll(', ', '|')})\\b`)
}

interface ColumnMeaning {
  /** The column says whether, or since when, the animal may be published. */
  isOffer: boolean
  /** A date in the column is the end of an offer. */
  isEnd: boolean
  /** The column is about holds, deaths or departures. */
  isHold: boolean
  /** The column may say whether to publish, but also something else. */
  isShown: boolean
  isHealth: boolean
  /** It is about the place of the animal. */
  isPlace: boolean
  isPast: boolean
  /** The column is about the present state of the animal. */
  isState: boolean
  isPerson: boolean
}

/** The same headings occur in each line of a file. */
const meanings = new Map<string, ColumnMeaning>()
const MAX_HEADINGS = 5_000

function meaningOf(heading: string): ColumnMeaning {
  const cached = meanings.get(heading)
  if (cached) return cached
  const meaning = readHeading(heading)
  if (meanings.size < MAX_HEADINGS) meanings.set(heading, meaning)
  return meaning
}

function readHeading(heading: string): ColumnMeaning {
  const words = wordOf(heading).replace(ASKED, '').replaceAll(LENGTH_OF_STAY, 'length of stay')
  const plain = squash(words).replace(OFFER_BEFORE, '')
  const core = plain.replace(OFFER_AFTER, '').replace(OFFER_END, '')
  return {
    isOffer: [squash(words), plain, core].some((one) => OFFERS.has(one)) || OFFER.test(words),
    isEnd: OFFER_END.test(plain),
    isHold:
      HOLD.test(words.replace(FOSTER_OR_ADOPTER, '')) ||
      HELD.has(words) ||
      HOLD_RUN_TOGETHER.test(words) ||
      isHold(words),
    isShown: SHOWN.test(words) && !NOT_SHOWN.test(words),
    isHealth: HEALTH.test(words),
    isPlace: PLACE.test(words),
    isPast: PAST.test(words),
    isState: STATE.test(words) && !TEST.test(words),
    isPerson: PERSON.test(words),
  }
}

/** Whether a column is about holds, deaths, departures or publishing alone. */
export function isHoldColumn(heading: string): boolean {
  const { isHold, isOffer } = meaningOf(heading)
  return isHold || isOffer
}

/** The values of columns whose headings alone show that they may hold an animal back. */
export function pickHoldColumns(fields: Fields, names: string[]): Fields {
  const picked = names.filter((name) => {
    const { isShown, isHealth } = meaningOf(name)
    return isHoldColumn(name) || isShown || isHealth
  })
  return Object.fromEntries(picked.map((name) => [name, fields[name]]))
}

const isGone = (text: string): boolean => ['sold', 'died'].includes(readStatus(text) ?? '')

/** Stands for the status of an animal on hold, in a table without a status column. */
export const NOT_OFFERED = 'not for adoption'

/** A longer value is not shown after the status. Its sentences are read one by one. */
const MAX_SHOWN = 40
const SENTENCE_END = /[.,;!?\n\r|]+/
/** Reads the sentences in this many characters of a text. */
const MAX_NOTE = 10_000
/** Reads up to this many values of an animal. */
const MAX_VALUES = 1_000

interface StatusContext extends Pick<ReadingTime, 'order'> {
  now: number | undefined
  /** The statuses that the program of the file defines. */
  own: StatusChoices | undefined
}

/**
 * The status, followed by the values of other columns that contradict it. Such a status is not understood, so
 * it publishes no animal.
 * @param status undefined in a table without a status
 */
export function withHolds(
  status: string | undefined,
  fields: Fields,
  { own, now = 0, order }: StatusContext,
  animal: Animal = {},
): string | undefined {
  const meaning = own?.get(foldStatus(status ?? '')) ?? readStatus(status ?? '')
  if (status === '' || meaning === 'sold' || meaning === 'died') return status
  const all = Object.entries(fields).flatMap(([heading, value]) => textsIn(heading, value))
  const values = all.slice(0, MAX_VALUES)
  const time = { now, order }
  const cut = cutTexts(values.map(([, text]) => text)).map((text) => withoutEnded(text, time))
  const holds = values.flatMap(([heading, whole], index) => {
    const column = meaningOf(heading)
    const rest = cut[index] ?? ''
    const text = whole.length > MAX_SHOWN ? whole : rest
    if (isNothing(text) || text === status) return []
    if (!isHeldBy(column, text, now))
      return statementIn(column, rest, meaning, time).map((said) => `${heading}: ${said}`)
    const isAboutOffer = column.isOffer || column.isShown
    if (isAboutOffer && dateOf(text) !== undefined) return `${heading}: not now`
    // Leaves out dates and numbers, because each of them would make a different status, and names of people.
    if (/\p{L}/u.test(text) && dateOf(text) === undefined && text.length <= MAX_SHOWN && !column.isPerson)
      return `${heading}: ${text}`
    // "Adoptable" alone would mean the opposite.
    return isAboutOffer ? `not ${heading}` : heading
  })
  for (const [name, said] of statementsOf(animal, meaning, time)) holds.push(`${name}: ${said}`)
  for (const part of notesInName(textOf(animal.name)).filter(isHeldInName)) holds.push(`name: ${part.trim()}`)
  if (holds.length === 0) return status
  return status === undefined ? NOT_OFFERED : [status, ...new Set(holds)].join(', ')
}

/** The part of a text about anything that keeps an animal unpublished, without names of people. */
function statementIn(
  column: ColumnMeaning,
  text: string,
  status: StatusMeaning | undefined,
  time: ReadingTime,
): string[] {
  if (column.isPast) return []
  if (status !== 'pending' && isForLater(text, time)) return ['not now']
  const sentences = text.length > MAX_SHOWN ? text.slice(0, MAX_NOTE).split(SENTENCE_END) : []
  const held = sentences.find((part) => part.length <= MAX_SHOWN && isHeld(part))
  return [promiseIn(text, status) ?? held?.trim() ?? []].flat()
}

/** The texts in a value, with their headings. A list or an object of JSON has several. */
function textsIn(heading: string, value: unknown, depth = 2): [heading: string, text: string][] {
  if (typeof value === 'boolean') return [[heading, String(value)]]
  const isList = Array.isArray(value)
  if (depth === 0 || (!isList && !isObject(value))) return [[heading, textOf(value).trim()]]
  return Object.entries(value)
    .slice(0, MAX_VALUES)
    .flatMap(([name, part]) => textsIn(isList ? heading : `${heading} ${name}`, part, depth - 1))
}

function isHeldBy(column: ColumnMeaning, text: string, now: number): boolean {
  const answer = FLAGS.get(text)
  if (column.isOffer) return answer !== true && !isOffered(column, text, now)
  if (column.isHold) {
    const isNo = answer === false || /^[0\s:/.-]*$/.test(text) || NONE.test(fold(text))
    return !isNo && !isOver(column, text, now)
  }
  if (text.length > MAX_SHOWN) return false
  return (column.isShown && isHidden(column, text, now)) || isHoldValue(column, text)
}

/** Whether a hold has ended: "Hold until: 2026-01-31". */
function isOver({ isEnd }: ColumnMeaning, text: string, now: number): boolean {
  const date = isEnd ? dateOf(text) : undefined
  return date !== undefined && date < new Date(now).toISOString().slice(0, 10)
}

/** Whether a column that says whether to publish says that the animal may be published now. */
function isOffered(column: ColumnMeaning, text: string, now: number): boolean {
  const date = dateOf(text)
  if (date !== undefined) return isOfferedOn(column, date, now)
  const isYes = readStatus(text) === 'available' || OFFERS.has(squash(wordOf(text)))
  return isYes || /^(?:now|today|immediate|ahora)/i.test(text)
}

/** Whether a date of availability allows publishing: a beginning that has come, or an end that has not. */
function isOfferedOn({ isEnd }: ColumnMeaning, date: string, now: number): boolean {
  const today = new Date(now).toISOString().slice(0, 10)
  return isEnd ? date >= today : date <= today
}

/** Whether a column that may say whether to publish says no. */
function isHidden(column: ColumnMeaning, text: string, now: number): boolean {
  if (FLAGS.get(text) === false || HIDDEN_VALUE.test(fold(text))) return true
  // A number alone may be an id.
  const date = /\d\D+\d/.test(text) ? dateOf(text) : undefined
  return date !== undefined && !isOfferedOn(column, date, now)
}

/** Whether a value in a column about anything else keeps the animal unpublished. */
function isHoldValue({ isPast, isState, isHealth, isPlace }: ColumnMeaning, text: string): boolean {
  if (isPast) return false
  if (PASSED.test(text)) return isState
  const words = fold(text)
  if (((isHealth || isPlace) && SICK.test(words)) || (isState && LEFT.test(words))) return true
  return isHeld(text) || isGone(text) || (isPlace && HELD_PLACE.test(words))
}

/** The latest day that a date may mean; undefined if the text is not a date. */
function dateOf(text: string): string | undefined {
  const dates = (['day', 'month'] as const).flatMap((order) => parseDate(text, order) ?? [])
  return dates.sort().at(-1) ?? parseRoughDate(text)
}
