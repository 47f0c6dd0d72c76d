import { type Html, html } from '../../../../http/html.ts'
import { LEAST_CHARACTERS, MOST_CHARACTERS } from '../../../../staff/common-passwords.ts'
import { type Problem, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'

interface Password {
  name: string
  label: string
  /** One that is chosen, or one that is known. */
  isNew: boolean
  problems: readonly Problem[]
}

/** A password as it is typed. What was typed before is never shown again; a button lets it be read. */
export function passwordField(
  { name, label, isNew, problems }: Password,
  { signIn }: Texts['console'],
): Html {
  const field = textField({
    ...{ name, label, type: 'password', required: true, problems },
    autocomplete: isNew ? 'new-password' : 'current-password',
    hint: isNew ? signIn.passwordHint(LEAST_CHARACTERS) : undefined,
    mostCharacters: 2 * MOST_CHARACTERS,
  })
  return html`<div class="secret">${field}
<button class="plain" type="button" data-shows="field-${name}" aria-pressed="false" hidden>${signIn.showPassword}</button></div>`
}
