import * as categories from '../../categories/store.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { Face } from '../../http/face.ts'
import { identifyKeys } from '../../keys/identify.ts'
import { findByToken, hashOfToken } from '../../keys/tokens.ts'
import { charge } from '../../limits/charge.ts'
import { animalRoutes } from './animal-routes.ts'
import { problemsOf } from './errors.ts'
import { organizationRoutes } from './organization-routes.ts'
import { PREFIX } from './prefix.ts'
import { tokenRoutes } from './token-routes.ts'
import { typeRoutes } from './type-routes.ts'
import { categoriesReader } from './types.ts'

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
    writeError: problemsOf(config),
    addressOf: withoutSlashes,
    sharedWithAll: [`${PREFIX}/`],
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
  while (end > 1 && url[end - 1] === '/') end -= 1
  return url.slice(0, end) + url.slice(begin)
}
