import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { Face } from '../../http/face.ts'
import { identifyKeys } from '../../keys/identify.ts'
import { findByToken, hashOfToken } from '../../keys/tokens.ts'
import { charge } from '../../limits/charge.ts'
import { problemWriter } from './errors.ts'
import { readRoutes } from './routes.ts'
import { PREFIX } from './shapes.ts'
import { tokenRoutes } from './token.ts'

// What a request meets here: its route, in routes.ts; its parameters, in parameters.ts and animal-query.ts;
// its page, in animal-pages.ts or organization-pages.ts; and shapes.ts, the one place where an animal or an
// organization becomes theirs. Words that differ stand in words.ts. facts.test.ts holds what was recorded of
// the wire: what it asserts stays, since the programs that rely on it will not change.

/**
 * For clients written for the Petfinder API v2: they read animals, types, breeds and organizations with
 * access tokens, and change nothing. Whatever a key may, here it sees what everybody sees.
 */
export function petfinderFace(context: Context): Face {
  const { limiter, config } = context
  return {
    prefix: PREFIX,
    gate: {
      ...identifyKeys(context, { hashOf: hashOfToken, find: findByToken, view: 'public' }),
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
    sharedWithAll: [PREFIX, `${PREFIX}/`],
    routes(app) {
      tokenRoutes(app, context)
      readRoutes(app, context)
    },
  }
}

/** These clients write slashes at the end of a path or not. */
function withoutSlashes(url: string): string {
  const query = url.search(/[?#]/)
  const begin = query < 0 ? url.length : query
  let end = begin
  while (end > PREFIX.length + 1 && url[end - 1] === '/') end -= 1
  return url.slice(0, end) + url.slice(begin)
}
