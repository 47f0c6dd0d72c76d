import type { Config } from '../config.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import type { App } from './app.ts'
import { JSON_TYPE } from './error-body.ts'
import { reference } from './reference.ts'

interface Options {
  config: Config
  db: Db
  ready: Writer['ready']
}

/** What lies outside /v1, without key and limits. */
export function publicRoutes(app: App, { config, db, ready }: Options): void {
  const hidden = { schema: { hide: true } }

  app.get('/', hidden, (_request, reply) => reply.redirect('/docs', 302))
  reference(app, config)
  // Held once, however many clients are slow to take it.
  let description: Buffer | undefined
  app.get('/openapi.json', hidden, (_request, reply) => {
    description ??= Buffer.from(JSON.stringify(app.swagger()))
    return reply.type(JSON_TYPE).send(description)
  })
  /** The process runs. */
  app.get('/livez', hidden, () => ({ status: 'ok' }))
  async function probe(): Promise<void> {
    await db.selectFrom('category').select('id').limit(1).execute()
    await ready()
  }
  /** One for all who ask meanwhile: nobody's requests here are counted. */
  let probing: Promise<void> | undefined
  /** The process can answer: its store does, its disk can be trusted, and its counters were reached. */
  app.get('/readyz', hidden, async () => {
    probing ??= probe().finally(() => {
      probing = undefined
    })
    await probing
    return { status: 'ok' }
  })
  /** RFC 9727: where machines find the description. */
  app.get('/.well-known/api-catalog', hidden, (_request, reply) => {
    const root = config.baseUrl.slice(0, -'/v1'.length)
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
