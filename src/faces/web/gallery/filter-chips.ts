import { fold } from '../../../categories/store.ts'
import { type Html, html } from '../../../http/html.ts'
import { kindWords } from '../kind-words.ts'
import { type Asked, listPath, parametersOf } from './asked.ts'
import { distanceWords, type Phrasing } from './phrases.ts'

/**
 * The filters in use, each with a link to the list without it.
 *
 * @param kinds names of categories
 */
export function filterChips(phrasing: Phrasing, asked: Asked, kinds: string[]): Html | undefined {
  const { gallery } = phrasing.texts
  // How far is a part of where.
  const parameters = parametersOf(asked)
  const shown = parameters.filter(([name]) => name !== 'within' && name !== 'sort')
  if (shown.length === 0) return undefined
  const chips = shown.map((chip) => {
    const words = wordsOf(phrasing, asked, chip, kinds)
    const others = parameters.filter(
      (one) => one !== chip && !(chip[0] === 'near' && PLACED.includes(one[0])),
    )
    return html`<li><a class="chip" href="${listPath(others)}"><span class="visually-hidden">${gallery.without(
      words,
    )}</span><span aria-hidden="true">${words} ✕</span></a></li>`
  })
  return html`<ul class="chips" aria-label="${gallery.filters}">${chips}<li><a href="/animals">${gallery.removeAll}</a></li></ul>`
}

/** What makes sense near a place alone. */
const PLACED = ['within', 'sort']

function wordsOf(
  { texts, language }: Phrasing,
  { within }: Asked,
  [name, value]: [string, string],
  kinds: string[],
): string {
  const { common, gallery } = texts
  switch (name) {
    case 'kind':
      return kindWords(texts, kinds.find((kind) => fold(kind) === fold(value)) ?? value)
    case 'age':
      return common.age[value] ?? value
    case 'size':
      return common.size[value] ?? value
    case 'sex':
      return common.sex[value] ?? value
    case 'near':
      return gallery.nearFilter(value, distanceWords(language, within * 1_000))
    case 'goodWithChildren':
    case 'goodWithDogs':
    case 'goodWithCats': {
      const who = name.slice('goodWith'.length).toLowerCase()
      return (value === 'true' ? gallery.goodWithFilter[who] : gallery.notGoodWithFilter[who]) ?? value
    }
    default:
      return value
  }
}
