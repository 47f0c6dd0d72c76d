import { hash } from 'node:crypto'
import { randomBase62 } from './key-format.ts'

/** What a program asks for access tokens with (RFC 6749, section 2.3): another form of a key. */
export interface Client {
  id: string
  secret: string
}

/** As long as those that programs for the Petfinder API v2 have known. */
const [ID_LENGTH, SECRET_LENGTH] = [50, 40]
const FORMS = [
  new RegExp(`^[0-9A-Za-z]{${ID_LENGTH}}$`),
  new RegExp(`^[0-9A-Za-z]{${SECRET_LENGTH}}$`),
] as const

export function generateClient(): Client {
  return { id: randomBase62(ID_LENGTH), secret: randomBase62(SECRET_LENGTH) }
}

/** Whether it can be one: others are refused without a look-up. */
export function isClient({ id, secret }: Client): boolean {
  return FORMS[0].test(id) && FORMS[1].test(secret)
}

/** What is stored of it, in the place of a key's hash; no key has a colon. */
export function hashClient({ id, secret }: Client): string {
  return hash('sha256', `${id}:${secret}`)
}
