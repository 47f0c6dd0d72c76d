import type { Animal } from './animal.ts'
import { isForLater, type ReadingTime, withoutEnded } from './later.ts'
import { isObject, textOf } from './source-row.ts'
import { readStatus, type StatusMeaning } from './statuses.ts'
import { withoutMarks } from './word-lists.ts'

// Finds statements in texts that an animal is reserved, adopted or on hold, in English and Spanish. Notes
// often say so before the status is changed.

/** Reads this many characters of a text. */
const MAX_TEXT = 10_000

const anyOf = (...parts: string[]): string => `(?:${parts.join('|')})`

/** The beginning or end of a sentence. `plainOf` puts these marks around the text. */
const [START, END] = ['(?<=\\. )', '(?= \\.)']
const DAY = anyOf(
  'today|tonight|tomorrow|yesterday|this|next|last|mon|tues?|wed|thurs?|fri|sat|sun',
  '(?:mon|tues|wednes|thurs|fri|satur|sun)day',
  'hoy|manana|ayer|este|esta|lunes|martes|miercoles|jueves|viernes|sabado|domingo',
  '\\d',
)
const WHEN = `(?: (?:on|in|until|till|since|by|as of|el|en|hasta|desde|para|a))*(?: el)? ${DAY}`
const NEW = '(?:(?:new|forever|adoptive|permanent|perfect|loving|approved|own|nueva|nuevo) )'

const FOSTER = 'foster(?:s|er|ers| family| home| mom| mum| dad| parents?)?'

const DENIED = 'not|no|never|cannot|t|(?:not|t) (?:on|under)(?: [a-z]+)?|without|non|sin|nunca|from'

/** With one of these words before it, a statement is denied, a condition, or about another animal. */
const OTHER_MEANING = anyOf(
  DENIED,
  'hope[sd]? to|wait(?:s|ing)? to|who|ever',
  '(?:can|could|may|might|should|must|to|cannot|only|if|when|once|puede|debe|pueden|deben)(?: only|' +
    ' not| ya)?(?: be| get| ser| have been)',
  '(?:previously|formerly|before|after|once|antes)(?: being| ser)?',
  '(?:if|until|till|when|once|hasta que|cuando|si)(?: [a-z]+){0,2}',
  '(?:siblings?|brothers?|sisters?|littermates?|mother|mom|mum|father|dad|friend|mate|buddy|others|owner|' +
    'hermanos?|hermanas?|madre|padre|companer[oa]s?|duen[oa])(?: (?!and |y |but |pero )[a-z]+){0,3}',
  '(?:looking for|seeking|needs?|requires?|busca|necesita)(?: an?| un| una)?',
)

/** The words before the death of a person or of another animal. */
const OTHERS = anyOf(
  'nearly|almost|have|had|person|people|dad|mum|human|grand[a-z]+|guardian|caretaker|caregiver|husband|wife',
  'man|woman|lady|parents?|family|kittens|pups|puppies|babies|litter|other (?:dog|cat)s?|familia|senora?',
)
const DEATHS = anyOf(
  'passed away|died|crossed (?:over )?the rainbow bridge|(?:was (?:humanely )?)?(?:euthani[sz]ed|put to sleep)',
  '(?:ha )?fallecido|fallecio|murio|(?:fue|ha sido) (?:eutanasiad|sacrificad)[oa]',
)

