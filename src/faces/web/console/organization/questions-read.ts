import { hash } from 'node:crypto'
import type { ErrorDetail } from '../../../../errors.ts'
import { type FormBody, textIn } from '../../../../http/form-body.ts'
import { MOST_QUESTIONS, type Question } from '../../../../organizations/questions.ts'
import type { Problem } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { NON_FIELD } from '../forms/problems.ts'

/** A question as the form has it; one without words is none. */
export interface Draft {
  id: string
  text: string
  kind: string
  /** One a line. */
  options: string
  required: boolean
}

export const EMPTY: Draft = { id: '', text: '', kind: 'yesNo', options: '', required: false }

export function draftOf({ id, text, kind, options = [], required }: Question): Draft {
  return { id, text, kind, options: options.join('\n'), required }
}

/** What the form was made from. */
export const marksOf = (questions: readonly Question[]): string =>
  hash('sha256', JSON.stringify(questions)).slice(0, 16)

/** Those of the form, in their order, after what its button asks for. */
export function readDrafts(form: FormBody): Draft[] {
  const drafts: Draft[] = []
  // One more than there may be: the empty one at the end.
  for (let index = 0; index <= MOST_QUESTIONS && form.has(`text-${index}`); index += 1) {
    const [id, text, kind, options] = ['id', 'text', 'kind', 'options'].map((name) =>
      textIn(form, `${name}-${index}`),
    ) as [string, string, string, string]
    drafts.push({ id, text, kind, options, required: form.get(`required-${index}`) === 'yes' })
  }
  const [action, place] = (form.get('do') ?? '').split('-')
  const at = Number(place)
  if (!drafts[at]) return drafts
  if (action === 'remove') drafts.splice(at, 1)
  const to = action === 'up' ? at - 1 : action === 'down' ? at + 1 : at
  if (drafts[to] && to !== at) drafts.splice(to, 0, ...drafts.splice(at, 1))
  return drafts
}

/** Those that ask something; whoever empties all of one removes it. */
export const isAsked = ({ text, options }: Draft): boolean => text !== '' || options !== ''

/** As the organization has them, each with an id of its own. */
export function questionsOf(drafts: readonly Draft[]): unknown[] {
  const ids = new Set(drafts.map(({ id }) => id))
  let number = 0
  return drafts.map(({ id, text, kind, options, required }) => {
    let own = id
    while (own === '') {
      number += 1
      if (!ids.has(`q${number}`)) own = `q${number}`
    }
    ids.add(own)
    const lines = options.split('\n').map((line) => line.trim())
    const chosen = { options: lines.filter((line) => line !== '') }
    return { id: own, text, kind, ...(kind === 'choice' && chosen), required }
  })
}

/** What the contract says is wrong, at the fields of the form. */
export function problemsIn(details: readonly ErrorDetail[], { questions }: Texts['console']): Problem[] {
  const problems = details.map(({ pointer = '' }): Problem => {
    const [, , index, member] = pointer.split('/')
    if (index === undefined) return { field: NON_FIELD, message: questions.problems.many ?? '' }
    const field = member === 'options' ? 'options' : 'text'
    const number = questions.number(Number(index) + 1)
    return { field: `${field}-${index}`, message: `${number}. ${questions.problems[field]}` }
  })
  return [...new Map(problems.map((problem) => [problem.field, problem])).values()]
}
