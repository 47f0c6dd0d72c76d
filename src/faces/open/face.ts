import * as categories from '../../categories/store.ts'
import type { Context } from '../../context.ts'
import type { App } from '../../http/app.ts'
import type { Face } from '../../http/face.ts'
import { visitorOf } from '../../keys/identify.ts'
import { charge } from '../../limits/charge.ts'
import { photoFileRoutes } from '../../photos/serve.ts'

/**
 * What needs nobody's key, and every address that belongs to no other face. Requests count for the client's
 * address, which is told of the limit once it is used up.
 *
 * @param described what another face tells of itself here
 */
export function openFace(
  context: Context,
  described: Pick<Face, 'writeError' | 'sharedWithAll' | 'variantOf' | 'routes'>,
): Face {
  const { config, limiter } = context
  const visitor = (address: string | undefined) => visitorOf(address, config.anonymous)
  return {
    ...described,
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
      await described.routes(app)
    },
  }
}

/** Nobody is asked for a key, and nothing is counted: a few bytes each. */
const OPEN = { config: { open: true } }

/** What tells probes and machines how the service is, and where its description is. */
function healthRoutes(app: App, { config, db, ready }: Pick<Context, 'config' | 'db' | 'ready'>): void {
  /** The process runs. */
  app.get('/livez', OPEN, () => ({ status: 'ok' }))
  async function probe(): Promise<void> {
    await categories.list(db)
    await ready()
  }
  /** One for all who ask meanwhile: nobody's requests here are counted. */
  let probing: Promise<void> | undefined
  /** The process can answer: its store does, its disk can be trusted, and its counters were reached. */
  app.get('/readyz', OPEN, async () => {
    probing ??= probe().finally(() => {
      probing = undefined
    })
    await probing
    return { status: 'ok' }
  })
  /** RFC 9727: where machines find the description. */
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
