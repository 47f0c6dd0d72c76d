import { randomBase62 } from './key-format.ts'

/** As long as those that programs for the Petfinder API v2 have known. */
const [ID_LENGTH, SECRET_LENGTH] = [50, 40]
const FORM = new RegExp(`^[0-9A-Za-z]{${ID_LENGTH}}:[0-9A-Za-z]{${SECRET_LENGTH}}$`)

/**
 * Another form of a key, for programs that ask for access tokens with it (RFC 6749, section 2.3): a client id
 * and a client secret, with a colon between them. It is stored as a key is.
 */
export const generateClient = (): string => `${randomBase62(ID_LENGTH)}:${randomBase62(SECRET_LENGTH)}`

/** Whether it can be one: others are refused without a look-up. */
export const isClient = (text: string): boolean => FORM.test(text)
