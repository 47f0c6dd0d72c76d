import { type Html, html } from '../../../../http/html.ts'
import type { PetStatus } from '../../../../pets/fields.ts'
import type { Pet } from '../../../../pets/schema.ts'
import { MOVES } from '../../../../pets/transition.ts'
import type { Texts } from '../../texts/texts.ts'
import { PREFIX } from '../pages.ts'

export const statusTag = (status: string, words: Texts['console']): Html =>
  html`<span class="tag ${status}">${words.animals.statuses[status]}</span>`

/** What can become of an animal, each as a button. */
export function statusButtons({ id, status }: Pick<Pet, 'id' | 'status'>, words: Texts['console']): Html {
  const next: readonly PetStatus[] = status ? MOVES[status] : ['available']
  const buttons = next.map(
    (to) =>
      html`<button name="status" value="${to}"${status && html` class="plain"`}>${
        status ? words.animal.moves[to] : words.animal.publish
      }</button>`,
  )
  return html`<form class="row" method="post" action="${PREFIX}/animals/${id}/status">${buttons}</form>`
}
