import { GOOD_WITH, isPlainStatement, NOT_GOOD_WITH, readStatement } from './good-with.ts'
import { AGE_UNITS } from './phrases.ts'
import { fold, UNIT_GRAMS } from './word-lists.ts'

// Guesses what the columns of a shelter's own table contain, by their headings in English and Spanish.

/** The headings of each column, without ambiguous ones such as "location". See docs/import-words.md. */
export const HEADINGS: [column: string, headings: string][] = [
  ['name', "Name; Nombre; Animal name; Animal's name; Pet name; Pet's name; Nombre del animal; Given name"],
  [
    'category',
    'Type; Tipo; Kind; Animal type; Pet type; Dog/Cat; Cat/Dog; Tipo de animal; Type of animal; Kind of animal; Species; Especie; Species name; Animal species',
  ],
  [
    'status',
    'Status; Estado; Stage; Animal status; Status name; Adoption status; Estado de adopción; Situación; Estatus; Adoption stage; Estado de la adopción; Estado adopción',
  ],
  [
    'externalId',
    'Shelter ID; N.º del refugio; Animal #; Animal number; Animal no.; Animal ID; Pet #; Pet ID; Número de animal; ID; ID #; ID number; ID no.; Tag #; Tag number; Shelter #; Shelter number; Shelter code; Animal code; Reference; Reference number; Ref.; Ref. #; Código; Referencia; Expediente; N.º de expediente; Número de expediente',
  ],
  ['organization', ''],
  ['species', 'Species; Especie; Especie exacta'],
  [
    'breed.primary',
    'Breed; Raza; Primary breed; Breed 1; Raza 1; Breeds; Breed name; Breed/mix; Raza principal; Raza o cruce; Raza/cruce; Razas',
  ],
  ['breed.secondary', 'Second breed; Segunda raza; Secondary breed; Breed 2; Raza 2; Raza secundaria'],
  ['breed.mixed', 'Mixed breed; Mixed; Cruce'],
  ['breed.unknown', 'Breed is a guess; Raza estimada'],
  [
    'colors',
    'Colors; Colores; Color; Colour; Colours; Primary color; Secondary color; Tertiary color; Primary colour; Secondary colour; Tertiary colour; Second color; Second colour; Color (General); Color 1; Color 2; Color 3; Colour 1; Colour 2; Colour 3; Third color; Third colour; Color pattern; Colour pattern; Color principal; Color secundario; Base color; Base colour; Coat color; Coat colour; Color de pelo; Color del pelo; Capa',
  ],
  [
    'coat',
    'Coat; Pelo; Coat length; Hair length; Coat type; Hair type; Fur; Fur length; Pelaje; Tipo de pelo; Largo de pelo; Largo del pelo',
  ],
  [
    'birthDate',
    'Date of birth; Fecha de nacimiento; Birth date; DOB; Birthday; Born; Born on; Nacimiento; F. Nac.; Fecha nac.; Fecha nacimiento; F. nacimiento; Fecha de nac.; Birth; Approx. DOB; Est. DOB; Estimated DOB; Estimated birth date; Approximate birth date; Estimated date of birth; Approximate date of birth; Fecha de nacimiento aproximada; Fecha de nacimiento estimada',
  ],
  ['birthDateExact', 'Date of birth is exact; La fecha de nacimiento es exacta'],
  [
    'age',
    'Age; Edad; General age; Age group; Grupo de edad; Age upon outcome; Age upon intake; Age at intake; Animal age; Approx. age; Approximate age; Est. age; Estimated age; Edad aproximada; Edad aprox.; Edad estimada',
  ],
  [
    'sex',
    'Sex; Sexo; Sex upon outcome; Sex upon intake; Gender; M/F; F/M; Male/Female; Male or female; Female/Male; Sex name; Sex/altered; Sex/neutered; Género; M/H; H/M; Macho/Hembra; Hembra/Macho',
  ],
  [
    'size',
    'Size; Tamaño; Size group; Size category; Adult size; Size potential; General size potential; Size potential (general); Talla; Porte',
  ],
  ['weightGrams', 'Weight; Peso; Body weight'],
  [
    'description',
    'Description; Descripción; Story; Bio; Biography; Historia; About; About me; Profile; Public description; Adoption description; Web description; Website description; Web bio; Website bio; Public notes; Descripción pública; Descripción web; Sobre mí',
  ],
  [
    'traits.spayedNeutered',
    'Spayed or neutered; Esterilizado; Esterilizada; Fixed; Altered; Spayed/Neutered; Neutered; Sterilized; Sterilised; Spayed; Spay/Neuter; S/N; Spay/neuter status; Neuter status; Desexed; Esterilizado/a; Castrado; Castrada; Castrado/a; Esterilización; Castración',
  ],
  [
    'traits.houseTrained',
    'House-trained; Educado en casa; Housebroken; Potty trained; House broken; Toilet trained',
  ],
  ['traits.declawed', 'Declawed; Uñas extirpadas'],
  ['traits.specialNeeds', 'Special needs; Special need; Necesidades especiales'],
  [
    'traits.vaccinated',
    'Vaccinated; Vacunado; Vacunada; Vaccines; Vacunas; Shots; Vacunado/a; Vacunas al día; Vaccinations; Vacunación; Shots current; Shots up to date; Up to date on shots; Up to date on vaccines; Up to date on vaccinations; Current on vaccines; Current on shots; UTD on vaccines; UTD on shots; Vaccines up to date',
  ],
  [
    'goodWith.children',
    'Good with children; Se lleva bien con niños; Good with kids; Good w/ kids; OK with kids; Kids OK; Bien con niños',
  ],
  [
    'goodWith.dogs',
    'Good with dogs; Se lleva bien con perros; Good with other dogs; Good w/ dogs; OK with dogs; Dogs OK; Bien con perros',
  ],
  [
    'goodWith.cats',
    'Good with cats; Se lleva bien con gatos; Good with other cats; Good w/ cats; OK with cats; Cats OK; Bien con gatos',
  ],
  [
    'notGoodWith.children',
    'Not good with children; No se lleva bien con niños; Not good with kids; No kids; No children; Sin niños',
  ],
  [
    'notGoodWith.dogs',
    'Not good with dogs; No se lleva bien con perros; Not good with other dogs; No dogs; No other dogs; Sin perros',
  ],
  [
    'notGoodWith.cats',
    'Not good with cats; No se lleva bien con gatos; Not good with other cats; No cats; No other cats; Sin gatos',
  ],
  ['tags', 'Tags; Etiquetas'],
  [
    'fee.amount',
    'Adoption fee; Cuota de adopción; Fee; Cost; Price; Adoption cost; Adoption price; Precio; Precio de adopción; Cuota; Tasa de adopción; Costo; Coste; Donativo; Adoption donation; Rehoming fee; Tarifa; Tarifa de adopción; Cuota adopción; Donativo de adopción',
  ],
  ['fee.currency', 'Currency; Moneda'],
  [
    'bondedWith',
    'Adopted together with; Se adopta junto con; Bonded with; Bonded to; Bonded pair; Bonded pair with; Bonded partner; Bonded animal; Bonded; Vinculado con; Vinculada con; Bonded mate; Bonded friend; Bonded sibling; Adopt with; Adopt together with; Must be adopted with; Must go with; Vinculado a; Vinculada a; Se adopta con; Adoptar con; Adoptar junto con',
  ],
  ['videos', 'Videos; Vídeos'],
  ['contact.name', 'Contact name; Nombre de contacto'],
  ['contact.email', 'Contact e-mail; Correo de contacto'],
  ['contact.phone', 'Contact phone; Teléfono de contacto'],
  ['place.city', 'City; Ciudad'],
  [
    'place.region',
    'State or region; State/region; Estado, provincia o región; Provincia o región; Province; Provincia; Region; Región; State/province',
  ],
  ['place.postcode', 'ZIP or postal code; Código postal; Zip; Zip code; Postal code; Postcode'],
  ['place.country', 'Country code; Código del país'],
  ['place.latitude', 'Latitude; Latitud'],
  ['place.longitude', 'Longitude; Longitud'],
  [
    'staff.microchip',
    'Microchip; Microchip number; Microchip #; Chip number; Chip #; Chip; Chip ID; Chip no.; Microchip ID; Microchip no.; Identichip number; N.º de chip; N.º chip; Número de chip; Número de microchip; N.º de microchip; N.º microchip',
  ],
  [
    'staff.intakeDate',
    'Intake date; Fecha de ingreso; Date of intake; Arrival date; Intake date/time; Date in; In date; Date received; Received date; Received on; Date admitted; Admission date; Admitted on; Date arrived; Date of arrival; Arrived on; Fecha ingreso; F. ingreso; Fecha de entrada; Fecha entrada; F. entrada; Fecha de llegada; Fecha de admisión',
  ],
  [
    'staff.intakeKind',
    'Intake type; Tipo de ingreso; Intake reason; Reason for intake; Intake source; Tipo de entrada; Motivo de ingreso; Motivo de entrada',
  ],
  ['staff.intakeNote', 'Intake notes; Notas sobre el ingreso'],
  [
    'staff.kennel',
    'Kennel; Jaula; Kennel number; Kennel #; Cage; Cage #; Cage number; Kennel no.; Run; Run #; Pen; Pen #; Kennel/cage; N.º de jaula; Número de jaula; Chenil; Canil',
  ],
  [
    'staff.notes',
    'Staff notes; Notas del personal; Notes; Notas; Remarks; Observaciones; Comments; Comentarios; Internal notes; Notas internas; Staff comments; Memo; General notes; Notas generales; Other notes; Otras notas; Additional notes; Kennel notes; Behavior notes; Behaviour notes; Behavior comments; Notas de comportamiento; Medical notes; Medical comments; Notas médicas; Health notes; Notas de salud; Vet notes; Notas veterinarias; Foster notes; Volunteer notes',
  ],
]

