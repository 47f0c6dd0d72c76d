import type { RouteOptions } from 'fastify'
import { getRequiredAccess, includesAccess } from '../../access.ts'
import { applicationRoutes } from '../../applications/routes.ts'
import { categoryRoutes } from '../../categories/routes.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { eventRoutes } from '../../events/routes.ts'
import type { App } from '../../http/app.ts'
import type { Face, Gate } from '../../http/face.ts'
import { deprecatedRoutes } from '../../http/gate.ts'
import { readJson } from '../../http/json-body.ts'
import { JSON_TYPE } from '../../http/send-error.ts'
import { refuseUnknownParameters } from '../../http/validate.ts'
import { inventoryRoutes } from '../../inventory/routes.ts'
import { apiKeyCredentials, createCallerIdentifier } from '../../keys/identify.ts'
import { charge } from '../../limits/limiter.ts'
import { orderRoutes } from '../../orders/routes.ts'
import { organizationRoutes } from '../../organizations/routes.ts'
import { petRoutes } from '../../pets/routes.ts'
import { photoRoutes } from '../../photos/routes.ts'
import { vocabularyRoutes } from '../../vocabulary/routes.ts'
import { webhookRoutes } from '../../webhooks/routes.ts'
import { addOpenApiDocument, PREFIX } from './openapi-document.ts'

export function nativeFace(context: Context): Face {
  const deprecated = deprecatedRoutes()
  const gate = nativeGate(context)
  return {
    prefix: PREFIX,
    gate,
    onUnrouted: deprecated.onUnrouted,
    readBody: readJson,
    writeError,
    openApi: (app) => addOpenApiDocument(app, context.config),
    routes(v1: App) {
      v1.addHook('onRoute', declareAccess)
      v1.addHook('onRoute', deprecated.onRoute)
      v1.addHook('preValidation', refuseUnknownParameters)
      petRoutes(v1, context)
      photoRoutes(v1, context)
      categoryRoutes(v1, context)
      vocabularyRoutes(v1, context)
      organizationRoutes(v1, context)
      inventoryRoutes(v1, context)
      eventRoutes(v1, context, gate.identify)
      webhookRoutes(v1, context)
      orderRoutes(v1, context)
      applicationRoutes(v1, context)
    },
  }
}

/** Admits requests with a valid key, if they are within the key's limits and access. */
export function nativeGate(context: Context): Gate {
  const { limiter } = context
  return {
    ...createCallerIdentifier(context, apiKeyCredentials(context.config.environment)),
    admit: (caller) => charge(limiter, caller),
    authorize({ access }, needed = 'read', { authorization }) {
      if (access === undefined) return unauthenticated(authorization)
      return includesAccess(access, needed) ? undefined : new ApiError('insufficient_access')
    },
  }
}

/** Route hook: copies the operation's access to the route, where gate and OpenAPI document read it. */
export function declareAccess(route: RouteOptions): void {
  route.config = { ...route.config, access: getRequiredAccess(route.schema?.operationId) }
}

/** The challenge names an error only if the request has a credential (RFC 6750, section 3). */
function unauthenticated(authorization: string | undefined): ApiError {
  const realm = 'Bearer realm="adoptable"'
  // Node.js joins several Authorization headers with commas. One header with a bearer token is enough.
  const sent = /(?:^|, )bearer +\S/i.test(authorization ?? '')
  if (!sent) return new ApiError('missing_api_key', { headers: { 'www-authenticate': realm } })
  return new ApiError('invalid_api_key', {
    headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
  })
}

/** Writes an error as JSON, with `details` only if there are any. */
export const writeError: Face['writeError'] = ({ code, message, status, details }: ApiError) => ({
  type: JSON_TYPE,
  body: JSON.stringify({ code, message, status, details }),
})
