import { LANGUAGES } from '../../../../http/language.ts'
import { CHOOSABLE } from '../../../../transfer/mappings/chosen.ts'
import { UNIT_GRAMS } from '../../../../transfer/words.ts'
import { textsOf } from '../../texts/texts.ts'

const WEIGHTS = ['Weight', 'Peso'].flatMap((word) => [
  word,
  ...[...UNIT_GRAMS.keys()].flatMap((unit) => [
    `${word} ${unit}`,
    `${word} in ${unit}`,
    `${word} en ${unit}`,
  ]),
])

/**
 * What shelters call a column beside the words of our own form. Only what can mean nothing else: a location
 * may be a town or a cage.
 */
const MORE_WORDS = new Map<string, readonly string[]>([
  ['name', ['Animal name', "Animal's name", 'Pet name', "Pet's name", 'Nombre del animal']],
  [
    'category',
    ['Species', 'Type', 'Animal type', 'Pet type', 'Dog/Cat', 'Cat/Dog', 'Tipo', 'Tipo de animal'],
  ],
  ['breed.primary', ['Primary breed']],
  ['breed.secondary', ['Secondary breed']],
  ['birthDate', ['Date of birth', 'DOB', 'Birthday', 'Born', 'Born on']],
  ['sex', ['Gender', 'M/F', 'F/M', 'Male/Female', 'Male or female']],
  ['externalId', ['Animal #', 'Animal number', 'Animal no.', 'Animal ID', 'Pet #', 'Pet ID']],
  ['colors', ['Color', 'Colour', 'Colours']],
  ['coat', ['Coat length', 'Hair length']],
  ['weightGrams', WEIGHTS],
  ['description', ['Story', 'Bio', 'Biography', 'Historia']],
  ['goodWith.children', ['Good with kids', 'OK with kids', 'Kids OK']],
  ['goodWith.dogs', ['Good with other dogs', 'OK with dogs', 'Dogs OK']],
  ['goodWith.cats', ['Good with other cats', 'OK with cats', 'Cats OK']],
  ['traits.houseTrained', ['Housebroken', 'Potty trained']],
  ['traits.spayedNeutered', ['Fixed', 'Altered', 'Spayed/Neutered', 'Neutered', 'Sterilized', 'Sterilised']],
  ['fee.amount', ['Fee', 'Cost', 'Price', 'Adoption cost', 'Adoption price', 'Precio']],
  ['place.postcode', ['Zip', 'Zip code', 'Postal code']],
  ['staff.intakeDate', ['Intake date', 'Date of intake', 'Arrival date', 'Fecha de ingreso']],
  ['staff.microchip', ['Microchip number', 'Microchip #', 'Chip number', 'Chip #']],
  ['staff.kennel', ['Kennel number', 'Kennel #', 'Cage', 'Cage #']],
])

/** Its words for an age are few, and most tables have years. */
const NEVER = ['age']

/** "Animal #" and "Animal" are not the same. */
const folded = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('#', 'number')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')

const WORDS = CHOOSABLE.filter((column) => !NEVER.includes(column)).map((column) => {
  const label = column === 'category' ? 'categoryId' : column
  const labels = LANGUAGES.map((language) => textsOf(language).console.animal.fields.labels[label] ?? '')
  const all = [column, ...labels, ...(MORE_WORDS.get(column) ?? [])]
  return [column, new Set(all.map(folded).filter((word) => word !== ''))] as const
})

/** What columns hold whose heading is plainly one of ours in other letters: each the first that is free. */
export function guessColumns(
  open: readonly { index: number; heading: string }[],
  ours: Iterable<string>,
): [number, string][] {
  const taken = new Set(ours)
  return open.flatMap(({ index, heading }): [number, string][] => {
    const word = folded(heading)
    const [column] = WORDS.find(([column, words]) => words.has(word) && !taken.has(column)) ?? []
    if (column === undefined) return []
    taken.add(column)
    return [[index, column]]
  })
}
