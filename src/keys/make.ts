import { changes } from '../db/change.ts'
import type { Write } from '../db/write.ts'
import { ONE_LINE } from '../http/text.ts'
import { type Environment, generateKey, hashKey, randomBase62 } from './key-format.ts'
import type { NewKey } from './store.ts'

export const MAX_KEY_NAME = 200

const IS_ONE_LINE = new RegExp(ONE_LINE, 'u')

/** Checks whether the text is a valid key name. */
export function isKeyName(text: string): boolean {
  return IS_ONE_LINE.test(text) && [...text].length <= MAX_KEY_NAME
}

/** The format of a secret: either an API key of an environment, or client credentials. */
export type KeyFormat = Environment | 'client'

const newSecret = (format: KeyFormat): string =>
  format === 'client' ? generateClientCredentials() : generateKey(format)

/** Creates a key, and returns its secret. Show it to the user now, because the store has only its hash. */
export async function makeKey(
  write: Write,
  format: KeyFormat,
  key: NewKey,
  now: number,
): Promise<{ id: number; secret: string }> {
  const secret = newSecret(format)
  return { id: await write(changes.insertKey, key, hashKey(secret), now), secret }
}

/**
 * Gives a key a new secret. Earlier secrets stay valid until the overlap ends.
 * @returns the secret; undefined when the key does not exist or was revoked
 */
export async function renewKey(
  write: Write,
  format: KeyFormat,
  { id, now, overlapMs }: { id: number; now: number; overlapMs: number },
): Promise<string | undefined> {
  const secret = newSecret(format)
  return (await write(changes.rotateKey, id, hashKey(secret), now, overlapMs)) ? secret : undefined
}

/** The lengths that clients of the Petfinder API v2 expect. */
const [ID_LENGTH, SECRET_LENGTH] = [50, 40]
const CLIENT_PATTERN = new RegExp(`^[0-9A-Za-z]{${ID_LENGTH}}:[0-9A-Za-z]{${SECRET_LENGTH}}$`)

/**
 * Makes client credentials for programs that request access tokens (RFC 6749, section 2.3). They consist of a
 * client id and a client secret, joined by a colon. The store treats them like a key.
 */
export const generateClientCredentials = (): string =>
  `${randomBase62(ID_LENGTH)}:${randomBase62(SECRET_LENGTH)}`

/** Checks whether the text has the format of client credentials. Only such text needs a lookup. */
export const isClientCredentials = (text: string): boolean => CLIENT_PATTERN.test(text)
