import * as categories from '../../categories/store.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { Face } from '../../http/face.ts'
import { identifyKeys } from '../../keys/identify.ts'
import { findByToken, hashOfToken } from '../../keys/tokens.ts'
import { charge } from '../../limits/charge.ts'
import { animalRoutes } from './animal-routes.ts'
import { problemWriter } from './errors.ts'
import { organizationRoutes } from './organization-routes.ts'
import { PREFIX } from './prefix.ts'
import { tokenRoutes } from './token-routes.ts'
import { typeRoutes } from './type-routes.ts'
import { categoriesReader } from './types.ts'

// What a request meets here: its route, in *-routes.ts; its parameters, read in query-parameters.ts and made
// ours in parameter-values.ts and animal-query.ts; its page, in animal-pages.ts or organization-pages.ts; and
// the one place where an animal or an organization becomes theirs, animal.ts and organization.ts. Words that
// differ stand in types.ts, colors.ts and breeds.ts. facts.test.ts holds what was recorded of the wire: what
// it asserts stays, since the programs that rely on it will not change.

/**
 * For clients written for the Petfinder API v2: they read animals, types, breeds and organizations with
 * access tokens, and change nothing. Whatever a key may, here it sees what everybody sees.
 */
export function petfinderFace(context: Context): Face {
  const { limiter, config, db } = context
  const readCategories = categoriesReader(context, () => categories.list(db))
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
      animalRoutes(app, context, readCategories)
      typeRoutes(app, context, readCategories)
      organizationRoutes(app, context)
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
