import type { Config } from '../config.ts'
import type { Db } from '../db/tables.ts'
import type { App } from './app.ts'
import { reference } from './reference.ts'

interface Options {
  config: Config
  db: Db
}

/** What lies outside /v1, without key and limits. */
export function publicRoutes(app: App, { config, db }: Options): void {
  const hidden = { schema: { hide: true } }

  app.get('/', hidden, (_request, reply) => reply.redirect('/docs', 302))
  reference(app)
  app.get('/openapi.json', hidden, () => app.swagger())
  /** The process runs. */
  app.get('/livez', hidden, () => ({ status: 'ok' }))
  /** The process can answer: its store does. */
  app.get('/readyz', hidden, async () => {
    await db.selectFrom('category').select('id').limit(1).execute()
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
