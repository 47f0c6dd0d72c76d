import type { PetStatus } from '../pets/fields.ts'

// Reads the status of an animal in the words of its shelter. Publishing an animal that is held for its bite
// or as evidence harms people, so a status publishes only if all of its words are known to be harmless.

/** The results that a person can choose for a status. An unlisted animal is imported without a status. */
export const STATUS_RESULTS = ['available', 'pending', 'sold', 'unlisted'] as const satisfies (
  | PetStatus
  | 'unlisted'
)[]
export type StatusResult = (typeof STATUS_RESULTS)[number]

/** The meaning of a status. Animals that have died are not imported. */
export type StatusMeaning = StatusResult | 'died'

/** The phrases that a status can consist of. All words of a status must belong to one of them. */
export const STATUS_PHRASES = {
  available: `available, avail, available now, currently available, still available, available today,
    available for adoption, available for adoption now, available to adopt, available for rehoming, up
    for adoption, ready for adoption, ready for rehoming, open for adoption, for adoption, adoptable,
    looking for a home, looking for a new home, looking for home, seeking a home, seeking home, seeking
    a new home, waiting for a home, waiting for a new home, needs a home, needs a new home, disponible,
    disponible para adopción, disponible para adoptar, disponible en adopción, en adopción, para
    adopción, en adopción responsable, listo para adopción, lista para adopción, listo para adoptar,
    lista para adoptar, busca hogar, busco hogar, busca un hogar, busca casa, busco casa, busca familia,
    busco familia, busca una familia, se busca hogar, se busca familia, buscando hogar, buscando
    familia, en busca de hogar, en busca de familia, en busca de un hogar, en busca de una familia`,
  pending: `adoption pending, pending adoption, pending adopt, adoption is pending, adopter pending,
    pending adopter, adoption hold, hold for adopter, hold for an adopter, held for adopter, held for an
    adopter, reserved for adoption, reserved for adopter, reserved for an adopter, reserved by adopter,
    reserved by an adopter, possible adopt, possible adopter, possible adoption, potential adopter,
    potential adoption, adoption in progress, adoption in process, in adoption process, adoption process,
    adoption application pending, adoption application approved, adoption reserved, on hold for adopter,
    on hold for an adopter, adopter found, rehoming pending, foster to adopt, foster for adoption, foster
    with intent to adopt, foster w intent to adopt, trial adoption, adoption trial, on trial adoption, pre
    adopted, preadopted, adopción pendiente, pendiente de adopción, en proceso de adopción, proceso de
    adopción, adopción en proceso, adopción en curso, adopción en trámite, en trámite de adopción,
    reservado para adopción, reservada para adopción, reservado por adoptante, reservada por adoptante,
    reservado por un adoptante, reservada por un adoptante, posible adopción, posible adoptante, adopción
    a prueba, pre adoption, preadoption, preadopción, en preadopción, pre adopción, en pre adopción,
    preadoptado, preadoptada, pre adoptado, pre adoptada`,
  sold: `adopted, adopted out, sold, rehomed, homed, found a home, found home, has found a home, has found
    a new home, adoption complete, adoption completed, adoption finalized, adoption finalised, adoptado,
    adoptada, adoptado a, adoptado adoptada, ya adoptado, ya adoptada, dado en adopción, dada en adopción,
    entregado en adopción, entregada en adopción, adopción completada, adopción finalizada, en su nuevo
    hogar, con su nueva familia, vendido, vendida`,
  /** Means pending only if the status has no other words: "reserved for evidence" does not. */
  alone: `pending, reserved, application pending, pending application, application approved, approved
    application, spoken for, sale pending, pendiente, reservado, reservada, reservado a, reservado
    reservada, apartado, apartada`,
  /** These words have a meaning only if the rest of the status names an adopter. */
  hold: 'hold, on hold, pending, reserved, reservado, reservada',
  /** Harmless facts about an available animal, such as its place. */
  place: `foster, in foster, in a foster, foster care, in foster care, foster home, in foster home, in a
    foster home, foster household, in foster household, fostered, treatment, in treatment, under
    treatment, in shelter, at shelter, in the shelter, at the shelter, onsite, on site, offsite, off site,
    adoption, adoption center, at adoption center, adoption centre, at adoption centre, adoption floor, on
    adoption floor, adoption room, PetSmart, petsmart, at PetSmart, at petsmart, Petco, at Petco, fee
    waived, waived fee, urgent, urgente, special needs, heartworm treatment, in heartworm treatment, medical
    treatment,
    bonded pair, acogida, en acogida, casa de acogida, en casa de acogida, hogar temporal, en hogar
    temporal, hogar de paso, en hogar de paso, hogar de tránsito, en hogar de tránsito, en tratamiento, en
    refugio, en el refugio`,
} as const

