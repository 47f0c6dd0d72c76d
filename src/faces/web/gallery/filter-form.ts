import { fold } from '../../../categories/store.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { AGES } from '../../../pets/profile-schemas.ts'
import { type Problem, problemSummary, selectField, textField } from '../forms.ts'
import { kindWords } from '../kind-words.ts'
import { type Asked, DISTANCES, parametersOf } from './asked.ts'
import { distanceWords, type Phrasing } from './phrases.ts'

const SIZES = ['small', 'medium', 'large', 'extra_large']
const GOOD_WITH = ['goodWithChildren', 'goodWithDogs', 'goodWithCats'] as const

interface FormParts {
  /** As they were sent, whether or not they make sense. */
  asked: Partial<Asked>
  problems: Problem[]
  /** Names of categories. */
  kinds: string[]
  /** Names of breeds that may be meant. */
  breeds: string[]
}

/** What visitors look for: a form of an address, which works without a script. */
export function filterForm(phrasing: Phrasing, { asked, problems, kinds, breeds }: FormParts): Html {
  const { gallery } = phrasing.texts
  const used = parametersOf(asked as Asked).filter(([name]) => !FIRST.includes(name)).length
  const text = (name: 'q' | 'near', label: string, placeholder: string): Html =>
    textField({ name, label, placeholder, problems, mostCharacters: 100, value: one(asked[name]) })
  const kind = one(asked.kind)
  return html`${problemSummary(gallery.problems, problems)}
<form class="finder" action="/animals" role="search">
<div class="finder-main">
${text('q', gallery.words, gallery.wordsExample)}
${selectField({
  name: 'kind',
  label: gallery.kind,
  problems,
  value: kind && fold(kind),
  choices: [
    ['', gallery.anyKind],
    ...kinds.map((name) => [fold(name), kindWords(phrasing.texts, name)] as const),
  ],
})}
${text('near', gallery.near, gallery.nearExample)}
${selectField({
  name: 'within',
  label: gallery.within,
  problems,
  value: String(one(asked.within) ?? 100),
  choices: distances(asked).map((km) => [String(km), distanceWords(phrasing.language, km * 1_000)] as const),
})}
<button>${gallery.search}</button>
</div>
<details${(used > 0 || problems.some(({ field }) => !FIRST.includes(field))) && html` open`}><summary>${gallery.more}${
    used > 0 && html` <span class="tag">${gallery.inUse(used)}</span>`
  }</summary>
<div class="finder-more">
${moreFields(phrasing, asked, problems, breeds)}
</div>
<button>${gallery.search}</button>
</details>
</form>`
}

/** Those that are always seen. */
const FIRST = ['q', 'kind', 'near', 'within']

function moreFields(
  { texts }: Phrasing,
  asked: Partial<Asked>,
  problems: Problem[],
  breeds: string[],
): Part[] {
  const { gallery, common } = texts
  const words = (of: Record<string, string>, values: readonly string[]) =>
    values.map((value) => [value, of[value] ?? value] as const)
  return [
    textField({
      name: 'breed',
      label: gallery.breed,
      problems,
      mostCharacters: 80,
      value: one(asked.breed),
      ...(breeds.length > 0 && { list: 'breeds' }),
    }),
    breeds.length > 0 &&
      html`<datalist id="breeds">${breeds.map((name) => html`<option value="${name}">`)}</datalist>`,
    selectField({
      name: 'sex',
      label: gallery.sex,
      problems,
      value: one(asked.sex),
      choices: [['', gallery.either], ...words(common.sex, ['female', 'male'])],
    }),
    selectField({
      name: 'sort',
      label: gallery.sort,
      problems,
      value: one(asked.sort),
      choices: [['', gallery.usualOrder], ...words(gallery.sorts, Object.keys(gallery.sorts))],
    }),
    checkGroup(gallery.age, checks('age', words(common.age, AGES), asked.age)),
    checkGroup(gallery.size, checks('size', words(common.size, SIZES), asked.size)),
    checkGroup(
      gallery.goodWith,
      GOOD_WITH.map((name) => check(name, 'true', gallery[name], one(asked[name]) === 'true')),
    ),
  ]
}

/** Some that may be chosen together. */
function checkGroup(legend: string, choices: Html[]): Html {
  return html`<fieldset class="checks"><legend>${legend}</legend>${choices}</fieldset>`
}

function checks(name: string, choices: (readonly [string, string])[], chosen: unknown): Html[] {
  const values = [chosen].flat()
  return choices.map(([value, words], index) =>
    check(name, value, words, values.includes(value), index === 0 ? name : undefined),
  )
}

function check(name: string, value: string, words: string, isChosen: boolean, id: string | undefined = name) {
  return html`<label class="choice"><input${id !== undefined && html` id="field-${id}"`} type="checkbox" name="${name}" value="${value}"${
    isChosen && html` checked`
  }>${words}</label>`
}

/** A distance that somebody wrote into the address is one of the list too. */
function distances({ within }: Partial<Asked>): number[] {
  const asked = Number(one(within))
  const isOther = Number.isInteger(asked) && asked > 0 && asked <= 500 && !DISTANCES.includes(asked)
  return isOther ? [...DISTANCES, asked].sort((one, other) => one - other) : DISTANCES
}

/** Whatever an address has: a form has one value for a field. */
function one(value: unknown): string | undefined {
  const [first] = [value].flat()
  return first === undefined ? undefined : String(first)
}
