import type { TestContext } from 'node:test'
import { makeKey } from '../keys/make.ts'
import type { NewKey } from '../keys/store.ts'
import type { Answer, Sent } from './client.ts'
import { type Options, startApp } from './start-app.ts'

/** A service, and a client that reads under /v2 with an access token. */
export async function startV2(t: TestContext, options: Options = {}, key: Partial<NewKey> = {}) {
  const app = await startApp(t, { ...options, key: { access: 'admin', ...options.key } })
  const own: NewKey = { name: 'v2', plan: 'business', access: 'read', ...key }
  const { write } = app.service.context
  const { id: keyId, secret } = await makeKey(write, 'client', own, app.clock.now)
  const [clientId = '', clientSecret = ''] = secret.split(':')
  const client = { id: clientId, secret: clientSecret }
  /** Another token of the client. */
  const askToken = (given: Sent = {}): Promise<Answer> =>
    app.request('/v2/oauth2/token', {
      method: 'POST',
      headers: { authorization: undefined, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client.id,
        client_secret: client.secret,
      }).toString(),
      ...given,
    })
  const token: string = (await askToken()).body?.access_token
  const read = (path: string, headers = {}): Promise<Answer> =>
    app.request(`/v2${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } })
  return { ...app, client, keyId, token, askToken, read }
}

/** The keys of an animal, as they came in 2024. */
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
