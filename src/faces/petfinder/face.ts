import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { Face } from '../../http/face.ts'
import { createCallerIdentifier } from '../../keys/identify.ts'
import { findByToken, hashAccessToken } from '../../keys/tokens.ts'
import { charge } from '../../limits/limiter.ts'
import { problemWriter } from './errors.ts'
import { readRoutes } from './routes.ts'
import { PREFIX } from './shapes.ts'
import { tokenRoutes } from './token.ts'

// A request passes through these files in order: routes.ts finds its route, parameters.ts and animal-query.ts
// read its parameters, and animal-pages.ts or organization-pages.ts reads its page. shapes.ts converts
// animals and organizations to Petfinder's JSON. words.ts translates types, breeds and colors. facts.test.ts
// asserts the answers of the original API. Do not change that test: clients that rely on those answers are no
// longer updated.

/**
 * The API for clients of the Petfinder API v2. The API is read-only and needs an access token. It shows only
 * public data, whatever access the key has.
 */
export function petfinderFace(context: Context): Face {
  const { limiter, config } = context
  return {
    prefix: PREFIX,
    gate: {
      ...createCallerIdentifier(context, { hashOf: hashAccessToken, find: findByToken, view: 'public' }),
      admit: (caller) => charge(limiter, caller),
      authorize({ access }, needed) {
        if (needed === undefined || access !== undefined) return undefined
        return new ApiError('invalid_api_key', {
          headers: { 'www-authenticate': 'Bearer realm="adoptable"' },
        })
      },
    },
    writeError: problemWriter(config),
    addressOf: withoutSlashes,
    anyOriginPaths: [PREFIX, `${PREFIX}/`],
    routes(app) {
      tokenRoutes(app, context)
      readRoutes(app, context)
    },
  }
}

/** The original API answered 403 for versions that did not exist. /v1 is our own API. */
const OTHER_VERSIONS = ['/v0', '/v3', '/v4', '/v5', '/v6', '/v7', '/v8', '/v9']

/** Faces that refuse other versions of the API. */
export function otherVersionFaces(context: Context): Face[] {
  const { gate, writeError } = petfinderFace(context)
  return OTHER_VERSIONS.map((prefix) => ({
    ...{ prefix, gate, writeError, anyOriginPaths: [prefix, `${prefix}/`] },
    errorOfUnrouted: () =>
      new ApiError('insufficient_access', { message: 'There is no such version. Use /v2.' }),
    routes: () => undefined,
  }))
}

/** Removes slashes at the end of the path, which clients may send. */
function withoutSlashes(url: string): string {
  const query = url.search(/[?#]/)
  const begin = query < 0 ? url.length : query
  let end = begin
  while (end > PREFIX.length + 1 && url[end - 1] === '/') end -= 1
  return url.slice(0, end) + url.slice(begin)
}
