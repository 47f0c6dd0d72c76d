import type { ApiError, ErrorDetail } from '../../../../errors.ts'
import { EMAIL } from '../../../../http/text.ts'
import { LEAST_CHARACTERS, MOST_CHARACTERS } from '../../../../staff/common-passwords.ts'
import type { Problem } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'

const IS_EMAIL = new RegExp(EMAIL)

/** As the forms have them, from above. */
const ORDER = ['name', 'email', 'current', 'password', 'role', 'organizationId']

/** What was sent of a person. */
export interface Typed {
  email?: string
  password?: string
  current?: string
}

/** What is wrong with a person or a password, in words, at the fields of the form. */
export function personProblems({ details = [] }: ApiError, typed: Typed, words: Texts['console']): Problem[] {
  const problems = details.map((detail) => {
    const field = detail.pointer?.slice(1) ?? ''
    return { field, message: messageOf(field, detail, typed, words) }
  })
  const place = ({ field }: Problem): number => ORDER.indexOf(field)
  return problems.sort((one, other) => place(one) - place(other))
}

function messageOf(field: string, { message }: ErrorDetail, typed: Typed, words: Texts['console']): string {
  const { problems } = words.signIn
  const { email = '', password = '', current } = typed
  const length = [...password].length
  switch (field) {
    case 'email':
      return IS_EMAIL.test(email) ? problems.emailTaken : problems.email
    case 'name':
      return problems.name
    case 'password':
      if (length < LEAST_CHARACTERS) return problems.tooShort(LEAST_CHARACTERS)
      if (length > MOST_CHARACTERS) return problems.tooLong(MOST_CHARACTERS)
      return password === current ? problems.samePassword : problems.common
    case 'role':
      return problems.role
    case 'organizationId':
      return problems.organization
    default:
      return message
  }
}