const PROMISES = anyOf(
  `(?<!\\b${OTHERS}(?: (?!and |but |y |pero )[a-z]+){0,2} )${DEATHS}`,
  // Left
  `went home(?=${WHEN}| with (?:the|his|her|their|its)\\b|${END})`,
  'picked up by (?:(?:the|his|her|its|their|new) )*(?:adopters?|owners?|family)',
  `(?:sent|went|gone) to (?:a |our |the )?(?:rescue|sanctuary|transfer)(?: partner| group|${WHEN}|${END})`,
  'owner (?:has |have )?(?:re)?claimed|reclaimed by|owner has until|(?:on|for) (?:the )?owner to claim',
  '(?:se fue|se ha ido) (?:a|con) su',
  // Not yet
  'not (?:yet )?ready(?: yet)?(?= [.,])|too young(?= [.,]| to (?:be|go|leave|adopt))',
  'trial (?:until|till|thru|through)',
  // Reserved
  'reserv(?:ed|e placed) (?:for|by|to)(?! (?:an? )?(?:experienced|active|quiet|adult|home|families|nature|' +
    'temperament|people|those|strangers|special|adults|the first|when|his|her|its|their|treats))',
  `(?:${START}|\\b(?:is|now|currently|already) )reserved(?:${END}|(?=${WHEN}))`,
  'reservation (?:for|by|made|confirmed|placed)|on reserve|spoken for|promised to|claimed by',
  'reservad[oa] (?:para|por|a nombre|(?:la )?familia)|reserved [a-z]+ family',
  '(?:se fue|se va|esta|salio|sale) (?:de|a) prueba|adopcion a prueba',
  `(?:${START}|\\b(?:esta|queda|ya|ya esta) )(?:reservad|apartad)[oa](?:${END}|(?=${WHEN}))`,
  'apartad[oa] (?:para|por)|(?:tiene|con) reserva',
  'reserva (?:de(?! espacio)|para|por|hecha|confirmada|a nombre)',
  'senal (?:pagada|dada|entregada)|apalabrad[oa]|comprometid[oa] con|prometid[oa] a',
  // Adopted
  'adopted (?:by|to)(?! an? [a-z]+ (?:that|who|which))',
  '(?:has|have|is|got|getting|being|been|will be) adopted(?! (?:from|in|as|together|before|twice|' +
    'once|with|out of))',
  `was adopted ${anyOf('today', 'yesterday', 'this', 'last (?:night|week)')}`,
  `${START}(?:already |now )?adopted(?:${END}|(?=${WHEN}))`,
  'adopters? (?:(?:has been|have been|is|are|was) )?(?:found|approved|picking|coming|confirmed|' +
    'lined up|chosen|selected|identified|waiting|collecting)',
  'adopters? (?:(?:will|to|can|going to) )+(?:pick|collect|come|take)|has (?:an )?adopters?',
  `${START}(?:new )?(?:adopter|owner|adoptante) :`,
  'adoption (?:(?:is|was) )?(?:pending|in progress|in process|confirmed|scheduled|finali[sz]ed|completed?)',
  'pending adoption',
  '(?:app|apps|application) (?:(?:is|was|has been) )?(?:approved|accepted|pending)',
  'approved (?:app|application|adopter)(?! (?:required|needed|necessary|only))',
  `(?:go|going|goes|leaving|moving) (?:home|to (?:his|her|its|their|the) ${NEW}*(?:home|` +
    `family))(?=${WHEN}| with (?:the|his|her|their|its) )`,
  `found (?:an?|his|her|its|their|the) ${NEW}*(?:home|family|adopter)`,
  `(?:has|have|got) (?:an?|his|her|its|their) ${NEW}+(?:home|family|owner)`,
  'has an? home(?= [.,]| lined| waiting)|home ?check (?:passed|approved|booked)',
  `(?:going|leaving) (?:(?:on|this|next) )*(?:mon|tues|wednes|thurs|fri|satur|sun)day`,
  `${START}(?:re ?)?homed(?:${END}|(?=${WHEN}| to| with))`,
  'on trial with|trial adoption|adoption trial',
  'foster to adopt(?! (?:option|available|home|needed|wanted|possible|considered|ok|only|welcome))',
  '\\bfta\\b',
  `${FOSTER} (?:(?:is|are|will|be|wants? to|going to|plans? to|decided to|has) )*(?:adopt|adopting)\\b`,
  `${FOSTER} (?:is |are |has )*(?:wants?|going|plans?|decided) to keep` +
    '(?! (?:(?:him|her|it) )?(?:until|till|for))',
  `foster fail(?:ed|ure|ing|s)?|${FOSTER} keeping(?! (?:(?:him|her|it) )?(?:until|till|for|while))`,
  'deposit (?:(?:has been|is|was) )?(?:paid|received|taken|placed|down|made)',
  '(?:paid|left|placed) (?:a |the )?deposit|contract signed',
  'signed (?:the |an |a )?(?:adoption )?(?:contract|papers|agreement)',
  'adoptad[oa] (?:por|a)\\b',
  '(?:ha sido|fue|esta|sera|va a ser) adoptad[oa](?! (?:y devuelt|de cachorr|antes|en))',
  `${START}(?:ya )?adoptad[oa](?:${END}|(?=${WHEN}))`,
  'adopcion (?:pendiente|en proceso|en tramite|en curso|confirmada|concedida|aprobada|cerrada|' +
    'firmada|prevista|finalizada)',
  '(?:pendiente|proceso|tramites?|vias) de adopcion|pre ?-?adoptad[oa]|pre ?-?adopcion',
  '(?:tiene|encontro|ha encontrado|encontrado) (?:ya )?(?:a su |su |una |un )?(?:adoptantes?|familia|' +
    'nuevo hogar|hogar definitivo|casa definitiva)(?! (?:de acogida|con|para))',
  'adoptantes? (?:(?:encontrad|confirmad|aprobad)[oa]s?)|se (?:va|marcha|ira) (?:a|con) su',
  '(?:lo|la) (?:recogen|recogeran|recoge|recogera)\\b|vienen a (?:por|buscar|recoger)',
  'contrato firmado|acogida (?:con (?:opcion a|opcion de|fines de|vistas a)|previa a) (?:la )?adopcion',
  '(?:(?:lo|la) adopta|se (?:lo|la) queda)n?',
  // With the owner, or for ever where it is
  '(?:back|home|reunited) (?:with|to) (?:(?:his|her|its|their|the) )?owners?',
  'owner (?:(?:has been|was) )?(?:located|found)(?= [.,])',
  '(?:propietari[oa]|duen[oa]) (?:localizad|encontrad)[oa]|se l[oa]s? llevan?(?! (?:bien|mal))',
  'acogida (?:definitiva|permanente)|(?:sanctuary|permanent) resident',
)

