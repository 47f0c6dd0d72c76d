import type { TestContext } from 'node:test'
import { makeKey } from '../keys/make.ts'
import type { NewKey } from '../keys/store.ts'
import type { Answer, RequestOptions } from './client.ts'
import { type Options, startApp } from './start-app.ts'

/** Starts a service with a client that reads /v2 with an access token. */
export async function startV2(t: TestContext, options: Options = {}, key: Partial<NewKey> = {}) {
  const app = await startApp(t, { ...options, key: { access: 'admin', ...options.key } })
  const { write } = app.service.context
  const own: NewKey = { name: 'v2', plan: 'business', access: 'read', ...key }
  const makeClient = async () => {
    const { id: keyId, secret } = await makeKey(write, 'client', own, app.clock.now)
    const [id = '', clientSecret = ''] = secret.split(':')
    return { keyId, client: { id, secret: clientSecret } }
  }
  const { keyId, client } = await makeClient()
  /** Requests another token for the client. */
  const askToken = (overrides: RequestOptions = {}, { id, secret } = client): Promise<Answer> =>
    app.request('/v2/oauth2/token', {
      method: 'POST',
      headers: { authorization: undefined, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
      }).toString(),
      ...overrides,
    })
  const token: string = (await askToken()).body?.access_token
  const readerOf =
    (bearer: string) =>
    (path: string, headers = {}): Promise<Answer> =>
      app.request(`/v2${path}`, { headers: { authorization: `Bearer ${bearer}`, ...headers } })
  /** @returns the function with which another client reads */
  const addReader = async () => readerOf((await askToken({}, (await makeClient()).client)).body.access_token)
  return { ...app, client, keyId, token, askToken, read: readerOf(token), addReader }
}

/** The members of an animal in the API as of 2024. */
export const ANIMAL_KEYS = [
  ...['id', 'organization_id', 'url', 'type', 'species', 'breeds', 'colors', 'age', 'gender', 'size', 'coat'],
  ...['attributes', 'environment', 'tags', 'name', 'description', 'organization_animal_id', 'photos'],
  ...[
    'primary_photo_cropped',
    'videos',
    'status',
    'status_changed_at',
    'published_at',
    'distance',
    'contact',
  ],
  '_links',
]
