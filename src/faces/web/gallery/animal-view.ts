import { type Html, html, type Part } from '../../../http/html.ts'
import type { Organization } from '../../../organizations/schema.ts'
import type { Texts } from '../texts/texts.ts'
import { animalPath, shelterPath } from './addresses.ts'
import type { Animal } from './animal.ts'
import { facts, paragraphs } from './facts.ts'
import { photoStrip } from './photo-strip.ts'
import { ageWords, breedWords, type Phrasing, placeWords, sexWords } from './phrases.ts'
import { addressLines, contactFacts, outwardLink } from './shelter-box.ts'

export interface AnimalParts {
  animal: Animal
  /** Its category, in words. */
  kind: string
  shelter: Organization | undefined
  /** Animals that are adopted together with it, of those that everybody sees. */
  friends: { id: number; name: string }[]
}

/** All that people see of an animal. */
export function animalMain(phrasing: Phrasing, parts: AnimalParts): Html {
  const { animal, kind, shelter } = parts
  const { gallery } = phrasing.texts
  const { name, status, description, tags, place } = animal
  const there = placeWords(place) || placeWords(shelter?.address)
  const traits = [
    breedWords(phrasing.texts, animal, kind),
    ageWords(phrasing, animal),
    sexWords(phrasing.texts, animal),
  ]
  return html`<p class="back"><a href="/animals">${gallery.back}</a></p>
<article class="animal">
<div class="animal-photos">${photoStrip(phrasing.texts, name, animal.photos)}</div>
<div class="animal-head">
<h1 dir="auto">${name}</h1>
<p class="lead" dir="auto">${traits.filter(Boolean).join(' · ')}</p>
${there !== '' && html`<p class="muted" dir="auto">${there}</p>`}
${status !== 'available' && html`<p class="notice">${status === 'pending' ? gallery.isReserved(name) : [gallery.isAdopted(name), ' ', html`<a href="/animals">${gallery.adoptedAdvice}</a>`]}</p>`}
${status !== 'sold' && firstStep(phrasing, parts)}
${bonded(phrasing, parts)}
</div>
<section class="animal-facts panel"><h2>${gallery.facts}</h2>
${facts(phrasing, animal, kind)}
${tags && html`<ul class="tags" aria-label="${gallery.tags}">${tags.map((tag) => html`<li class="tag" dir="auto">${tag}</li>`)}</ul>`}</section>
${
  description !== undefined &&
  html`<section class="animal-text"><h2 dir="auto">${gallery.about(name)}</h2>
${paragraphs(description)}
${videos(phrasing, animal)}</section>`
}
${description === undefined && animal.videos && html`<section class="animal-text">${videos(phrasing, animal)}</section>`}
<section class="animal-adopt">${status !== 'sold' && adoption(phrasing, parts)}${shelterBox(phrasing, parts)}</section>
</article>`
}

/** Where people begin: with the form, or on the shelter's own pages. */
function firstStep({ texts: { gallery } }: Phrasing, { animal, shelter }: AnimalParts): Html {
  const elsewhere = shelter?.adoptionUrl
  return elsewhere === undefined
    ? html`<p><a class="button big" href="/animals/${animal.id}/apply">${gallery.apply(animal.name)}</a></p>
<p class="hint">${gallery.applyText}</p>`
    : html`<p>${outwardLink(elsewhere, gallery.applyElsewhere, 'button big')}</p>`
}

function adoption(phrasing: Phrasing, parts: AnimalParts): Part {
  const { animal, shelter } = parts
  const { gallery } = phrasing.texts
  const policy = shelter?.adoptionPolicy
  return html`<h2 dir="auto">${gallery.howTo(animal.name)}</h2>
${policy !== undefined && policyText(gallery, policy)}
${firstStep(phrasing, parts)}
${animal.contact && html`<h3>${gallery.ask}</h3><dl class="facts">${contactFacts(phrasing, animal.contact)}</dl>`}`
}

/** A long one is there for those who open it. */
function policyText(gallery: Texts['gallery'], policy: string): Html {
  if (policy.length <= SHORT_POLICY) return html`<h3>${gallery.policy}</h3>${paragraphs(policy)}`
  return html`<details class="policy"><summary>${gallery.policy}</summary>${paragraphs(policy)}</details>`
}
const SHORT_POLICY = 800

function shelterBox(phrasing: Phrasing, { shelter }: AnimalParts): Part {
  if (!shelter) return undefined
  const { gallery } = phrasing.texts
  const { name, code, website } = shelter
  const lines = addressLines(shelter)
  return html`<div class="panel shelter"><h2>${gallery.shelter}</h2>
<p class="shelter-name" dir="auto"><a href="${shelterPath(code)}">${name}</a></p>
<dl class="facts">${lines.length > 0 && html`<dt>${gallery.address}</dt><dd dir="auto">${lines.map((line, index) => [index > 0 && html`<br>`, line])}</dd>`}${contactFacts(
    phrasing,
    { ...(shelter.email && { email: shelter.email }), ...(shelter.phone && { phone: shelter.phone }) },
  )}${website !== undefined && html`<dt>${gallery.website}</dt><dd>${outwardLink(website, hostOf(website))}</dd>`}</dl>
<p><a class="button plain" href="${shelterPath(code)}">${gallery.atShelter(name)}</a></p></div>`
}

/** What people call an address. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host.replace(/^www\./, '') : address
}

function bonded({ texts: { gallery } }: Phrasing, { animal, friends }: AnimalParts): Part {
  if (friends.length === 0) return undefined
  return html`<div class="panel"><h2 dir="auto">${gallery.bonded(animal.name)}</h2><p>${gallery.bondedText}</p><ul>${friends.map(
    (friend) => html`<li><a href="${animalPath(friend)}" dir="auto">${friend.name}</a></li>`,
  )}</ul></div>`
}

function videos({ texts: { gallery } }: Phrasing, { videos = [] }: Animal): Part {
  if (videos.length === 0) return undefined
  return html`<h3>${gallery.videos}</h3><ul>${videos.map(
    (address, index) =>
      html`<li>${outwardLink(address, `${gallery.video(index + 1)} (${hostOf(address)})`)}</li>`,
  )}</ul>`
}