/** Signs between words. Any other sign, such as a question mark, makes a status unknown. */
const BETWEEN = /(?:[\s\-–—‑/\\.,:;&+|_()[\]!¡'"✅✔☑🟢🐶🐕🐱🐈🐾]|\u{fe0f})+/u

type Part = keyof typeof STATUS_PHRASES

const phrasesOf = (part: Part): string[] => STATUS_PHRASES[part].split(',').map(normalize)

const PARTS = new Map<string, Part>(
  (['hold', 'place', 'available', 'pending', 'sold'] as const).flatMap((part) =>
    phrasesOf(part).map((phrase) => [phrase, part] as const),
  ),
)
const ALONE = new Set(phrasesOf('alone'))
const MAX_PHRASE_WORDS = Math.max(...[...PARTS.keys()].map((phrase) => phrase.split(' ').length))

/** The parts of a status by its result. With other parts, a status contradicts itself or says nothing. */
const MEANINGS: [status: PetStatus, needed: Part, others: Part[]][] = [
  ['pending', 'pending', ['hold', 'place', 'available']],
  ['available', 'available', ['place']],
  ['sold', 'sold', ['place']],
]

const DEATHS = new Set(
  (
    'deceased died dead euthanized euthanised rip fallecido fallecida fallecio muerto muerta murio ' +
    'eutanasiado eutanasiada sacrificado sacrificada difunto difunta'
  ).split(' '),
)
const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|' +
  'nov(?:ember)?|dec(?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|' +
  'noviembre|diciembre'
const DATE_WORDS = `on|over|en|el|de|\\d{1,4}|${MONTHS}`
/** "Passed" or "Euthanasia" alone or with a date, but not "Passed its test" or "Euthanasia list". */
const DEATH_PHRASE = new RegExp(
  `\\b(?:passed away|put to sleep|rainbow bridge)\\b|^(?:passed|pts|doa|euth|euthanasia|eutanasia|(?:unassisted )?death|muerte)(?: (?:${DATE_WORDS}))*$`,
)
/** A date at the end: "Adopted on 3 May 2026". */
const DATE_AFTER = new RegExp(`(?: (?:${DATE_WORDS}))+$`)
/** With one of these words, a status says that a person or another animal has died. */
const OTHERS_DEATH = new Set(
  (
    'owner owners mother mom father dad person family sibling siblings brother brothers sister sisters littermate ' +
    'littermates kittens puppies nearly almost dueno duena propietario propietaria madre padre hermano hermana ' +
    'hermanos hermanas'
  ).split(' '),
)

/** Maximum length of a status in characters. A longer one is not understood. */
const MAX_STATUS = 100

const shorten = (text: string): string => text.slice(0, MAX_STATUS).toWellFormed()

/** In lower case without accents, with single spaces between words. "adoptionPending" is two words. */
function normalize(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  const spaced = plain.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').toLowerCase()
  return spaced.split(BETWEEN).filter(Boolean).join(' ')
}

/** @returns undefined if the status is not understood */
export function readStatus(text: string): StatusMeaning | undefined {
  if (text.length > MAX_STATUS) return undefined
  const phrase = normalize(text)
  const words = phrase.split(' ')
  const isDeath = DEATH_PHRASE.test(phrase) || words.some((word) => DEATHS.has(word))
  if (isDeath && !words.some((word) => OTHERS_DEATH.has(word))) return 'died'
  if (ALONE.has(phrase)) return 'pending'
  const undated = phrase.replace(DATE_AFTER, '')
  const parts = splitParts(undated === phrase || readStatus(undated) !== 'sold' ? words : undated.split(' '))
  return MEANINGS.find(
    ([, needed, others]) =>
      parts?.has(needed) && [...parts].every((part) => part === needed || others.includes(part)),
  )?.[0]
}

/** Splits a status into the longest known phrases. @returns undefined if it has other words */
function splitParts(words: string[]): Set<Part> | undefined {
  const parts = new Set<Part>()
  for (let from = 0; from < words.length; ) {
    let length = Math.min(MAX_PHRASE_WORDS, words.length - from)
    while (length > 0 && !PARTS.has(words.slice(from, from + length).join(' '))) length -= 1
    const part = PARTS.get(words.slice(from, from + length).join(' '))
    if (part === undefined) return undefined
    parts.add(part)
    from += length
  }
  return parts
}

/** The results that a person has chosen for statuses, by the result of `foldStatus`. */
export type StatusChoices = ReadonlyMap<string, StatusResult>

/** Ignores letter case and blanks. */
export function foldStatus(word: string): string {
  return shorten(word).normalize('NFC').toLowerCase().replaceAll(/\s+/g, '')
}

/** A status in a file, as it is written where it occurs first. An empty word means that it is missing. */
export interface StatusCount {
  word: string
  count: number
  result: StatusMeaning
  /** Whether the status was understood, or a person has chosen its result. */
  known: boolean
  /** Whether a person has chosen the result. */
  chosen: boolean
}

/** Maximum number of different statuses. More mean that another column was taken for the status. */
const MAX_STATUSES = 200

/** Stands for all statuses beyond the maximum. None of these animals is published. */
export const OTHER_STATUSES = '…'
const NONE: StatusCount = { word: OTHER_STATUSES, count: 0, result: 'unlisted', known: false, chosen: false }

export interface StatusReader {
  /** @param own the statuses that the program of the file defines, by the result of `foldStatus` */
  read(word: string, own?: StatusChoices): StatusMeaning
  counts(): StatusCount[]
}

/** Reads and counts the statuses of one file. */
export function createStatusReader(choices: StatusChoices = new Map()): StatusReader {
  const counts = new Map<string, StatusCount>()
  const count = (key: string, found: StatusCount): StatusMeaning => {
    counts.set(key, { ...found, count: found.count + 1 })
    return found.result
  }
  return {
    read(word, own) {
      const key = foldStatus(word)
      const found = counts.get(key)
      if (found) return count(key, found)
      const choice = choices.get(key)
      if (counts.size >= MAX_STATUSES && choice === undefined)
        return count(OTHER_STATUSES, counts.get(OTHER_STATUSES) ?? NONE)
      const meaning = choice ?? own?.get(key) ?? readStatus(word)
      const shown = shorten(word).replaceAll(/\s+/g, ' ').trim()
      const [known, chosen] = [meaning !== undefined, choice !== undefined]
      return count(key, { ...NONE, word: shown, result: meaning ?? 'unlisted', known, chosen })
    },
    counts: () => [...counts.values()],
  }
}