/** Statements that also count next to words about an owner or other animals. */
const HOLDS = anyOf(
  '(?:moved|placed|put|changed|back) (?:on|to|in|into) hold',
  'to be adopted by (?:the|his|her|their|our|one of|mr|mrs|ms|dr)(?! (?:same|right|first|perfect))',
  '(?<!\\b(?:can|can t|will|could|would|to|help|please|not|t) )(?!house|thres|strong|foot|with)[a-z]*hold' +
    '(?! (?:his|her|its|their|still|hands?|paws?|on to|onto)\\b)',
  '(?<!\\b(?:can|can t|not|t) )hold (?:(?:him|her|it|them) )?(?:until|till|thru|through|for' +
    '(?! (?:treats|hours|long|nails?|pictures|photos|more|up to|a (?:long|few|while)|\\d)))',
  '(?<!(?:love|like|enjoy|hate|tolerate|dislike|prefer|want)s?(?: [a-z]+){0,3} )' +
    'held (?:for|as|by|until|till)',
  '(?:tagged|pulled|committed|accepted|saved) (?:for|by|to) (?:[a-z]+ ){0,4}(?:transfer|transport|rescue)',
  'transferr(?:ed|ing) (?:to|out)(?! (?:us|our|this|the shelter|foster|the adoption|adoption|' +
    'kennel|room|run|cage)\\b)',
  'transfer (?:pending|scheduled|confirmed)|traslado (?:a|previsto|pendiente)|cedid[oa] a',
)

/** Statements that end such a promise. */
const ENDED = anyOf(
  'no longer(?: [a-z]+){0,4}|not anymore|fell through|fallen through|falling through|backed out',
  'change[ds]? (?:their|his|her|its) minds?',
  'hold (?:(?:was|is|has|been|now) )*(?:lifted|released|removed|over|ended|expired|done|completed?|' +
    'cleared|cancell?ed|dropped|finished|up)',
  '(?:off|taken off) (?:of )?(?:[a-z]+ )?hold',
  'returned(?! (?:to (?:its|his|her|the) owner|(?:my|our|the|his|her|your|a)?(?: phone)? ?(?:call|' +
    'e ?mail|message|application|app|form)))',
  'came back|brought back|available again|again available|back (?:up )?for adoption',
  'back on the (?:market|adoption floor)',
  '(?:adoption|adopters?|application|app|reservation|trial|transfer|deposit|reserva|adopcion|' +
    'adoptante|traslado)(?: [a-z]+){0,2} (?:cancell?ed|withdrawn|withdrew|declined|denied|failed|' +
    'refunded|rejected|disrupted|cancelad[oa]|anulad[oa]|fallid[oa]|rechazad[oa]|desestimad[oa])',
  'adopcion fallida|ya no|se echo atras|se echaron atras|devuelt[oa](?! a su due)|de nuevo disponible',
  'disponible (?:de nuevo|otra vez)',
)
const STATEMENTS = new RegExp(
  `\\b(?<ended>${ENDED})\\b|` +
    `(?<promise>(?:(?<!\\b${OTHER_MEANING} )\\b${PROMISES}|(?<!\\b(?:${DENIED}) )\\b${HOLDS})(?![a-z]))`,
  'g',
)

