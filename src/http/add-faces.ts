import { ApiError } from '../errors.ts'
import type { App, Hook } from './app.ts'
import type { Face, ReadBody } from './face.ts'
import { gateHooks } from './gate.ts'
import { createNotFoundHandler } from './not-found.ts'

/**
 * Adds each face in its own scope, so every request passes first the gate, then the cache, then its route.
 */
export async function addFaces(app: App, faces: readonly Face[], cache: Hook): Promise<void> {
  const handleNotFound = createNotFoundHandler(app, gateHooks(faces.at(-1) as Face))
  for (const face of faces) face.openApi?.(app)
  for (const face of faces) {
    await app.register(
      async (scope: App) => {
        const { variantOf } = face
        if (variantOf)
          scope.addHook('onRequest', (request, _reply, done) => {
            request.variant = variantOf(request.headers)
            done()
          })
        for (const hook of [...gateHooks(face), cache]) scope.addHook('onRequest', hook)
        scope.addContentTypeParser('*', bodyReader(face))
        if (face.prefix !== '') scope.setNotFoundHandler(handleNotFound)
        await face.routes(scope)
      },
      { prefix: face.prefix },
    )
  }
  app.setNotFoundHandler(handleNotFound)
}

/** Refuses a body if neither the route nor its face has a reader for bodies. */
function bodyReader(face: Face): ReadBody {
  return (request, payload, done) => {
    const read = request.routeOptions.config.readBody ?? face.readBody
    if (read) read(request, payload, done)
    else done(new ApiError('unsupported_media_type'))
  }
}
