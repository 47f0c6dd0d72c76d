import { type Html, html, type Part } from '../../../http/html.ts'
import { assetPath } from '../assets.ts'
import { categoryLabel } from '../formats.ts'
import { animalPath, type Gallery, type ShelterName } from './animals.ts'
import { scaled } from './page-parts.ts'
import {
  type Animal,
  ageGroupWords,
  ageWords,
  agree,
  awayWords,
  breedWords,
  countryOf,
  dateWords,
  feeWords,
  listWords,
  measureAge,
  type Phrasing,
  placeWords,
  sexWords,
  sizeWords,
  weightWords,
} from './phrases.ts'

/** Names that a card shows in addition to the animal's own data. */
export interface CardNames {
  kinds: ReadonlyMap<number, { name: string }>
  shelters: ReadonlyMap<number, ShelterName>
}

export async function namesFor(gallery: Gallery, animals: Animal[]): Promise<CardNames> {
  const [kinds, shelters] = await Promise.all([gallery.kinds(), gallery.sheltersOf(animals)])
  return { kinds, shelters }
}

interface CardOptions {
  /** Whether the cards are in a frame of another site. Their links then open a new tab. */
  framed?: boolean
  /** Whether all animals belong to one shelter. The cards then do not name the shelter. */
  oneShelter?: boolean
  /** Whether the cards are smaller, for a frame in another page. */
  compact?: boolean
  /** Level of the headings. */
  level?: 2 | 3
}

/** The maximum number of cards in the first row. Photos in the first row are not loaded lazily. */
const FIRST_ROW = 4

export function cardList(
  phrasing: Phrasing,
  animals: Animal[],
  names: CardNames,
  options: CardOptions = {},
): Html {
  const cards = animals.map((animal, index) => card(phrasing, animal, names, { ...options, index }))
  return html`<ul class="cards${options.compact && ' compact'}">${cards}</ul>`
}

function card(
  phrasing: Phrasing,
  animal: Animal,
  { kinds, shelters }: CardNames,
  { framed, oneShelter, level = 2, index }: CardOptions & { index: number },
): Html {
  const { texts, language } = phrasing
  const { name, status, place, organizationId, distanceMeters } = animal
  const kind = categoryLabel(texts, kinds.get(animal.categoryId)?.name ?? '')
  const shelter = organizationId === undefined ? undefined : shelters.get(organizationId)
  const traits = [ageWords(phrasing, animal), sexWords(texts, animal), sizeWords(texts, animal)]
  const placeText = placeWords(language, place) || placeWords(language, shelter?.address)
  const away =
    distanceMeters === undefined ? undefined : awayWords(phrasing, distanceMeters, countryOf(animal, shelter))
  return html`<li class="card">${cardPhoto(phrasing, animal, index)}${
    status === 'pending' && html`<span class="badge">${agree(texts, texts.gallery.reserved, animal)}</span>`
  }${heading(level, html`<a href="${animalPath(animal)}"${framed && html` target="_blank" rel="noopener"`}>${name}</a>`)}<p dir="auto">${breedWords(
    texts,
    animal,
    kind,
  )}</p><p>${traits.filter(Boolean).join(' · ')}</p>${line(placeText)}${line(away)}${
    !oneShelter && line(shelter?.name)
  }</li>`
}

const heading = (level: 2 | 3, content: Html): Html =>
  level === 2 ? html`<h2 dir="auto">${content}</h2>` : html`<h3 dir="auto">${content}</h3>`

function line(text: string | undefined): Part {
  return text && html`<p class="muted" dir="auto">${text}</p>`
}

/** Phones show two columns with the smallest photos. On wider screens, the browser chooses the size. */
const PHONE = '(max-width: 34rem)'

function cardPhoto({ texts }: Phrasing, { name, photos }: Animal, index: number): Html {
  const loading = index === 0 ? html` fetchpriority="high"` : index >= FIRST_ROW && html` loading="lazy"`
  const [photo] = photos ?? []
  // The heading already contains the name, so the placeholder needs no alternative text.
  if (!photo)
    return html`<img src="${assetPath('no-photo.svg')}" alt="" width="300" height="300"${index >= FIRST_ROW && html` loading="lazy"`}>`
  const { small, medium } = photo.sizes
  const { width, height } = scaled(photo, 300)
  return html`<picture><source media="${PHONE}" srcset="${small}"><img src="${small}" srcset="${small} 300w, ${medium} 600w" sizes="(max-width: 50rem) 45vw, 17rem" alt="${
    photo.alt ?? texts.gallery.photoOf(name)
  }" width="${width}" height="${height}"${loading}></picture>`
}

/** The shelter of an animal, whose country decides which units come first. */
type Shelter = Parameters<typeof countryOf>[1]

export type Fact = [name: string, value: Part]

export const isKnown = ([, value]: Fact): boolean => value !== undefined && value !== '' && value !== false

interface FactOptions {
  shelter?: Shelter
  /** Facts to add at the end. */
  more?: Fact[]
}

/** The known facts about an animal. @param kind name of the category */
export function factList(
  phrasing: Phrasing,
  animal: Animal,
  kind: string,
  { shelter, more = [] }: FactOptions = {},
): Html {
  const facts = [...factsOf(phrasing, animal, kind, shelter), ...more].filter(isKnown)
  return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd dir="auto">${value}</dd>`)}</dl>`
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