/** Between the words of "animalName". */
const NEXT_WORD = /(?<=\p{Ll})(?=\p{Lu})/gu

/** Lower case without accents and punctuation. A # becomes "number", so "Animal #" differs from "Animal". */
const spaced = (text: string): string =>
  fold(text.replaceAll(NEXT_WORD, ' ').replaceAll('#', ' number ')).replaceAll('?', '')
const squash = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '')
const folded = (text: string): string => squash(spaced(text))

/** Headings with a unit, such as "Weight (lbs)". */
const WITH_UNIT = new Map([
  ['weightGrams', withUnits(['Weight', 'Peso'], UNIT_GRAMS.keys())],
  ['age', withUnits(['Age', 'Edad'], AGE_UNITS.keys())],
])

function withUnits(words: string[], units: Iterable<string>): string[] {
  const all = [...units]
  return words.flatMap((word) => all.flatMap((unit) => ['', 'in', 'en'].map((of) => `${word} ${of} ${unit}`)))
}

/** The headings of each column, with the position in its list. */
const WORDS = HEADINGS.map(([column, headings]) => {
  const all = [column, ...headings.split(';'), ...(WITH_UNIT.get(column) ?? [])].map(folded)
  return [column, new Map(all.flatMap((word, rank) => (word === '' ? [] : [[word, rank]])))] as const
})
const ALL_WORDS = new Set(WORDS.flatMap(([, words]) => [...words.keys()]))
const PLAIN = new Set(HEADINGS.flatMap(([, headings]) => headings.split(';').map(spaced)))

