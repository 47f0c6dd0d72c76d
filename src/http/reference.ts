import Fastify, { type FastifyInstance } from 'fastify'
import type { App } from './app.ts'

/** Scalar with everything off that would leave the machine. */
const CONFIGURATION = {
  url: '/openapi.json',
  // Requests go to the server that the page came from, whatever its public address is.
  servers: [{ url: '/v1', description: 'this server' }],
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never' as const,
  persistAuth: false,
}

/** The API reference under /docs, which can send requests. */
export function reference(app: App): void {
  let page: Promise<FastifyInstance> | undefined
  const answer = async (path: string) => {
    page ??= load()
    return (await page).inject(path)
  }

  for (const path of ['/docs', '/docs/', '/docs/js/scalar.js']) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      const { statusCode, headers, rawPayload } = await answer(path)
      return reply.code(statusCode).headers(headers).send(rawPayload)
    })
  }
}

/** Four megabytes of script, which most processes never need: loaded when somebody first opens the page. */
async function load(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const { default: helmet } = await import('@fastify/helmet')
  const app = Fastify()
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", "'unsafe-inline'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
      },
    },
  })
  await app.register(scalar, { routePrefix: '/docs', configuration: CONFIGURATION })
  return app
}
