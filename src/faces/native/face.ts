import { applicationRoutes } from '../../applications/routes.ts'
import { categoryRoutes } from '../../categories/routes.ts'
import type { Context } from '../../context.ts'
import type { App } from '../../http/app.ts'
import { deprecatedRoutes } from '../../http/deprecation.ts'
import type { Face } from '../../http/face.ts'
import { refuseUnknown } from '../../http/strict.ts'
import { inventoryRoutes } from '../../inventory/routes.ts'
import { orderRoutes } from '../../orders/routes.ts'
import { organizationRoutes } from '../../organizations/routes.ts'
import { petRoutes } from '../../pets/routes.ts'
import { photoRoutes } from '../../photos/routes.ts'
import { vocabularyRoutes } from '../../vocabulary/routes.ts'
import { writeError } from './errors.ts'
import { declareAccess, nativeGate } from './gate.ts'
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
