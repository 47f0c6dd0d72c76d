import { changes } from '../db/change.ts'
import type { Write } from '../db/write.ts'
import { ONE_LINE } from '../http/text.ts'
import { type Environment, generateKey, hashKey, randomBase62 } from './key-format.ts'
import type { NewKey } from './store.ts'

export const MAX_NAME = 200

const IS_ONE_LINE = new RegExp(ONE_LINE, 'u')

/** What a key may be called. */
export function isKeyName(text: string): boolean {
  return IS_ONE_LINE.test(text) && [...text].length <= MAX_NAME
}

/** What a key is shown as: a key of an environment, or the credentials of a client. */
export type KeyForm = Environment | 'client'

const newSecret = (form: KeyForm): string => (form === 'client' ? generateClient() : generateKey(form))

/** Makes a key. Whoever asked has to hand over the secret: it is nowhere else. */
export async function makeKey(
  write: Write,
  form: KeyForm,
  key: NewKey,
  now: number,
): Promise<{ id: number; secret: string }> {
  const secret = newSecret(form)
  return { id: await write(changes.insertKey, key, hashKey(secret), now), secret }
}

/**
 * Gives a key another secret; the ones before work until the overlap is over.
 *
 * @returns the secret; undefined when there is no such key, or it was revoked
 */
export async function renewKey(
  write: Write,
  form: KeyForm,
  { id, now, overlapMs }: { id: number; now: number; overlapMs: number },
): Promise<string | undefined> {
  const secret = newSecret(form)
  return (await write(changes.rotateKey, id, hashKey(secret), now, overlapMs)) ? secret : undefined
}

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