/** Words around a heading that do not change its meaning: "Dog's name", "Current weight", "Sexo (M/H)". */
const BEFORE = /^(?:the )?(?:animal|dog|cat|pet)s?(?: s)? |^(?:current) /
const OF_ANIMAL =
  'of (?:the )?(?:animal|dog|cat|pet)|del? (?:la )?(?:animal|perr[oa]|gat[oa]|mascota)|mascota'
const AFTER = new RegExp(` (?:${OF_ANIMAL}|actual|plain)$`)
const NOTE = /\(([^()]{1,40})\)/g
const NOTES = new Set(
  (
    'yes no y n s si sí m f h est estimated approx aprox if known optional opcional d dd mm yy yyyy aa aaaa usd eur ' +
    'gbp $ € £ public pública público html'
  ).split(' '),
)

/** The spellings of a heading, from the complete one to the shortest. */
function spellingsOf(heading: string): string[] {
  const words = [heading, heading.slice(0, MAX_NOTED).replaceAll(NOTE, withoutNote)].map(spaced)
  const bare = words.map((text) => text.replace(BEFORE, '').replace(AFTER, ''))
  return [...words, ...bare].map(squash)
}

function withoutNote(whole: string, note: string): string {
  return note
    .toLowerCase()
    .split(/[\s./,-]+/)
    .every((word) => word === '' || NOTES.has(word))
    ? ' '
    : whole
}

/** Longer headings have no notes. */
const MAX_NOTED = 200

