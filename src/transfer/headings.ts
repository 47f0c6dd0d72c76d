import { GOOD_WITH, NOT_GOOD_WITH } from './good-with.ts'
import { AGE_UNITS } from './phrases.ts'
import { UNIT_GRAMS } from './words.ts'

// Guesses what the columns of a shelter's own table contain, by their headings in English and Spanish.

/**
 * The headings of each column, separated by semicolons. All of them are unambiguous: "location" is missing.
 * docs/importing.md shows this list.
 */
export const HEADINGS: [column: string, headings: string][] = [
  ['name', "Name; Nombre; Animal name; Animal's name; Pet name; Pet's name; Nombre del animal"],
  ['category', 'Type; Tipo; Species; Kind; Animal type; Pet type; Dog/Cat; Cat/Dog; Especie; Tipo de animal'],
  ['status', 'Status; Estado; Stage; Animal status; Adoption status; Estado de adopción; Situación'],
  [
    'externalId',
    'Shelter ID; N.º del refugio; Animal #; Animal number; Animal no.; Animal ID; Pet #; Pet ID; Número de animal',
  ],
  ['organization', ''],
  ['species', 'Species; Especie; Especie exacta'],
  ['breed.primary', 'Breed; Raza; Primary breed; Breed 1; Raza 1'],
  ['breed.secondary', 'Second breed; Segunda raza; Secondary breed; Breed 2; Raza 2'],
  ['breed.mixed', 'Mixed breed; Cruce'],
  ['breed.unknown', 'Breed is a guess; Raza estimada'],
  [
    'colors',
    'Colors; Colores; Color; Colour; Colours; Primary color; Secondary color; Tertiary color; Primary colour; Secondary colour; Tertiary colour; Second color; Second colour; Color (General); Color 1; Color 2; Color 3; Colour 1; Colour 2; Colour 3; Color principal; Color secundario',
  ],
  ['coat', 'Coat; Pelo; Coat length; Hair length'],
  [
    'birthDate',
    'Date of birth; Fecha de nacimiento; Birth date; DOB; Birthday; Born; Born on; Nacimiento; F. Nac.; Fecha nac.; Fecha nacimiento',
  ],
  ['birthDateExact', 'Date of birth is exact; La fecha de nacimiento es exacta'],
  ['age', 'Age; Edad; General age; Age group; Grupo de edad; Age upon outcome; Age upon intake'],
  ['sex', 'Sex; Sexo; Sex upon outcome; Sex upon intake; Gender; M/F; F/M; Male/Female; Male or female'],
  ['size', 'Size; Tamaño'],
  ['weightGrams', 'Weight; Peso'],
  ['description', 'Description; Descripción; Story; Bio; Biography; Historia'],
  [
    'traits.spayedNeutered',
    'Spayed or neutered; Esterilizado; Esterilizada; Fixed; Altered; Spayed/Neutered; Neutered; Sterilized; Sterilised',
  ],
  ['traits.houseTrained', 'House-trained; Educado en casa; Housebroken; Potty trained'],
  ['traits.declawed', 'Declawed; Uñas extirpadas'],
  ['traits.specialNeeds', 'Special needs; Necesidades especiales'],
  ['traits.vaccinated', 'Vaccinated; Vacunado; Vacunada; Vaccines; Vacunas; Shots'],
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
    'Adoption fee; Cuota de adopción; Fee; Cost; Price; Adoption cost; Adoption price; Precio; Precio de adopción; Cuota; Tasa de adopción; Costo; Coste; Donativo',
  ],
  ['fee.currency', 'Currency; Moneda'],
  ['bondedWith', 'Adopted together with; Se adopta junto con'],
  ['videos', 'Videos; Vídeos'],
  ['contact.name', 'Contact name; Nombre de contacto'],
  ['contact.email', 'Contact e-mail; Correo de contacto'],
  ['contact.phone', 'Contact phone; Teléfono de contacto'],
  ['place.city', 'City; Ciudad'],
  ['place.region', 'State or region; State/region; Estado, provincia o región; Provincia o región'],
  ['place.postcode', 'ZIP or postal code; Código postal; Zip; Zip code; Postal code; Postcode'],
  ['place.country', 'Country code; Código del país'],
  ['place.latitude', 'Latitude; Latitud'],
  ['place.longitude', 'Longitude; Longitud'],
  ['staff.microchip', 'Microchip; Microchip number; Microchip #; Chip number; Chip #'],
  ['staff.intakeDate', 'Intake date; Fecha de ingreso; Date of intake; Arrival date'],
  ['staff.intakeKind', 'Intake type; Tipo de ingreso'],
  ['staff.intakeNote', 'Intake notes; Notas sobre el ingreso'],
  ['staff.kennel', 'Kennel; Jaula; Kennel number; Kennel #; Cage; Cage #'],
  ['staff.notes', 'Staff notes; Notas del personal; Notes; Notas; Remarks; Observaciones'],
]

/**
 * Converts a heading to lower case without punctuation. A # becomes "number", so "Animal #" differs from
 * "Animal".
 */
const folded = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('#', 'number')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')

/** Headings with a unit, such as "Weight (lbs)". */
const WITH_UNIT = new Map([
  ['weightGrams', withUnits(['Weight', 'Peso'], UNIT_GRAMS.keys())],
  ['age', withUnits(['Age', 'Edad'], AGE_UNITS.keys())],
])

function withUnits(words: string[], units: Iterable<string>): string[] {
  const all = [...units]
  return words.flatMap((word) => all.flatMap((unit) => ['', 'in', 'en'].map((of) => `${word} ${of} ${unit}`)))
}

const WORDS = HEADINGS.map(([column, headings]) => {
  const all = [column, ...headings.split(';'), ...(WITH_UNIT.get(column) ?? [])]
  return [column, new Set(all.map(folded).filter((word) => word !== ''))] as const
})
const ALL_WORDS = new Set(WORDS.flatMap(([, words]) => [...words]))

/**
 * Columns that several columns of a file may fill: lists, texts of several paragraphs, and answers. The most
 * careful answer counts.
 */
export const REPEATABLE: ReadonlySet<string> = new Set([
  ...['status', 'colors', 'tags', 'videos', 'bondedWith', 'description', 'staff.notes', 'staff.intakeNote'],
  ...[...GOOD_WITH.map((part) => `goodWith.${part}`), ...NOT_GOOD_WITH],
])

export const isKnownHeading = (heading: string): boolean => ALL_WORDS.has(folded(heading))

/**
 * Guesses the field of each column by its heading. If two columns match a field that takes only one, the
 * first column gets it.
 */
export function guessColumns(
  open: readonly { index: number; heading: string }[],
  ours: Iterable<string>,
): [index: number, column: string][] {
  const taken = new Set(ours)
  return open.flatMap(({ index, heading }): [number, string][] => {
    const word = folded(heading)
    const isFree = (column: string): boolean => REPEATABLE.has(column) || !taken.has(column)
    const [column] = WORDS.find(([column, words]) => words.has(word) && isFree(column)) ?? []
    if (column === undefined) return []
    if (!REPEATABLE.has(column)) taken.add(column)
    return [[index, column]]
  })
}
