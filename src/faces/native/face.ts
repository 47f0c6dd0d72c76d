import type { RouteOptions } from 'fastify'
import { includesAccess, neededAccess } from '../../access.ts'
import { applicationRoutes } from '../../applications/routes.ts'
import { categoryRoutes } from '../../categories/routes.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { deprecatedRoutes } from '../../http/deprecation.ts'
import type { Face, Gate } from '../../http/face.ts'
import { JSON_TYPE } from '../../http/send-error.ts'
import { refuseUnknown } from '../../http/strict.ts'
import { inventoryRoutes } from '../../inventory/routes.ts'
import { identifyKeys, keysOf } from '../../keys/identify.ts'
import { charge } from '../../limits/charge.ts'
import { orderRoutes } from '../../orders/routes.ts'
import { organizationRoutes } from '../../organizations/routes.ts'
import { petRoutes } from '../../pets/routes.ts'
import { photoRoutes } from '../../photos/routes.ts'
import { vocabularyRoutes } from '../../vocabulary/routes.ts'
import { addOpenApiDocument, PREFIX } from './openapi-document.ts'
import { readBody } from './read-body.ts'

/** The contract: keys, JSON, exact limits. */
export function nativeFace(context: Context): Face {
  const deprecated = deprecatedRoutes()
  return {
    prefix: PREFIX,
    gate: nativeGate(context),
    onUnrouted: deprecated.onUnrouted,
    readBody,
    writeError,
    openApi: (app) => addOpenApiDocument(app, context.config),
    routes(v1: App) {
      v1.addHook('onRoute', declareAccess)
      v1.addHook('onRoute', deprecated.onRoute)
      v1.addHook('preValidation', refuseUnknown)
      petRoutes(v1, context)
      photoRoutes(v1, context)
      categoryRoutes(v1, context)
      vocabularyRoutes(v1, context)
      organizationRoutes(v1, context)
      inventoryRoutes(v1, context)
      orderRoutes(v1, context)
      applicationRoutes(v1, context)
    },
  }
}

/** Lets in who sends a valid key, as far as its limits and its access go. */
export function nativeGate(context: Context): Gate {
  const { limiter } = context
  return {
    ...identifyKeys(context, keysOf(context.config.environment)),
    admit: (caller) => charge(limiter, caller),
    authorize({ access }, needed = 'read', { authorization }) {
      if (access === undefined) return unauthenticated(authorization)
      return includesAccess(access, needed) ? undefined : new ApiError('insufficient_access')
    },
  }
}

/** Route hook: puts what src/access.ts says of the operation where the gate and the description find it. */
export function declareAccess(route: RouteOptions): void {
  route.config = { ...route.config, access: neededAccess(route.schema?.operationId) }
}

/** RFC 6750, section 3: the error is named only when a credential was sent. */
function unauthenticated(authorization: string | undefined): ApiError {
  const realm = 'Bearer realm="adoptable"'
  // Of several headers, which arrive joined, one that looks like a key is enough.
  const sent = /(?:^|, )bearer +\S/i.test(authorization ?? '')
  if (!sent) return new ApiError('missing_api_key', { headers: { 'www-authenticate': realm } })
  return new ApiError('invalid_api_key', {
    headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
  })
}

/** Contract, section 2.4; details only where there are some. */
export const writeError: Face['writeError'] = ({ code, message, status, details }: ApiError) => ({
  type: JSON_TYPE,
  body: JSON.stringify({ code, message, status, details }),
})
