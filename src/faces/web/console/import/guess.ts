import { LANGUAGES } from '../../../../http/language.ts'
import { CHOOSABLE } from '../../../../transfer/mappings/chosen.ts'
import { textsOf } from '../../texts/texts.ts'

/** What shelters call a column beside the words of our own form. */
const MORE_WORDS = new Map<string, readonly string[]>([
  ['name', ['Animal name', 'Pet name']],
  ['category', ['Species', 'Type', 'Animal type', 'Tipo']],
  ['birthDate', ['Date of birth', 'DOB']],
  ['sex', ['Gender']],
  ['colors', ['Color', 'Colour']],
  ['weightGrams', ['Weight', 'Peso']],
  ['fee.amount', ['Fee']],
  ['place.postcode', ['Zip', 'Zip code']],
  ['staff.intakeDate', ['Intake date']],
  ['staff.microchip', ['Microchip number']],
])

/** Its words for an age are few, and most tables have years. */
const NEVER = ['age']

const folded = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')

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
