import type { ApiError, ErrorDetail } from '../../../../errors.ts'
import { type Html, html } from '../../../../http/html.ts'
import { EMAIL } from '../../../../http/text.ts'
import { MAX_CHARACTERS, MIN_CHARACTERS } from '../../../../staff/common-passwords.ts'
import { type Problem, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'

interface PasswordField {
  name: string
  label: string
  /** Whether the person chooses a new password. */
  isNew: boolean
  problems: readonly Problem[]
}

/**
 * A password field with a button that shows the text. The field never contains a password that was sent
 * before.
 */
export function passwordField(
  { name, label, isNew, problems }: PasswordField,
  { signIn }: Texts['console'],
): Html {
  const field = textField({
    ...{ name, label, type: 'password', required: true, problems },
    autocomplete: isNew ? 'new-password' : 'current-password',
    hint: isNew ? signIn.passwordHint(MIN_CHARACTERS) : undefined,
    maxLength: 2 * MAX_CHARACTERS,
  })
  return html`<div class="secret">${field}
<button class="plain" type="button" data-shows="field-${name}" aria-pressed="false" hidden>${signIn.showPassword}</button></div>`
}

const IS_EMAIL = new RegExp(EMAIL)

/** The order of the fields in the forms. Problems are listed in this order. */
const ORDER = ['name', 'email', 'current', 'password', 'role', 'organizationId']

/** The sent values that messages depend on. */
interface PersonInput {
  email?: string
  password?: string
  current?: string
}

/** The problems of a refused person or password, each with the field of the form. */
export function personProblems(
  { details = [] }: ApiError,
  typed: PersonInput,
  words: Texts['console'],
): Problem[] {
  const problems = details.map((detail) => {
    const field = detail.pointer?.slice(1) ?? ''
    return { field, message: messageOf(field, detail, typed, words) }
  })
  const place = ({ field }: Problem): number => ORDER.indexOf(field)
  return problems.sort((one, other) => place(one) - place(other))
}

function messageOf(
  field: string,
  { message }: ErrorDetail,
  typed: PersonInput,
  words: Texts['console'],
): string {
  const { problems } = words.signIn
  const { email = '', password = '', current } = typed
  const taken = typed.password === undefined ? problems.emailTaken : problems.emailIsYours
  const length = [...password].length
  switch (field) {
    case 'email':
      return IS_EMAIL.test(email) ? taken : problems.email
    case 'name':
      return problems.name
    case 'password':
      if (length < MIN_CHARACTERS) return problems.tooShort(MIN_CHARACTERS)
      if (length > MAX_CHARACTERS) return problems.tooLong(MAX_CHARACTERS)
      return password === current ? problems.samePassword : problems.common
    case 'role':
      return problems.role
    case 'organizationId':
      return problems.organization
    default:
      return message
  }
}
