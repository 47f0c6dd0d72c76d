import { type Html, html, type Part } from '../../../http/html.ts'
import {
  type Animal,
  ageGroupWords,
  ageWords,
  agree,
  breedWords,
  countryOf,
  dateWords,
  feeWords,
  listWords,
  measureAge,
  type Phrasing,
  sexWords,
  sizeWords,
  weightWords,
} from './phrases.ts'

/** The shelter of an animal, whose country decides which units come first. */
type Shelter = Parameters<typeof countryOf>[1]

export type Fact = [name: string, value: Part]

/** Whether a fact is known. */
export const isKnown = ([, value]: Fact): boolean => value !== undefined && value !== '' && value !== false

/** The known facts about an animal. @param kind name of the category */
export function factList(phrasing: Phrasing, animal: Animal, kind: string, shelter?: Shelter): Html {
  const known = factsOf(phrasing, animal, kind, shelter).filter(isKnown)
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd dir="auto">${value}</dd>`)}</dl>`
}

/** All facts about an animal, known or not, in the same order for every animal. */
export function factsOf(phrasing: Phrasing, animal: Animal, kind: string, shelter?: Shelter): Fact[] {
  const { gallery } = phrasing.texts
  const { language } = phrasing
  const { weightGrams, coat, colors, species, fee, publishedAt, externalId, breed, status } = animal
  return [
    [gallery.kind, kind],
    [gallery.species, species],
    [gallery.breed, breed && breedWords(phrasing.texts, animal, kind)],
    [gallery.age, age(phrasing, animal)],
    [gallery.sex, sexWords(phrasing.texts, animal)],
    [gallery.size, sizeWords(phrasing.texts, animal)],
    [
      gallery.weight,
      weightGrams === undefined ? undefined : weightWords(language, weightGrams, countryOf(animal, shelter)),
    ],
    [gallery.coat, coat && gallery.coats[coat]],
    [gallery.colors, colors?.join(', ')],
    ...companyFacts(phrasing, animal),
    ...traitFacts(phrasing, animal),
    [gallery.fee, fee && feeWords(phrasing, fee)],
    [gallery.since, publishedAt && status !== 'sold' && dateWords(language, publishedAt)],
    [gallery.number, externalId],
  ]
}

function age(phrasing: Phrasing, animal: Animal): Part | undefined {
  const { birthDate, birthDateExact } = animal
  const words = ageWords(phrasing, animal)
  if (birthDate === undefined || words === undefined) return words
  const { texts, language } = phrasing
  const group = ageGroupWords(texts, animal)
  // An estimate in years does not say the month.
  const isRough = birthDateExact === false && measureAge(birthDate, phrasing.now).unit === 'year'
  const born = birthDateExact
    ? texts.gallery.born(dateWords(language, birthDate))
    : texts.gallery.bornAbout(dateWords(language, birthDate, isRough ? 'year' : 'month'))
  return [
    [group, group === undefined ? words : uncapitalized(words)].filter(Boolean).join(', '),
    html`<br><small>${born}</small>`,
  ]
}

const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Facts about the company that the animal does or does not get along with. */
function companyFacts({ texts, language }: Phrasing, { goodWith = {} }: Animal): Fact[] {
  const { gallery } = texts
  const companions = (isGood: boolean): string => {
    const names = (['children', 'dogs', 'cats'] as const).filter((name) => goodWith[name] === isGood)
    const words = names.map((name) => gallery[name])
    return capitalized(listWords(language, words))
  }
  return [
    [gallery.goodWith, companions(true)],
    [gallery.notWith, companions(false)],
  ]
}

function traitFacts({ texts }: Phrasing, animal: Animal): Fact[] {
  const { gallery } = texts
  const { traits = {} } = animal
  return Object.entries(gallery.traits).map(([trait, name]) => {
    const value = traits[trait as keyof typeof traits]
    return [agree(texts, name, animal), value === undefined ? undefined : value ? gallery.yes : gallery.no]
  })
}
