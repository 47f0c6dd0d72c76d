import type { Logger } from 'pino'
import type { Context } from './context.ts'
import { nativeFace } from './faces/native/face.ts'
import { DESCRIPTION, referenceRoutes } from './faces/native/reference.ts'
import { openFace } from './faces/open/face.ts'
import { petfinderFace } from './faces/petfinder/face.ts'
import { consoleFace } from './faces/web/console/face.ts'
import { errorsFor } from './faces/web/error-page.ts'
import { galleryRoutes } from './faces/web/gallery/routes.ts'
import { addFaces } from './http/add-faces.ts'
import { answerFromCache } from './http/answer-from-cache.ts'
import type { App } from './http/app.ts'
import { allowOrigins, shareWithOrigin } from './http/cors.ts'
import { createApp } from './http/create-app.ts'
import type { Face } from './http/face.ts'
import { languageOf } from './http/language.ts'
import { requestLog } from './http/request-log.ts'
import { counterOfAddress } from './limits/address.ts'
import { countAnswers } from './metrics/count.ts'

/** The faces of the service, in the order in which an address is looked for. */
function facesOf(context: Context): Face[] {
  const native = nativeFace(context)
  const v2 = context.config.hasV2 ? [petfinderFace(context)] : []
  const open = openFace(context, {
    writeError: errorsFor(context.config, native.writeError),
    sharedWithAll: [DESCRIPTION],
    variantOf: languageOf,
    routes(app) {
      referenceRoutes(app, context.config)
      galleryRoutes(app, context)
    },
  })
  return [native, ...v2, consoleFace(context), open]
}

/**
 * The whole service, in the order in which a request meets it.
 *
 * @param more faces beside its own
 */
export async function buildServer(
  context: Context,
  logger: Logger,
  more: (context: Context) => Face[] = () => [],
): Promise<App> {
  const { config, metrics, tracing } = context
  const [native, ...others] = facesOf(context)
  const faces = [native as Face, ...more(context), ...others]
  const logRequest = requestLog(logger)
  const share = shareWithOrigin(config, new Set(faces.flatMap(({ sharedWithAll = [] }) => sharedWithAll)))

  const app = createApp({
    config,
    logger,
    logRequest,
    answerFirst: allowOrigins(config, share, logRequest),
    share,
    faces,
    nameOfAddress: counterOfAddress,
  })
  if (metrics) app.addHook('onResponse', countAnswers(metrics))
  if (tracing) app.addHook('onRequest', tracing.begin).addHook('onResponse', tracing.end)
  await addFaces(app, faces, answerFromCache(context))
  return app
}
