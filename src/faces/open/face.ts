import * as categories from '../../categories/store.ts'
import type { Context } from '../../context.ts'
import type { App } from '../../http/app.ts'
import type { Face } from '../../http/face.ts'
import { visitorOf } from '../../keys/identify.ts'
import { charge } from '../../limits/limiter.ts'
import { photoFileRoutes } from '../../photos/serve.ts'

/**
 * Routes without keys, and all paths that belong to no other face. Each request counts against the limit of
 * the client's IP address. A response has rate limit headers only if the limit is exceeded.
 * @param pages more routes without keys, and the format of errors
 */
export function openFace(
  context: Context,
  pages: Pick<Face, 'writeError' | 'anyOriginPaths' | 'variantOf' | 'routes'>,
): Face {
  const { config, limiter } = context
  const visitor = (address: string | undefined) => visitorOf(address, config.anonymous)
  return {
    ...pages,
    prefix: '',
    gate: {
      identify: (_request, address) => visitor(address),
      visitor,
      async admit(caller) {
        const { headers, refusal } = await charge(limiter, caller)
        return refusal ? { headers, refusal } : { headers: {} }
      },
      authorize: () => undefined,
    },
    async routes(app) {
      healthRoutes(app, context)
      photoFileRoutes(app, context, ({ ip }) => charge(limiter, visitor(ip)))
      await pages.routes(app)
    },
  }
}

/** Requests to these routes are not limited, because the responses are only a few bytes. */
const OPEN = { config: { open: true } }

/** Adds the routes for health checks and for finding the API description. */
function healthRoutes(app: App, { config, db, ready }: Pick<Context, 'config' | 'db' | 'ready'>): void {
  // A response shows that the process runs.
  app.get('/livez', OPEN, () => ({ status: 'ok' }))
  async function probe(): Promise<void> {
    await categories.list(db)
    await ready()
  }
  /**
   * The running probe. Requests to /readyz are not limited, so all requests that arrive during a probe wait
   * for the same probe.
   */
  let probing: Promise<void> | undefined
  // A successful response shows that the database, the disk and the counters work.
  app.get('/readyz', OPEN, async () => {
    probing ??= probe().finally(() => {
      probing = undefined
    })
    await probing
    return { status: 'ok' }
  })
  // RFC 9727
  app.get('/.well-known/api-catalog', OPEN, (_request, reply) => {
    const root = config.origin
    reply.header('content-type', 'application/linkset+json')
    return JSON.stringify({
      linkset: [
        {
          anchor: config.baseUrl,
          'service-desc': [{ href: `${root}/openapi.json`, type: 'application/json' }],
          'service-doc': [{ href: `${root}/docs`, type: 'text/html' }],
          status: [{ href: `${root}/readyz`, type: 'application/json' }],
        },
      ],
    })
  })
}
