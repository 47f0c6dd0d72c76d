import type { Logger } from 'pino'
import type { Context } from './context.ts'
import { nativeFace } from './faces/native/face.ts'
import { OPENAPI_PATH, referenceRoutes } from './faces/native/reference.ts'
import { openFace } from './faces/open/face.ts'
import { otherVersionFaces, petfinderFace } from './faces/petfinder/face.ts'
import { consoleFace } from './faces/web/console/face.ts'
import { errorsFor } from './faces/web/gallery/frame.ts'
import { galleryRoutes } from './faces/web/gallery/routes.ts'
import type { App, Hook } from './http/app.ts'
import { createCorsPolicy, handleCors } from './http/cors.ts'
import { createApp } from './http/create-app.ts'
import { bodyReaderOf, type Face } from './http/face.ts'
import { createNotFoundHandler, gateHook } from './http/gate.ts'
import { languageOf } from './http/language.ts'
import { requestLog } from './http/request-log.ts'
import { answerFromCache } from './http/send-page.ts'
import { counterOfAddress } from './limits/accounts.ts'
import { shareRoutes } from './limits/shares.ts'
import { countAnswers } from './metrics/count.ts'

/** The faces of the service, in the order in which a path is matched against them. */
function facesOf(context: Context): Face[] {
  const native = nativeFace(context)
  const v2 = context.config.hasV2 ? [petfinderFace(context), ...otherVersionFaces(context)] : []
  const open = openFace(context, {
    writeError: errorsFor(context.config, native.writeError),
    anyOriginPaths: [OPENAPI_PATH],
    variantOf: languageOf,
    routes(app) {
      referenceRoutes(app, context.config)
      galleryRoutes(app, context)
    },
  })
  return [native, ...v2, consoleFace(context), open]
}

/** Builds the HTTP server. After those of `createApp`, hooks and faces are in the order of their calls. */
export async function buildServer(
  context: Context,
  logger: Logger,
  extraFaces: (context: Context) => Face[] = () => [],
): Promise<App> {
  const { config, metrics, tracing } = context
  const [native, ...others] = facesOf(context)
  const faces = [native as Face, ...extraFaces(context), ...others]
  const logRequest = requestLog(logger)
  const anyOriginPaths = new Set(faces.flatMap(({ anyOriginPaths: paths = [] }) => paths))
  const corsPolicy = createCorsPolicy(config, anyOriginPaths)

  const app = createApp({
    config,
    logger,
    logRequest,
    handleFirst: handleCors(config, corsPolicy, logRequest),
    cors: corsPolicy,
    faces,
    nameOfAddress: counterOfAddress,
  })
  if (metrics) app.addHook('onResponse', countAnswers(metrics))
  if (tracing) app.addHook('onRequest', tracing.begin).addHook('onResponse', tracing.end)
  shareRoutes(app, context.shares)
  await addFaces(app, faces, answerFromCache(context))
  return app
}

/** Adds each face in its own scope, so every request passes first the gate, then the cache, then a route. */
async function addFaces(app: App, faces: readonly Face[], cache: Hook): Promise<void> {
  const handleNotFound = createNotFoundHandler(app, faces)
  for (const face of faces) face.openApi?.(app)
  for (const face of faces) {
    await app.register(
      async (scope: App) => {
        scope.addHook('onRequest', (request, _reply, done) => {
          request.variant = face.variantOf?.(request.headers)
          done()
        })
        scope.addHook('onRequest', gateHook(face.gate))
        scope.addHook('onRequest', cache)
        scope.addContentTypeParser('*', bodyReaderOf(face))
        // Adds 70 routes to the router, so only faces that need them get them.
        if (face.hooksUnrouted) scope.setNotFoundHandler(handleNotFound)
        await face.routes(scope)
      },
      { prefix: face.prefix },
    )
  }
  app.setNotFoundHandler(handleNotFound)
}