/** In lower case without accents. Each sentence ends in a period with spaces around it. */
function plainOf(text: string): string {
  const plain = withoutMarks(text.slice(0, MAX_TEXT)).toLowerCase()
  const marked = plain.replaceAll(/[.;!?\n\r|()[\]*•]+|(?<=\s)[-–—]+(?=\s)/g, ' . ').replaceAll(':', ' : ')
  return ` . ${marked
    .replaceAll(/[^\p{L}\p{N}.:,]+/gu, ' ')
    .replaceAll(',', ' , ')
    .trim()} . `.replaceAll(/\s+/g, ' ')
}

/** @returns the last statement that the animal is reserved, adopted or on hold, without names of people */
export function findPromise(text: string): string | undefined {
  let last: string | undefined
  for (const { groups } of plainOf(text).matchAll(STATEMENTS)) last = groups?.promise
  return last?.trim()
}

/** Longer parts of a text are not statuses. */
const MAX_STATUS = 40
/** Reads this many parts of a text. */
const MAX_PARTS = 100

const partsOf = (text: string): string[] =>
  text
    .slice(0, MAX_TEXT)
    .split(/[.;!?\n\r|()[\]*•]+|\s[-–—]+\s/)
    .map((part) => part.trim())
    .filter((part) => /\p{L}/u.test(part))
    .slice(0, MAX_PARTS)

const isStatus = (text: string, meanings: (string | undefined)[]): boolean =>
  text.length <= MAX_STATUS && meanings.includes(readStatus(text))

/** Capital letters at the beginning or end of a name: "ADOPTED Rex". */
const CAPITALS = /^(?:\p{Lu}{3,} )+(?=\p{Lu}\p{Ll})|(?<=\p{Ll} )(?:\p{Lu}{3,} ?)+$/gu

/** The parts of a name that are not a name alone: "Rex - ADOPTED", "Bella (bite hold)". */
export function notesInName(name: string): string[] {
  const parts = partsOf(name)
  return [...(parts.length > 1 ? parts : []), ...parts.flatMap((part) => part.match(CAPITALS) ?? [])]
}

/** Finds a status in a name: "Rex - ADOPTED". A name alone, such as Rip, is not a status. */
export function findStatusInName(name: string): string | undefined {
  const parts = partsOf(name)
  if (parts.length === 1 && isStatus(name, ['pending', 'sold'])) return name
  return notesInName(name)
    .find((part) => isStatus(part.trim(), ['pending', 'sold', 'died']))
    ?.trim()
}

/** Finds a status in the first sentence or in capitals. Elsewhere, such words may mean traits or the past. */
export function findStatusInText(text: string): string | undefined {
  const plain = partsOf(text).filter((part, index) => index === 0 || part === part.toUpperCase())
  const status = plain.find((part) => isStatus(part, ['pending', 'sold']))
  if (status !== undefined) return status
  const promise = plain.map(findPromise).find((found) => found !== undefined)
  // "She has been adopted. She was returned."
  return promise !== undefined && findPromise(text) !== undefined ? promise : undefined
}

/** A promise that fits an animal that is reserved. */
const OF_ADOPTER =
  /^(?!.*(?:hold|held|trans|rescue|traslado|died|passed|rainbow|euthan|sleep|fallec|murio|sacrific|claim))/

/** Finds such a statement, unless it fits the status. */
export const promiseIn = (text: string, status: StatusMeaning | undefined): string | undefined => {
  const promise = findPromise(text)
  return status === 'pending' && OF_ADOPTER.test(promise ?? '') ? undefined : promise
}

/** Finds what the name, description and notes say against the status. Notes of tables are read as columns. */
export function statementsOf(
  { name, description, staff, isTable }: Animal,
  status: StatusMeaning | undefined,
  time: ReadingTime,
): [name: string, said: string][] {
  const isOpen = status !== 'pending'
  const later = (text: string): string | undefined =>
    isOpen && isForLater(text, time) ? 'not now' : undefined
  const noted = isObject(staff) && !isTable ? withoutEnded(textOf(staff.notes), time) : ''
  const notes = later(noted) ?? promiseIn(noted, status)
  const statements: [string, string | undefined][] = [
    ['name', isOpen ? (findStatusInName(textOf(name)) ?? later(textOf(name))) : undefined],
    ['description', isOpen ? findStatusInText(textOf(description)) : undefined],
    ['notes', notes],
  ]
  return statements.filter((pair): pair is [string, string] => pair[1] !== undefined)
}