/** Columns that several columns of a file may fill. Of several answers, the most careful one counts. */
export const REPEATABLE: ReadonlySet<string> = new Set([
  ...['status', 'colors', 'tags', 'videos', 'bondedWith', 'description', 'staff.notes', 'staff.intakeNote'],
  ...[...GOOD_WITH.map((part) => `goodWith.${part}`), ...NOT_GOOD_WITH],
])

export const isKnownHeading = (heading: string): boolean => columnsOf(heading).length > 0

/** Whether people write a heading like this. Programs run words together. */
export const isPlainHeading = (heading: string): boolean =>
  PLAIN.has(spaced(heading)) && heading.search(NEXT_WORD) < 0

/** The columns that a heading may mean, the likeliest first. */
function columnsOf(heading: string): { column: string; rank: number }[] {
  const [whole, ...others] = spellingsOf(heading)
  const spelling = [whole, ...others].find((word) => word !== undefined && ALL_WORDS.has(word))
  if (spelling === undefined) return statementColumn(heading)
  return WORDS.flatMap(([column, words]) => {
    const rank = words.get(spelling)
    return rank === undefined ? [] : [{ column, rank: spelling === whole ? rank : rank + LOOSE }]
  })
}

/** Added to the position of a heading that has words around it. */
const LOOSE = 10_000

/** "Dog friendly" and "Sin gatos" say what a yes in their columns means. */
function statementColumn(heading: string): { column: string; rank: number }[] {
  const text = heading.replaceAll('?', '')
  const [[part, answer] = [], ...others] = isPlainStatement(text) ? readStatement(text) : []
  if (part === undefined || others.length > 0) return []
  return [{ column: `${answer ? 'goodWith' : 'notGoodWith'}.${part}`, rank: Number.POSITIVE_INFINITY }]
}

const PERSON = new RegExp(
  '\\b(?:street|address|admitter|owner|surrenderer|finder|adopter|calle|direccion|dueno|propietario|' +
    'adoptante)\\b|\\bfoster (?:name|phone|cell|mobile|e ?mail|parent)',
)
/** People whose phone number the public must not see, although a column only says "Contact phone". */
const PRIVATE_PERSON = new RegExp(
  '\\b(?:admitter|owner|surrender(?:er|ed by)|finder|found by|foster|adopter|dueno|propietario|acogida|' +
    'adoptante|rescatista)',
)
const PLACES = ['place.city', 'place.postcode']

/**
 * Guesses the field of each column by its heading. If two columns match a field that takes only one, the
 * heading that comes first in the list above gets it, or else the first column.
 */
export function guessColumns(
  open: readonly { index: number; heading: string }[],
  ours: Iterable<string>,
): [index: number, column: string][] {
  const taken = new Set(ours)
  const named = open.map(({ index, heading }) => ({ index, heading, columns: columnsOf(heading) }))
  // The place next to a street is that of a person, such as the former owner.
  const hasPerson = open.some(({ heading }) => PERSON.test(spaced(heading)))
  const hasPrivatePerson = open.some(({ heading }) => PRIVATE_PERSON.test(spaced(heading)))
  // "State" alone may be a status.
  const hasPlace = named.some(({ columns: [first] }) => PLACES.includes(first?.column ?? ''))
  const all = named.map((one) =>
    hasPlace && folded(one.heading) === 'state'
      ? { ...one, columns: [{ column: 'place.region', rank: 0 }] }
      : one,
  )
  const best = new Map<string, { index: number; rank: number }>()
  for (const {
    index,
    columns: [first],
  } of all)
    if (first && first.rank < (best.get(first.column)?.rank ?? Number.POSITIVE_INFINITY))
      best.set(first.column, { index, rank: first.rank })
  return all.flatMap(({ index, columns }): [number, string][] => {
    const isFree = ({ column, rank }: { column: string; rank: number }): boolean => {
      const isBest = (best.get(column)?.index ?? index) === index
      if (REPEATABLE.has(column)) return isBest || rank < LOOSE || rank === Number.POSITIVE_INFINITY
      return isBest && !taken.has(column)
    }
    const { column } = columns.find(isFree) ?? {}
    if (column === undefined || (hasPerson && column.startsWith('place.'))) return []
    if (hasPrivatePerson && column.startsWith('contact.')) return []
    if (!REPEATABLE.has(column)) taken.add(column)
    return [[index, column]]
  })
}
