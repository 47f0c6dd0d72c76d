import { type Html, html, type Part } from '../../../http/html.ts'
import type { Animal } from './animal.ts'
import {
  ageWords,
  breedWords,
  dateWords,
  feeWords,
  listWords,
  type Phrasing,
  sexWords,
  weightWords,
} from './phrases.ts'

type Fact = [name: string, value: Part | undefined]

/** What is known of an animal; what is not is left out. @param kind in words */
export function facts(phrasing: Phrasing, animal: Animal, kind: string): Html {
  const { gallery, common } = phrasing.texts
  const { language } = phrasing
  const { size, weightGrams, coat, colors, species, fee, publishedAt, externalId, breed, status } = animal
  const all: Fact[] = [
    [gallery.kind, kind],
    [gallery.species, species],
    [gallery.breed, breed && breedWords(phrasing.texts, animal, kind)],
    [gallery.age, age(phrasing, animal)],
    [gallery.sex, sexWords(phrasing.texts, animal)],
    [gallery.size, size && common.size[size]],
    [gallery.weight, weightGrams === undefined ? undefined : weightWords(language, weightGrams)],
    [gallery.coat, coat && gallery.coats[coat]],
    [gallery.colors, colors?.join(', ')],
    ...companyFacts(phrasing, animal),
    ...traitFacts(phrasing, animal),
    [gallery.fee, fee && feeWords(phrasing, fee)],
    [gallery.since, publishedAt && status !== 'sold' && dateWords(language, publishedAt)],
    [gallery.number, externalId],
  ]
  return html`<dl class="facts">${all
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => html`<dt>${name}</dt><dd dir="auto">${value}</dd>`)}</dl>`
}

function age(phrasing: Phrasing, animal: Animal): Part | undefined {
  const { birthDate, birthDateExact } = animal
  const words = ageWords(phrasing, animal)
  if (birthDate === undefined || words === undefined) return words
  const { texts, language } = phrasing
  const group = animal.age && texts.common.age[animal.age]
  const born = birthDateExact
    ? texts.gallery.born(dateWords(language, birthDate))
    : texts.gallery.bornAbout(dateWords(language, birthDate, 'month'))
  return [[group, words].filter(Boolean).join(', '), html`<br><small>${born}</small>`]
}

/** With whom it can live, and with whom it had better not. */
function companyFacts({ texts, language }: Phrasing, { goodWith = {} }: Animal): Fact[] {
  const { gallery } = texts
  const those = (can: boolean): string => {
    const names = (['children', 'dogs', 'cats'] as const).filter((who) => goodWith[who] === can)
    return listWords(
      language,
      names.map((who) => gallery[who]),
    )
  }
  return [
    [gallery.goodWith, those(true)],
    [gallery.notWith, those(false)],
  ]
}

function traitFacts({ texts: { gallery } }: Phrasing, { traits = {} }: Animal): Fact[] {
  return Object.entries(gallery.traits).map(([trait, name]) => {
    const value = traits[trait as keyof typeof traits]
    return [name, value === undefined ? undefined : value ? gallery.yes : gallery.no]
  })
}

/** A text as it was written: an empty line parts paragraphs. */
export function paragraphs(text: string): Html {
  const parts = text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n\s*/)
    .map((part) => part.trim())
    .filter(Boolean)
  return html`${parts.map((part) => html`<p dir="auto">${part.split('\n').map((line, index) => [index > 0 && html`<br>`, line])}</p>`)}`
}
